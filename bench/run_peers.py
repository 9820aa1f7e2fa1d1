#!/usr/bin/env python3
"""Compares our random numbers with numpy's; networks are bench/graph_bench's.
Installs and builds what it needs.

    bench/run_peers.py [--json]   # a line {"name", "ours_us", "peer_us", "ratio"}
                                  # for each; ratio is our time by theirs
"""
import json
import sys

import side_by_side

# Nanoseconds for one number when numpy draws them singly would compare Python
# with C++; arrays are what its users draw, so arrays it is.
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


def main():
    side_by_side.prepare()
    rows = side_by_side.best_of_rounds(
        lambda: side_by_side.ours('base_bench', 'BM_Rng'),
        lambda: side_by_side.peer(['/usr/bin/python3', '-c', NUMPY]))
    if '--json' in sys.argv:
        print('\n'.join(map(json.dumps, rows)))
    else:
        print('\n'.join(['Against numpy:', side_by_side.heading(),
                         *map(side_by_side.line, rows)]))
    return 0


if __name__ == '__main__':
    sys.exit(main())
