#!/usr/bin/python3
"""Writes recurrent.json: the results of PyTorch's recurrent layers.

Run it by hand with Debian's python3-torch:

    tests/reference/make_recurrent.py > tests/reference/recurrent.json

A case has the layer, its sizes, its parameters with our names and layouts, the
input, the weights by which the hidden states are multiplied before they are
summed, the hidden states, the last states, and the gradients.
"""
import json
import sys

import torch

from make_operations import numbers, packed, spread

torch.manual_seed(2)
torch.set_num_threads(1)

FEATURES, HIDDEN, STEPS, BATCH = 7, 9, 6, 3
LAYERS = {'rnn': torch.nn.RNN, 'lstm': torch.nn.LSTM, 'gru': torch.nn.GRU}


def parameters(kind, layer, index, of):
    """Yields our parameters from `of` of PyTorch's: weights are transposed, and
    rnn and lstm have one bias."""
    def part(name):
        return of(getattr(layer, f'{name}_l{index}'))
    yield 'input_weight', part('weight_ih').t()
    yield 'hidden_weight', part('weight_hh').t()
    if kind == 'gru':
        yield 'input_bias', part('bias_ih')
        yield 'hidden_bias', part('bias_hh')
    elif of is gradient:  # Both biases have the same gradient as their sum.
        yield 'bias', part('bias_ih')
    else:
        yield 'bias', part('bias_ih') + part('bias_hh')


def gradient(parameter):
    return parameter.grad


def value(parameter):
    return parameter


def case(kind, layers):
    layer = LAYERS[kind](FEATURES, HIDDEN, layers)
    x = spread(STEPS, BATCH, FEATURES).requires_grad_(True)
    hidden, last = layer(x)
    weights = spread(*hidden.shape, low=0.1, high=1.0)
    (hidden * weights).sum().backward()
    last = last[0] if kind == 'lstm' else last
    named = [(f'layer.{i}.{name}', tensor, gradients)
             for i in range(layers)
             for (name, tensor), (_, gradients) in zip(
                 parameters(kind, layer, i, value),
                 parameters(kind, layer, i, gradient))]
    return {
        'layer': kind, 'layers': layers, 'hidden_size': HIDDEN,
        'x': packed(x), 'weights': numbers(weights),
        'parameters': {name: packed(tensor) for name, tensor, _ in named},
        'hidden': numbers(hidden), 'last': [numbers(h) for h in last],
        'x_gradient': numbers(x.grad),
        'gradients': {name: numbers(found) for name, _, found in named},
    }


def main():
    lines = [json.dumps(case(kind, layers))
             for kind in LAYERS for layers in (1, 2)]
    sys.stdout.write('[\n' + ',\n'.join(lines) + '\n]\n')


if __name__ == '__main__':
    main()
