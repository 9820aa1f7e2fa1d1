#!/usr/bin/env python3
"""Interrupts commands on large inputs at many moments, so that each phase is hit:
reading, encoding, screening, setup, training, polishing and writing. One signal
must end the command, and two must end it at once. The deadlines are far above
what is needed; without an interrupt, the commands would run for an hour."""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import large_inputs

DEADLINE_SECONDS = 30
MOMENTS = (0.1, 0.5, 1.5)
# Ended by the handler, or by the signal before it was installed. A command that
# has its results when the signal arrives may also be done.
CODES = {signal.SIGINT: {0, 130, -2}, signal.SIGTERM: {0, 143, -15}}


def interrupt(program, folder, words, seconds, signals):
    with tempfile.TemporaryDirectory() as out:
        child = subprocess.Popen(
            [program, *words, '--progress', 'none'] +
            (['--out', out + '/run', '--budget', '3600s']
             if words[0] == 'evolve' else []),
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True)
        time.sleep(seconds)
        for number in signals:
            child.send_signal(number)
        try:
            _, errors = child.communicate(timeout=DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            sys.exit(f'{words}: still runs {DEADLINE_SECONDS} s after '
                     f'{signals}, sent after {seconds} s')
    codes = CODES[signals[0]]
    if child.returncode not in codes or len(errors.splitlines()) > 1:
        sys.exit(f'{words}: {signals} after {seconds} s: exit code '
                 f'{child.returncode}\n{errors}')


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        large_inputs.write_wide(folder / 'wide.csv', 20_000, 100)
        large_inputs.write_tall(folder / 'tall.csv', 300_000)
        large_inputs.write_tall(folder / 'plain.csv', 100)
        large_inputs.write_classes(folder / 'classes.csv', 900, 10_000)
        (folder / 'seed.py').write_text(
            large_inputs.doubling_equation(large_inputs.DOUBLING[3], 1_200))
        subprocess.run([program, 'evolve', 'fn', 'plain.csv', '--target', 'y',
                        '--budget', '20000eval', '--out', 'law', '--progress',
                        'none'], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        target = ['--target', 'y']
        commands = [
            ['evolve', 'net', 'wide.csv', *target],
            ['evolve', 'net', 'tall.csv', *target],
            ['evolve', 'net', 'classes.csv', *target],
            ['evolve', 'fn', 'wide.csv', *target],
            ['evolve', 'fn', 'tall.csv', *target],
            ['evolve', 'fn', 'tall.csv', *target, '--seed-equation', 'seed.py'],
            ['replay', 'law'],
        ]
        for words in commands:
            for seconds in MOMENTS:
                interrupt(program, folder, words, seconds, [signal.SIGINT])
            interrupt(program, folder, words, 0.7, [signal.SIGTERM])
            interrupt(program, folder, words, 0.7, 2 * [signal.SIGINT])
    return 0


if __name__ == '__main__':
    sys.exit(main())
