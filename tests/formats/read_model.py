#!/usr/bin/env python3
"""Prints the contents of a model file, following docs/formats/model.md."""
import hashlib
import json
import math
import struct
import sys

data = open(sys.argv[1], 'rb').read()
magic, version, _, header_size = struct.unpack_from('<8sIIQ', data)
assert magic == b'LAMARCK\n' and version == 1, 'The file must be a model of version 1.'
assert hashlib.sha256(data[:-64]).hexdigest() == data[-64:].decode(), 'The checksum does not match.'
header = json.loads(data[24:24 + header_size])
start = math.ceil((24 + header_size) / 64) * 64


def tensor(number):
    shape, offset = map(header['tensors'][number].get, ('shape', 'offset'))
    values = struct.unpack_from(f'<{math.prod(shape)}f', data, start + offset)
    return ' '.join([str(shape), *('%.9g' % value for value in values)])


for number, node in enumerate(header['graph']['nodes']):
    words = [str(number), node.get('operation') or node['kind'], node.get('name', '-')]
    words += [f'reads {node["inputs"]}'] if 'inputs' in node else [tensor(node['value'])]
    words += [f'starts with {tensor(node["initial"])}'] if 'initial' in node else []
    words += [f'{field} {node[field]}' for field in (
        'numbers', 'integers', 'shape', 'follows', 'requires_gradient', 'detached') if field in node]
    print(' '.join(words))
for name, number in header['extras'].items():
    print('extra', name, tensor(number))
for name, text in header['notes'].items():
    print('note', name, text)
