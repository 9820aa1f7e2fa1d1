#!/usr/bin/env python3
"""Compares our random numbers and formulas with numpy's, and our fits with
scipy's; bench/graph_bench compares networks. Installs and builds what it needs.

    bench/run_peers.py [--json]   # a line {"name", "ours_us", "peer_us", "ratio"}
                                  # for each; ratio is our time divided by theirs

The line of a fit also has the error that each side reached, {"ours_nmse",
"peer_nmse"}: the peer starts from ones, like BM_FitOscillator, while
BM_FitFromData draws its own starts.
"""
import json
import sys

import side_by_side

# numpy draws arrays, as its users do: drawing single numbers would compare Python
# with C++.
NUMPY = '''
import time, numpy
rng = numpy.random.default_rng(1)
n = 1_000_000
def best(draw):
    times = []
    for _ in range(10):
        start = time.process_time(); draw(); times.append(time.process_time() - start)
    return min(times) / n * 1e9
print("BM_RngBits", best(lambda: rng.bit_generator.random_raw(n)))
print("BM_RngNormal", best(lambda: rng.standard_normal(n)))
print("BM_RngBelow", best(lambda: rng.integers(0, 1000, n, dtype=numpy.uint64)))
'''

SCIPY = ['/usr/bin/python3', side_by_side.ROOT / 'bench/peers/scipy_fit.py']


def numpy_rows():
    return side_by_side.best_of_rounds(
        lambda: side_by_side.ours('base_bench', 'BM_Rng'),
        lambda: side_by_side.peer(['/usr/bin/python3', '-c', NUMPY]))


def fit_errors():
    """Returns the NMSE of each of our fits."""
    text = side_by_side.run([side_by_side.BENCH / 'formula_bench',
                             '--benchmark_filter=BM_Fit',
                             '--benchmark_format=json',
                             '--benchmark_min_time=0.01'])
    return {row['run_name']: row['nmse']
            for row in json.loads(text)['benchmarks'] if 'nmse' in row}


def formula_rows():
    rows = side_by_side.best_of_rounds(
        lambda: side_by_side.ours('formula_bench', 'BM_Fit|BM_FormulaValues'),
        lambda: side_by_side.peer(SCIPY))
    ours, theirs = fit_errors(), side_by_side.peer([*SCIPY, '--error'])
    for row in rows:
        if row['name'] in theirs:
            row.update(ours_nmse=ours[row['name']], peer_nmse=theirs[row['name']])
    return rows


def shown(row):
    if 'ours_nmse' not in row:
        return side_by_side.line(row)
    errors = (f'{row[side]:.1e}' for side in ('ours_nmse', 'peer_nmse'))
    return side_by_side.line(row, *errors)


def main():
    side_by_side.prepare()
    numbers, formulas = numpy_rows(), formula_rows()
    if '--json' in sys.argv:
        print('\n'.join(map(json.dumps, numbers + formulas)))
        return 0
    print('\n'.join(['Random numbers, compared with numpy:', side_by_side.heading(),
                     *map(shown, numbers), '',
                     'Formulas, compared with numpy and scipy:',
                     side_by_side.heading('nmse', 'theirs'),
                     *map(shown, formulas)]))
    return 0


if __name__ == '__main__':
    sys.exit(main())
