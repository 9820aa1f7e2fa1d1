#!/usr/bin/env python3
"""Writes small tables that follow a law, and some invalid ones, to the current
folder."""
import math
import pathlib
import random

RNG = random.Random(3)


def write(name, header, rows):
    lines = [header, *(','.join(map(str, row)) for row in rows)]
    pathlib.Path(name).write_text('\n'.join(lines) + '\n', encoding='utf-8')


def points(count, low, high):
    return [(RNG.uniform(low, high), RNG.uniform(low, high))
            for _ in range(count)]


def main():
    write('line.csv', 'x,y', [(x, 2 * x + 1) for x in range(20)])
    write('far.csv', 'y,x,other', [(2 * x + 1, x, 0) for x in range(50, 60)])
    write('waves.csv', 'a,b,y', [(a, b, 3 * math.sin(a) + b * b)
                                 for a, b in points(50, -2, 2)])
    write('units.csv', 'v (m/s),lambda,größe,E', [
        (v, m, 1, 0.5 * m * v * v) for v, m in points(30, 1, 3)])
    write('header.csv', 'x,y', [])
    write('one.csv', 'x,y', [(1, 2)])
    write('gap.csv', 'x,y', [(1, 2), ('', 3), (4, 5)])
    write('nan.csv', 'x,y', [(1, 2), (2, 'nan'), (4, 5)])
    write('flat.csv', 'x,y', [(x, 7) for x in range(9)])
    write('words.csv', 'name,y', [(f'word {x}', x) for x in range(30)])
    write('mixed.csv', 'name,x,y', [(f'n{x}', x, 3 * x) for x in range(30)])
    pathlib.Path('empty.csv').write_text('')


if __name__ == '__main__':
    main()
