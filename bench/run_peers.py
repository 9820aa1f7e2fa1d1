#!/usr/bin/env python3
"""Compares us with the peers, measured one after the other in one run, and
prints ratios: above 1 we are faster. `make bench-peers` installs the peers.

    bench/run_peers.py [--json]   # a line {"name", "ours_us", "peer_us", "ratio"}
                                  # for each comparison

Each comparison runs rounds of both sides in turn and takes the best of each, so
that a busy machine disturbs both alike.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / 'build' / 'bench' / 'bench'
ROUNDS = 3

# Nanoseconds for one number when numpy draws them singly would compare Python
# with C++; arrays are what its users draw, so arrays it is.
NUMPY = '''
import time, numpy
rng = numpy.random.default_rng(1)
n = 1_000_000
def best(draw):
    times = []
    for _ in range(5):
        start = time.perf_counter(); draw(); times.append(time.perf_counter() - start)
    return min(times) / n * 1e9
print("BM_RngBits", best(lambda: rng.bit_generator.random_raw(n)))
print("BM_RngNormal", best(lambda: rng.standard_normal(n)))
print("BM_RngBelow", best(lambda: rng.integers(0, 1000, n, dtype=numpy.uint64)))
'''


def ours(program, pattern):
    """Nanoseconds for each benchmark of ours that matches."""
    done = subprocess.run(
        [BENCH / program, f'--benchmark_filter={pattern}',
         '--benchmark_format=json', '--benchmark_min_time=0.1'],
        capture_output=True, text=True, check=True)
    unit = {'ns': 1, 'us': 1e3, 'ms': 1e6}
    return {row['name']: row['cpu_time'] * unit[row['time_unit']]
            for row in json.loads(done.stdout)['benchmarks']}


def peer(command, environment=None):
    """Nanoseconds from a peer's lines "NAME NANOSECONDS"."""
    done = subprocess.run(command, capture_output=True, text=True, check=True,
                          env={**os.environ, **(environment or {})})
    return {name: float(value) for name, value in
            (line.split() for line in done.stdout.splitlines())}


def build_libtorch():
    folder = ROOT / 'build' / 'peers'
    folder.mkdir(parents=True, exist_ok=True)
    source = ROOT / 'bench' / 'peers' / 'libtorch_training.cc'
    program = folder / 'libtorch_training'
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        print('Building the LibTorch peer ...', file=sys.stderr)
        subprocess.run(
            ['g++', '-std=c++17', '-O2', '-w', source, '-o', program,
             '-I/usr/include/torch/csrc/api/include',
             '-ltorch', '-ltorch_cpu', '-lc10'], check=True)
    return program


def openblas_folder():
    """Debian's LibTorch takes whatever libblas.so.3 it finds first, and the
    reference one is many times slower: give it OpenBLAS."""
    for path in sorted(pathlib.Path('/usr/lib').glob('*/openblas-serial')):
        return {'LD_LIBRARY_PATH': str(path), 'OMP_NUM_THREADS': '1'}
    return {}


def main():
    libtorch = build_libtorch()
    comparisons = [
        ('numpy', lambda: ours('base_bench', 'BM_Rng'),
         lambda: peer(['/usr/bin/python3', '-c', NUMPY])),
        ('LibTorch', lambda: ours('optim_bench', 'AdamStep'),
         lambda: peer([libtorch], openblas_folder())),
    ]
    if '--json' not in sys.argv:
        print(f'{"":20}{"peer":>10}{"ours":>12}{"theirs":>12}{"ratio":>9}')
    for name_of_peer, run_ours, run_peer in comparisons:
        best_ours, best_peer = {}, {}
        for _ in range(ROUNDS):
            for best, run in ((best_ours, run_ours), (best_peer, run_peer)):
                for name, value in run().items():
                    best[name] = min(value, best.get(name, value))
        for name, theirs in best_peer.items():
            own = best_ours[name]
            if '--json' in sys.argv:
                print(json.dumps({'name': name, 'ours_us': own / 1e3,
                                  'peer_us': theirs / 1e3,
                                  'ratio': theirs / own}))
            else:
                print(f'{name:20}{name_of_peer:>10}{own / 1e3:10.4g}us'
                      f'{theirs / 1e3:10.4g}us{theirs / own:9.2f}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
