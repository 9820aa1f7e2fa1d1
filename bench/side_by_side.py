"""Measures Lamarck and a peer in one run; shared by bench/run_peers.py and
bench/graph_bench.

Both sides alternate for some rounds and the best of each counts, so that a busy
machine affects both equally. A ratio is our time divided by theirs: below 1 we
are faster.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / 'build' / 'bench' / 'bench'
PEERS = ROOT / 'build' / 'peers'
ROUNDS = 3
# One thread. Freed memory stays with the process, as after loading data;
# otherwise page faults would be a third of LibTorch's steps.
ENVIRONMENT = {'OMP_NUM_THREADS': '1', 'MALLOC_MMAP_THRESHOLD_': '100000000',
               'MALLOC_TRIM_THRESHOLD_': '100000000'}


def prepare():
    """Installs and builds both sides; quick if everything is there."""
    for command in (['tools/install-deps', 'build', 'bench', 'peers'],
                    ['tools/build', 'bench']):
        subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)


def run(command, environment=None):
    """Returns what the command prints."""
    done = subprocess.run(command, capture_output=True, text=True,
                          env={**os.environ, **ENVIRONMENT, **(environment or {})})
    if done.returncode != 0:
        sys.exit(f'{command[0]} failed: {done.stderr.strip()}')
    return done.stdout


def ours(program, pattern):
    """Returns CPU nanoseconds of our benchmarks that match: the best of ten
    repetitions, as for the peers."""
    text = run([BENCH / program, f'--benchmark_filter={pattern}',
                '--benchmark_format=json', '--benchmark_min_time=0.03',
                '--benchmark_repetitions=10'])
    unit = {'ns': 1, 'us': 1e3, 'ms': 1e6}
    times = {}
    for row in json.loads(text)['benchmarks']:
        if row['run_type'] == 'iteration':
            name = row['run_name'].removesuffix('/process_time')
            time = row['cpu_time'] * unit[row['time_unit']]
            times[name] = min(time, times.get(name, time))
    return times


def peer(command, environment=None):
    """Returns nanoseconds from a peer's lines "NAME NANOSECONDS"."""
    return {name: float(value) for name, value in
            (line.split() for line in run(command, environment).splitlines())}


def libtorch(name):
    """Builds bench/peers/NAME.cc if needed and returns its path."""
    PEERS.mkdir(parents=True, exist_ok=True)
    source = ROOT / 'bench' / 'peers' / f'{name}.cc'
    program = PEERS / name
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        print(f'Building {source.relative_to(ROOT)} ...', file=sys.stderr)
        subprocess.run(
            ['g++', '-std=c++17', '-O2', '-w', source, '-o', program,
             '-I/usr/include/torch/csrc/api/include',
             '-ltorch', '-ltorch_cpu', '-lc10'], check=True)
    return program


def openblas_environments():
    """Environments for LibTorch, of which the faster one counts.

    Debian's LibTorch loads the first libblas.so.3 it finds, and the reference
    BLAS is many times slower, so the folder of OpenBLAS comes first. OpenBLAS
    selects kernels by the CPU's model and may not know this one; the second
    environment selects them by the CPU's features."""
    for path in sorted(pathlib.Path('/usr/lib').glob('*/openblas-serial/libblas.so.3')):
        folder = {'LD_LIBRARY_PATH': str(path.parent)}
        return [folder, {**folder, 'OPENBLAS_CORETYPE': openblas_kernels()}]
    sys.exit('OpenBLAS for LibTorch is missing; run tools/install-deps peers.')


def openblas_kernels():
    """OpenBLAS's name for the best kernels that this CPU can run."""
    text = pathlib.Path('/proc/cpuinfo').read_text(encoding='utf-8')
    flags = set(re.search(r'^flags\s*:(.*)$', text, re.M)[1].split())
    for needed, name in (({'avx512f', 'avx512bw', 'avx512dq', 'avx512vl'}, 'SkylakeX'),
                         ({'avx2', 'fma'}, 'Haswell'), ({'avx'}, 'Sandybridge')):
        if needed <= flags:
            return name
    return 'Nehalem'


def best_of(measurements):
    """Returns the minimum for each name."""
    best = {}
    for measured in measurements:
        for name, value in measured.items():
            best[name] = min(value, best.get(name, value))
    return best


def best_of_rounds(run_ours, run_peer):
    """Returns rows {"name", "ours_us", "peer_us", "ratio"} for all benchmarks."""
    best_ours, best_peer = {}, {}
    for _ in range(ROUNDS):
        for best, measure in ((best_ours, run_ours), (best_peer, run_peer)):
            for name, value in measure().items():
                best[name] = min(value, best.get(name, value))
    return [row(name, best_ours[name] / 1e3, theirs / 1e3)
            for name, theirs in best_peer.items()]


def row(name, ours_us, peer_us):
    return {'name': name, 'ours_us': ours_us, 'peer_us': peer_us,
            'ratio': ours_us / peer_us}


def microseconds(value):
    return f'{value:.4g} us' if value < 1e6 else f'{value / 1e6:.4g} s'


def heading(*more):
    cells = [f'{"":22}', f'{"ours":>12}', f'{"theirs":>12}', f'{"ratio":>9}']
    return ''.join(cells + [f'{cell:>9}' for cell in more]).rstrip()


def line(measured, *more):
    cells = [f'{measured["name"]:22}', f'{microseconds(measured["ours_us"]):>12}',
             f'{microseconds(measured["peer_us"]):>12}',
             f'{measured["ratio"]:9.3f}']
    return ''.join(cells + [f'{cell:>9}' for cell in more])
