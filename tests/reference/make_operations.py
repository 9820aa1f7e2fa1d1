#!/usr/bin/python3
"""Writes operations.json: the results of PyTorch for each operation of the graph.

Run it by hand with Debian's python3-torch when an operation is added:

    tests/reference/make_operations.py > tests/reference/operations.json

A case has the inputs, the weights by which the output is multiplied before it is
summed, the output, and the gradient of that sum for each input that has one.
"""
import json
import sys

import torch
import torch.nn.functional as F

torch.manual_seed(1)
torch.set_num_threads(1)


def spread(*shape, low=-2.0, high=2.0):
    """Returns distinct values in random order."""
    count = 1
    for size in shape:
        count *= size
    values = low + (high - low) * (torch.randperm(count) + 0.5) / count
    return values.reshape(shape)


POSITIVE = dict(low=0.2, high=4.0)
UNARY = {
    'neg': torch.neg, 'relu': torch.relu, 'sigmoid': torch.sigmoid,
    'tanh': torch.tanh, 'gelu': F.gelu, 'silu': F.silu,
    'softplus': F.softplus, 'exp': torch.exp, 'square': torch.square,
    'abs': torch.abs, 'sin': torch.sin, 'cos': torch.cos,
    'step': lambda x: torch.heaviside(x, torch.tensor(1.0)),
    'softmax': lambda x: F.softmax(x, -1),
    'log_softmax': lambda x: F.log_softmax(x, -1),
    'transpose': lambda x: x.transpose(0, 1),
}
UNARY_POSITIVE = {'log': torch.log, 'sqrt': torch.sqrt,
                  'reciprocal': torch.reciprocal}
NUMBERS = {
    'leaky_relu': ([0.2], lambda x: F.leaky_relu(x, 0.2), {}),
    'elu': ([0.7], lambda x: F.elu(x, 0.7), {}),
    'clamp': ([-0.8, 1.1], lambda x: torch.clamp(x, -0.8, 1.1), {}),
    'pow': ([1.7], lambda x: torch.pow(x, 1.7), POSITIVE),
}
BINARY = {
    'add': torch.add, 'sub': torch.sub, 'mul': torch.mul, 'div': torch.div,
    'maximum': torch.maximum, 'minimum': torch.minimum,
}
COMPARISONS = {
    'greater': torch.gt, 'greater_equal': torch.ge, 'less': torch.lt,
    'less_equal': torch.le, 'equal': torch.eq, 'not_equal': torch.ne,
}
BROADCASTS = [((3, 5), (3, 5)), ((3, 5), (5,)), ((4, 1), (1, 3)), ((), (2, 3))]


def numbers(tensor):
    return [float(f'{x:.9g}') for x in tensor.detach().reshape(-1).tolist()]


def packed(tensor):
    return {'shape': list(tensor.shape), 'values': numbers(tensor)}


def case(name, function, inputs, differentiable, numbers_=(), integers=(),
         shape=None):
    leaves = [x.clone().requires_grad_(i < differentiable)
              for i, x in enumerate(inputs)]
    output = function(*leaves).float()
    weights = spread(*output.shape, low=0.1, high=1.0)
    if differentiable and output.requires_grad:
        (output * weights).sum().backward()
    return {
        'operation': name, 'numbers': list(numbers_),
        'integers': list(integers), 'shape': shape,
        'inputs': [packed(x) for x in inputs], 'weights': numbers(weights),
        'output': packed(output),
        'gradients': [numbers(x.grad) if x.grad is not None else None
                      for x in leaves],
    }


def rnn(x, w, v, b, h, mask=None):
    def step(x, h):
        return torch.rnn_tanh_cell(x, h, w.t(), v.t(), b, torch.zeros_like(b))
    return torch.stack(list(unrolled(step, x, h, mask)))


def gru(x, w, v, b, d, h, mask=None):
    def step(x, h):
        return torch.gru_cell(x, h, w.t(), v.t(), b, d)
    return torch.stack(list(unrolled(step, x, h, mask)))


