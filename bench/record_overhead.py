#!/usr/bin/env python3
"""record_overhead.py LAMARCK [PAIRS]: what recording a run costs.

Runs the same evolutions with and without a record in the journal, in turns, and
prints the ratio of the CPU time of the whole process and of the time that the
evolution itself took. The budgets are counts, so both do the same work.
"""
import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

LAMARCK = sys.argv[1]
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 8


def write_tables(folder):
    rows = [(a, b) for a in (0, 1) for b in (0, 1)] * 25
    (folder / 'xor.csv').write_text('a,b,y\n' + ''.join(
        f'{a + 0.001 * i},{b - 0.001 * i},{"yes" if a != b else "no"}\n'
        for i, (a, b) in enumerate(rows)))
    lines = ['t,x,v,a']
    x, v = 1.0, 0.0
    for i in range(400):
        a = -2.1 * x - 0.3 * v + 0.5 * math.sin(0.1 * i)
        lines.append(f'{0.1 * i},{x},{v},{a}')
        v += 0.1 * a
        x += 0.1 * v
    (folder / 'oscillator.csv').write_text('\n'.join(lines) + '\n')


CASES = {
    'xor (evolve net)': ['evolve', 'net', 'xor.csv', '--target', 'y', '--grain', 'neuron',
                         '--goal', '2', '--budget', '1500gen'],
    'oscillator (evolve fn)': ['evolve', 'fn', 'oscillator.csv', '--target', 'a',
                               '--functions', 'sin', '--budget', '60000eval'],
}


def run(folder, words, record):
    """CPU seconds of the process, and seconds of the evolution."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([LAMARCK, *words, '--json', '--progress', 'none', '--runs-record', record,
                           '--out', 'out', '--force'], cwd=folder, check=True,
                          capture_output=True, text=True,
                          env={**os.environ, 'HOME': str(folder)})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, json.loads(done.stdout)['seconds']


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_tables(folder)
        for case, words in CASES.items():
            run(folder, words, 'on')
            pairs = [(run(folder, words, 'on'), run(folder, words, 'off')) for _ in range(PAIRS)]
            cpu = statistics.median(on[0] / off[0] for on, off in pairs)
            wall = statistics.median(on[1] / off[1] for on, off in pairs)
            print(f'{case}: recorded / not recorded = {cpu:.3f} CPU time, {wall:.3f} evolution '
                  f'time ({pairs[0][1][0]:.2f} s CPU, {PAIRS} pairs)')


if __name__ == '__main__':
    main()
