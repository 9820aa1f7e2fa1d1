#!/usr/bin/env python3
"""folder_lock_check.py PROGRAM: a folder is used by one run at a time.

A second run into the folder is refused while the first one lives, whatever
their kinds, and the lock of a killed run is no obstacle.
"""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

DEADLINE_S = 120
TABLE = 'x,y\n' + ''.join(f'{i},{i * i % 17}\n' for i in range(40))


def start(program, folder, words):
    return subprocess.Popen(
        [program, *words, '--progress', 'none'], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_until_running(child, folder):
    limit = time.monotonic() + DEADLINE_S
    while not (folder / 'run.json').exists():
        assert child.poll() is None, child.communicate()[1]
        assert time.monotonic() < limit, f'{folder} was not created'
        time.sleep(0.02)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'table.csv').write_text(TABLE)
        data = ['table.csv', '--target', 'y', '--out', 'run']
        for kind in ('net', 'fn'):
            begin = ['evolve', kind, *data, '--budget', '600s', '--force']
            first = start(program, folder, begin)
            wait_until_running(first, folder / 'run')
            for words in (begin, ['evolve', kind, '--resume', 'run'],
                          ['neat', 'xor', '--out', 'run', '--force']):
                second = start(program, folder, words)
                errors = second.communicate(timeout=DEADLINE_S)[1]
                assert second.returncode == 1, (words, second.returncode, errors)
                assert errors == (
                    f'lamarck: run is in use by another run (process {first.pid}); '
                    'wait until it ends, or choose another folder with --out.\n'
                ), errors
            first.send_signal(signal.SIGKILL)
            first.communicate(timeout=DEADLINE_S)
            again = start(program, folder, [*begin[:-3], '--budget', '200eval',
                                            '--force'])
            errors = again.communicate(timeout=DEADLINE_S)[1]
            assert again.returncode == 0, errors
            assert errors == 'lamarck: Replacing the earlier run in run.\n', errors
            (folder / 'run' / 'run.json').unlink()
    return 0


if __name__ == '__main__':
    sys.exit(main())
