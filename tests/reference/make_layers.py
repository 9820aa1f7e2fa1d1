#!/usr/bin/python3
"""Writes layers.json: the results of PyTorch for each layer of lamarck/nn.

Run it by hand with Debian's python3-torch when a layer is added:

    tests/reference/make_layers.py > tests/reference/layers.json

A case has the layer's options and parameters (with our names, a Linear's weight
as [in, out]), the inputs, the weights by which the output is multiplied before it
is summed, the output, the gradients of that sum, and the running statistics
before and after.
"""
import json
import sys

import torch
from torch import nn

from make_operations import numbers, packed, spread


def rows(size):
    """Returns the conversion of a PyTorch matrix to our layout: transposed."""
    return lambda tensor: tensor.t() if size and tensor.dim() == 2 else tensor


def case(layer, module, options, inputs, call=None, training=True, names=None,
         transpose=False, differentiable=True):
    """`names` maps our name to PyTorch's name and the slice of it that we use."""
    module.train(training)
    ours = names or {key: (key, slice(None))
                     for key, _ in module.named_parameters()}
    turned = rows(transpose)
    parameters = dict(module.named_parameters())
    for parameter in parameters.values():
        parameter.data = spread(*parameter.shape, low=-0.8, high=0.9)
    buffers = {key: value for key, value in module.named_buffers()
               if 'tracked' not in key}
    for key, value in buffers.items():
        value.copy_(spread(*value.shape, low=0.3, high=1.5))
    before = {key: packed(value) for key, value in buffers.items()}
    leaves = [x.clone() for x in inputs]
    leaves[0].requires_grad_(differentiable)
    output = call(module, *leaves) if call else module(*leaves)
    weights = spread(*output.shape, low=0.1, high=1.0)
    (output * weights).sum().backward() if output.requires_grad else None
    part = {key: (turned(parameters[theirs].data[which]),
                  turned(parameters[theirs].grad[which]))
            for key, (theirs, which) in ours.items()}
    return {
        'layer': layer, 'options': options, 'training': training,
        'parameters': {key: packed(value) for key, (value, _) in part.items()},
        'buffers': before, 'inputs': [packed(x) for x in inputs],
        'weights': numbers(weights), 'output': packed(output),
        'input_gradient': numbers(leaves[0].grad) if differentiable else None,
        'parameter_gradients': {key: numbers(gradient)
                                for key, (_, gradient) in part.items()},
        'buffers_after': {key: packed(value) for key, value in buffers.items()},
    }


def convolutions():
    for channels, outputs, kernel, stride, padding, dilation, groups, bias in (
            (1, 3, (3, 3), (1, 1), (1, 1), (1, 1), 1, True),
            (4, 6, (3, 2), (2, 1), (1, 2), (1, 2), 2, True),
            (2, 3, (1, 1), (1, 1), (0, 0), (1, 1), 1, False)):
        module = nn.Conv2d(channels, outputs, kernel, stride, padding, dilation,
                           groups, bias)
        yield case('Conv2d', module, {
            'channels': channels, 'outputs': outputs, 'kernel': kernel,
            'stride': stride, 'padding': padding, 'dilation': dilation,
            'groups': groups, 'bias': bias}, [spread(2, channels, 7, 9)])
    for name, made in (('MaxPool2d', nn.MaxPool2d), ('AvgPool2d', nn.AvgPool2d)):
        for kernel, stride, padding in (((2, 2), (2, 2), (0, 0)),
                                        ((3, 2), (1, 2), (1, 1))):
            yield case(name, made(kernel, stride, padding), {
                'kernel': kernel, 'stride': stride, 'padding': padding},
                [spread(2, 2, 6, 8)])


def norms():
    for training in (True, False):
        yield case('BatchNorm', nn.BatchNorm2d(3), {'channels': 3},
                   [spread(4, 3, 3, 2)], training=training)
        yield case('BatchNorm', nn.BatchNorm1d(3), {'channels': 3},
                   [spread(5, 3)], training=training)
    yield case('LayerNorm', nn.LayerNorm(6), {'width': 6}, [spread(2, 3, 6)])
    yield case('Dropout', nn.Dropout(0.4), {'probability': 0.4},
               [spread(3, 5)], training=False)


def attentions():
    width, heads, places = 6, 2, 4
    names = {}
    for i, part in enumerate(('query', 'key', 'value')):
        which = slice(i * width, (i + 1) * width)
        names[part + '.weight'] = ('in_proj_weight', which)
        names[part + '.bias'] = ('in_proj_bias', which)
    names['out.weight'] = ('out_proj.weight', slice(None))
    names['out.bias'] = ('out_proj.bias', slice(None))
    hidden = torch.triu(torch.ones(places, places), 1).bool()
    padding = torch.tensor([[0., 0., 0., 1.], [0., 0., 1., 1.]])
    for causal in (False, True):
        for inputs in ([spread(2, places, width)],
                       [spread(2, places, width), padding]):
            def call(module, x, padded=None):
                return module(
                    x, x, x, attn_mask=hidden if causal else None,
                    key_padding_mask=None if padded is None else padded.bool(),
                    need_weights=False)[0]
            yield case('MultiHeadAttention',
                       nn.MultiheadAttention(width, heads, batch_first=True),
                       {'width': width, 'heads': heads, 'causal': causal},
                       inputs, call, names=names, transpose=True)


def cases():
    yield case('Linear', nn.Linear(5, 3), {'inputs': 5, 'outputs': 3},
               [spread(4, 5)], transpose=True)
    yield from convolutions()
    yield from norms()
    yield case('Embedding', nn.Embedding(5, 3), {'count': 5, 'width': 3},
               [torch.tensor([[0., 4., 1.], [1., 1., 2.]])],
               lambda module, x: module(x.long()), differentiable=False)
    yield from attentions()
    yield case('Sequential', nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.0), nn.Linear(18, 4)), {},
        [spread(3, 1, 6, 6)], transpose=True)


def main():
    lines = [json.dumps(each) for each in cases()]
    sys.stdout.write('[\n' + ',\n'.join(lines) + '\n]\n')


if __name__ == '__main__':
    main()
