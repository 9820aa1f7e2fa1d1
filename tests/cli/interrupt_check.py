#!/usr/bin/env python3
"""Sends Ctrl-C to the program at many moments of its life: it must end at once,
done or interrupted, and never crash, hang or leave anything behind."""
import signal
import subprocess
import sys
import tempfile
import time

# What a shell may see: done, interrupted, or interrupted so early that the
# program had not begun to listen.
CLEAN = {0, 130, -signal.SIGINT}

# Each with the milliseconds between one moment and the next; what works longer
# is also met at work.
COMMANDS = (
    (['doctor'], 2), (['doctor', '--json'], 2), (['manual'], 2),
    (['completion', 'bash'], 2), (['--help'], 2),
    (['neat', 'xor', '--seeds', '100000', '--progress', 'none'], 25),
)


def interrupt_after(program, command, seconds, times):
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen(
            [program, *command], cwd=folder, env={'HOME': folder},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(seconds)
        for _ in range(times):
            child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    return child.returncode, errors


def main():
    program = sys.argv[1]
    seen = {}
    for command, milliseconds in COMMANDS:
        for step in range(12):
            for times in (1, 2):
                after = step * milliseconds
                code, errors = interrupt_after(program, command, after / 1000,
                                               times)
                seen[code] = seen.get(code, 0) + 1
                is_clean = code in CLEAN and len(errors.splitlines()) <= 1
                if not is_clean:
                    print(f'{command} after {after} ms, {times} signals: '
                          f'exit {code}\n{errors}')
                    return 1
    print(f'Exit codes and how often: {seen}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
