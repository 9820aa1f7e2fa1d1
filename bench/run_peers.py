#!/usr/bin/env python3
"""Compares us with the peers, measured one after the other in one run, and
prints ratios: above 1 we are faster. `make bench-peers` installs the peers.

Each comparison runs rounds of both sides in turn and takes the best of each, so
that a busy machine disturbs both alike.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / 'build' / 'bench' / 'bench'
ROUNDS = 3

# Nanoseconds for one number when numpy draws them singly would compare Python
# with C++; arrays are what its users draw, so arrays it is.
NUMPY = '''
import json, time, numpy
rng = numpy.random.default_rng(1)
n = 1_000_000
def best(draw):
    times = []
    for _ in range(5):
        start = time.perf_counter(); draw(); times.append(time.perf_counter() - start)
    return min(times) / n * 1e9
print(json.dumps({
    "BM_RngBits": best(lambda: rng.bit_generator.random_raw(n)),
    "BM_RngNormal": best(lambda: rng.standard_normal(n)),
    "BM_RngBelow": best(lambda: rng.integers(0, 1000, n, dtype=numpy.uint64)),
}))
'''


def ours(pattern):
    """Nanoseconds for each benchmark that matches."""
    done = subprocess.run(
        [BENCH / 'base_bench', f'--benchmark_filter={pattern}',
         '--benchmark_format=json', '--benchmark_min_time=0.1'],
        capture_output=True, text=True, check=True)
    return {row['name']: row['cpu_time']
            for row in json.loads(done.stdout)['benchmarks']}


def numpy():
    done = subprocess.run(['/usr/bin/python3', '-c', NUMPY],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main():
    best_ours, best_peer = {}, {}
    for _ in range(ROUNDS):
        for best, measured in ((best_ours, ours('BM_Rng')), (best_peer, numpy())):
            for name, nanoseconds in measured.items():
                best[name] = min(nanoseconds, best.get(name, nanoseconds))
    print(f'{"one random number":24}{"ours":>10}{"numpy":>10}{"ratio":>8}')
    for name, peer in best_peer.items():
        own = best_ours[name]
        print(f'{name:24}{own:8.2f}ns{peer:8.2f}ns{peer / own:8.2f}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