def lstm(x, w, v, b, h, c, mask=None):
    size = v.shape[0]
    def step(x, both):
        state = both[:, :size].contiguous(), both[:, size:].contiguous()
        return torch.cat(torch.lstm_cell(x, state, w.t(), v.t(), b,
                                         torch.zeros_like(b)), 1)
    return torch.stack(list(unrolled(step, x, torch.cat([h, c], 1), mask)))


def unrolled(step, x, state, mask):
    """Yields the state after each step; rows with mask 0 keep their state."""
    for t in range(x.shape[0]):
        after = step(x[t], state)
        if mask is not None:
            after = torch.where(mask[t][:, None] > 0.5, after, state)
        state = after
        yield state


def recurrent_cases():
    mask = torch.tensor([[1., 1., 1.], [1., 0., 1.], [0., 0., 1.], [1., 0., 1.]])
    for name, function, gates, biases, states in (
            ('rnn', rnn, 1, 1, 1), ('lstm', lstm, 4, 1, 2),
            ('gru', gru, 3, 2, 1)):
        for hidden in (5, 16):
            inputs = [spread(4, 3, 7), spread(7, gates * hidden, low=-1, high=1),
                      spread(hidden, gates * hidden, low=-.5, high=.5)]
            inputs += [spread(gates * hidden) for _ in range(biases)]
            inputs += [spread(3, hidden) for _ in range(states)]
            yield case(name, function, inputs, len(inputs))
            yield case(name, function, inputs + [mask], len(inputs))
    yield case('last', lambda x: x[-1], [spread(3, 2, 4)], 1)


def cases():
    for name, function in UNARY.items():
        yield case(name, function, [spread(3, 7)], int(name != 'step'))
    for name, function in UNARY_POSITIVE.items():
        yield case(name, function, [spread(3, 7, **POSITIVE)], 1)
    for name, (parameters, function, domain) in NUMBERS.items():
        yield case(name, function, [spread(3, 7, **domain)], 1, parameters)
    for name, function in {**BINARY, **COMPARISONS}.items():
        for a, b in BROADCASTS:
            left, right = spread(*a), spread(*b, low=0.3, high=2.7)
            yield case(name, function, [left, right],
                       2 if name in BINARY else 0)
    for a, b in (((3, 4), (4, 5)), ((2, 3, 4), (4, 2)), ((40, 30), (30, 20)),
                 ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (3, 4, 2)),
                 ((3, 4), (2, 4, 2))):
        yield case('matmul', torch.matmul, [spread(*a), spread(*b)], 2)
    yield case('reshape', lambda x: x.reshape(2, 6), [spread(3, 4)], 1,
               shape=[2, 6])
    yield case('slice', lambda x: x[:, 1:4], [spread(3, 5)], 1,
               integers=[1, 1, 4])
    yield case('concat', lambda *x: torch.cat(x, 1),
               [spread(2, 3), spread(2, 1), spread(2, 2)], 3, integers=[1])
    yield case('pad', lambda x: F.pad(x, (2, 1), value=0.5), [spread(3, 4)], 1,
               numbers_=[0.5], integers=[1, 2, 1])
    index = torch.tensor([[0., 3.], [1., 1.], [2., 0.]])
    yield case('gather', lambda x, i: torch.gather(x, 1, i.long()),
               [spread(3, 4), index], 1, integers=[1])
    for name, function in (('sum', torch.sum), ('mean', torch.mean),
                           ('max', torch.amax), ('min', torch.amin)):
        yield case(name, lambda x: function(x, (0, 1, 2)), [spread(2, 3, 4)], 1)
        for axis in (0, 1, -1):
            yield case(name, lambda x: function(x, axis), [spread(2, 3, 4)], 1,
                       integers=[axis, 1])
    yield case('argmax', lambda x: torch.argmax(x, 1), [spread(3, 4)], 0,
               integers=[1, 1])
    yield case('total', lambda *x: sum(x), [spread(2, 3) for _ in range(3)], 3)
    target = torch.softmax(spread(4, 6), -1)
    for factor in (1.0, 30.0):
        yield case('cross_entropy', F.cross_entropy,
                   [spread(4, 6) * factor, target], 1)
    yield from recurrent_cases()
    yield from vision_cases()
    yield from norm_cases()


