#!/usr/bin/env python3
"""Sends Ctrl-C to the program at many moments: it must end at once, finished or
interrupted, without a crash, a hang or more than one line of errors."""
import signal
import subprocess
import sys
import tempfile
import time

# Allowed exit codes: finished, interrupted, or killed by the signal before the
# program installed its handler.
CLEAN = {0, 130, -signal.SIGINT}

# Commands with the milliseconds between interrupts; the step is longer for long
# commands, so that they are also interrupted while they work.
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
    print(f'Exit codes and their counts: {seen}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
