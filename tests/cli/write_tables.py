#!/usr/bin/env python3
"""Writes small realistic tables, valid and invalid, to the current folder: quotes,
semicolons, missing values, ids, rare classes, series."""
import math
import pathlib
import random

RNG = random.Random(1)


def write(name, rows, delimiter=',', end='\n', begin=''):
    text = ''.join(delimiter.join(map(str, row)) + end for row in rows)
    pathlib.Path(name).write_bytes((begin + text).encode())


def points(count):
    return [(round(RNG.uniform(-1, 1), 3), round(RNG.uniform(-1, 1), 3))
            for _ in range(count)]


def good_tables():
    write('quotes.csv', [('"width, cm"', '"kind ""of"" thing"'),
                         *((x, '"in, side"' if x > 0 else 'outside')
                           for x, _ in points(80))])
    write('windows.csv', [('größe', 'länge', 'ziel'),
                          *(tuple(str(v).replace('.', ',')
                                  for v in (a, b, round(3 * a - b, 3)))
                            for a, b in points(80))],
          delimiter=';', end='\r\n', begin='\ufeff')
    write('messy.csv', [('id', 'always', 'never', 'colour', 'x', 'count'),
                        *((i + 1, 7, '', 'red' if a > 0 else 'blue',
                           b if i % 7 else 'NA',
                           round(20 + 9 * (a > 0) + 8 * b))
                          for i, (a, b) in enumerate(points(120)))])
    write('rare.csv', [('a', 'b', 'fraud'),
                       *((a, b, 'yes' if a > 0.85 else 'no')
                         for a, b in points(400))])
    write('many.csv', [('a', 'kind'),
                       *((round(i % 12 + RNG.uniform(-.2, .2), 3),
                          f'kind_{i % 12}') for i in range(240))])
    write('wave.csv', [('y',), *((round(10 + 3 * math.sin(0.4 * i), 4),)
                                 for i in range(200))])


def bad_tables():
    write('empty.csv', [])
    write('header.csv', [('a', 'y')])
    write('few.csv', [('a', 'y'), (1, 2.5), (2, 3.5)])
    write('one_class.csv', [('a', 'y'), *((a, 'same') for a, _ in points(20))])
    write('no_target.csv', [('a', 'y'), *((a, '') for a, _ in points(20))])
    write('only_target.csv', [('y',), *((a,) for a, _ in points(20))])
    write('huge.csv', [('a', 'y'), *((a * 3e38, b) for a, b in points(60))])
    write('beyond.csv', [('a', 'y'), *((a * 1e300, b) for a, b in points(60))])
    write('ragged.csv', [('a', 'y'), (1, 2), (1, 2, 3)])


if __name__ == '__main__':
    good_tables()
    bad_tables()
