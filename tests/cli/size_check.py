#!/usr/bin/env python3
"""Large inputs with a budget of one second: each command must end by itself, soon
and without much memory. The deadline and the limit are far above what is needed,
and far below what time or memory that grows with the square of the size would
take."""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import large_inputs

DEADLINE_SECONDS = 120
MAX_BYTES = 1 << 30


def run(program, folder, words):
    """Returns the output; stops if it is late, too large or unsuccessful."""
    command = [program, *words, '--budget', '1s', '--progress', 'none']
    with tempfile.TemporaryDirectory() as out, \
            open(folder / 'output', 'w+', encoding='utf-8') as output:
        child = subprocess.Popen([*command, '--out', out + '/run'], cwd=folder,
                                 stdout=output, stderr=subprocess.STDOUT)
        timer = threading.Timer(DEADLINE_SECONDS, child.kill)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if child.returncode != 0:
        sys.exit(f'{words}: exit code {child.returncode}\n{text[-2000:]}')
    if usage.ru_maxrss * 1024 > MAX_BYTES:
        sys.exit(f'{words}: used {usage.ru_maxrss} KB')
    return text


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        large_inputs.write_wide(folder / 'wide.csv', 20_000, 100)
        large_inputs.write_tall(folder / 'tall.csv', 300_000)
        large_inputs.write_tall(folder / 'plain.csv', 100)
        large_inputs.write_classes(folder / 'classes.csv', 900, 5_000)
        large_inputs.write_categories(folder / 'words.csv', 30, 900, 2_000)
        large_inputs.write_series(folder / 'series.csv', 210_000)
        target = ['--target', 'y']
        notes = {
            ('fn', 'wide.csv'): 'the 100 of 20000 inputs that tell most',
            ('fn', 'tall.csv'): 'uses 100000 of the 300000 rows',
            ('net', 'wide.csv'): 'The 4096 of 20000 columns that tell most',
            ('net', 'wide.csv', '--grain', 'neuron'): 'The 500 of 20000',
            ('net', 'tall.csv'): '',
            ('net', 'classes.csv'): '',
            ('net', 'words.csv'): 'that tell most',
            ('net', 'series.csv', '--series'): 'The last 200000 of the 210000',
        }
        for (kind, file, *more), note in notes.items():
            text = run(program, folder, ['evolve', kind, file, *target, *more])
            if note not in text:
                sys.exit(f'{kind} {file}: "{note}" is missing in\n{text}')
        for form in large_inputs.DOUBLING:
            for lines in (60, 1_200):
                (folder / 'seed.py').write_text(
                    large_inputs.doubling_equation(form, lines))
                run(program, folder, ['evolve', 'fn', 'plain.csv', *target,
                                      '--seed-equation', 'seed.py'])
    return 0


if __name__ == '__main__':
    sys.exit(main())