def vision_cases():
    for x, w, stride, padding, dilation, groups in (
            ((1, 1, 12, 28), (4, 1, 3, 3), (1, 1), (1, 1), (1, 1), 1),
            ((1, 3, 9, 14), (5, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
            ((2, 4, 9, 11), (6, 2, 3, 2), (2, 1), (1, 2), (1, 2), 2),
            ((1, 3, 7, 8), (3, 1, 5, 3), (3, 2), (2, 0), (1, 1), 3),
            ((2, 5, 4, 6), (3, 5, 1, 1), (2, 2), (0, 0), (1, 1), 1)):
        inputs = [spread(*x), spread(*w), spread(w[0])]
        for count in (2, 3):
            yield case('conv2d', lambda *leaves: F.conv2d(
                *leaves, stride=stride, padding=padding, dilation=dilation,
                groups=groups), inputs[:count], count,
                integers=[*stride, *padding, *dilation, groups])
    yield case('channel_bias', lambda x, b: x + b.reshape(1, -1, 1, 1),
               [spread(2, 3, 4, 2), spread(3)], 2)
    for name, function in (('max_pool2d', F.max_pool2d),
                           ('avg_pool2d', F.avg_pool2d)):
        for x, kernel, stride, padding in (
                ((1, 2, 6, 28), (2, 2), (2, 2), (0, 0)),
                ((1, 2, 6, 14), (2, 2), (2, 2), (0, 0)),
                ((2, 2, 7, 9), (3, 3), (2, 1), (1, 1)),
                ((1, 2, 6, 5), (2, 3), (1, 2), (1, 0))):
            yield case(name, lambda x: function(x, kernel, stride, padding),
                       [spread(*x)], 1,
                       integers=[*kernel, *stride, *padding])


def norm_cases():
    for shape in ((4, 7), (2, 3, 33)):
        width = shape[-1]
        yield case('layer_norm', lambda x, g, b: F.layer_norm(
            x, (width,), g, b, 1e-5),
            [spread(*shape), spread(width), spread(width)], 3, [1e-5])
    for shape in ((6, 3), (4, 3, 5), (3, 2, 5, 4)):
        for training in (0., 1.):
            inputs = [spread(*shape), spread(shape[1]), spread(shape[1]),
                      spread(shape[1]), spread(shape[1], **POSITIVE),
                      torch.tensor(training)]
            yield case('batch_norm', lambda x, g, b, mean, variance, flag:
                       F.batch_norm(x, mean, variance, g, b, bool(flag), 0.1,
                                    1e-5), inputs, 3, [1e-5, 0.1])
    yield case('dropout', lambda x, flag: x * 1.0,
               [spread(3, 7), torch.tensor(0.)], 1, [0.5])
    for index in (torch.tensor([0., 3., 3., 1.]),
                  torch.tensor([[2., 0., 1.], [2., 2., 4.]])):
        yield case('embedding', lambda w, i: F.embedding(i.long(), w),
                   [spread(5, 3), index], 1)
    yield case('permute', lambda x: x.permute(0, 2, 1), [spread(2, 3, 4)], 1,
               integers=[0, 2, 1])
    yield case('permute', lambda x: x.permute(3, 1, 0, 2),
               [spread(2, 3, 1, 4)], 1, integers=[3, 1, 0, 2])
    mask = torch.tensor([[1., 0., 1.], [0., 1., 0.5]])
    yield case('masked', lambda a, b: torch.where(b != 0, a, torch.tensor(0.)),
               [spread(2, 3), mask], 1)
    yield case('detached', torch.Tensor.detach, [spread(2, 3)], 0)


def main():
    lines = [json.dumps(each) for each in cases()]
    sys.stdout.write('[\n' + ',\n'.join(lines) + '\n]\n')


if __name__ == '__main__':
    main()
