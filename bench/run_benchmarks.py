#!/usr/bin/env python3
"""Runs every benchmark in build/bench and prints the ratios of bench/ratios.txt,
all measured in this run; above 1 we are faster.

    bench/run_benchmarks.py [FLAGS...]   # for Google Benchmark, such as
                                         # --benchmark_filter=Rng
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(program, flags):
    """Shows the program's table and returns nanoseconds by name."""
    with tempfile.NamedTemporaryFile(suffix='.json') as out:
        subprocess.run([program, '--benchmark_min_time=0.1',
                        f'--benchmark_out={out.name}', *flags], check=True,
                       stderr=subprocess.DEVNULL)
        text = pathlib.Path(out.name).read_text(encoding='utf-8')
    rows = json.loads(text)['benchmarks'] if text else []
    # Benchmarks with threads are compared by wall time.
    return {row['name'].removesuffix('/real_time'):
            row['real_time' if row['name'].endswith('real_time') else 'cpu_time']
            for row in rows}


def main():
    times = {}
    for program in sorted((ROOT / 'build/bench/bench').glob('*_bench')):
        times.update(run(program, sys.argv[1:]))
    print()
    for line in (ROOT / 'bench/ratios.txt').read_text(encoding='utf-8').splitlines():
        line = line.split('#')[0].strip()
        if not line:
            continue
        ours, theirs, label = line.split(maxsplit=2)
        if ours in times and theirs in times:
            print(f'{label:52}{times[theirs] / times[ours]:6.2f} x')
    return 0


if __name__ == '__main__':
    sys.exit(main())
