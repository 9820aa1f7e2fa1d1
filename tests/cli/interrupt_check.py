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
    for command in (['doctor'], ['doctor', '--json'], ['manual'],
                    ['completion', 'bash'], ['--help'],
                    ['neat', 'xor', '--seeds', '1000'],
                    ['neat', 'double-pole-no-velocity']):
        for step in range(12):
            for times in (1, 2):
                code, errors = interrupt_after(program, command,
                                               step * 0.002, times)
                seen[code] = seen.get(code, 0) + 1
                is_clean = code in CLEAN and len(errors.splitlines()) <= 1
                if not is_clean:
                    print(f'{command} after {step * 2} ms, {times} signals: '
                          f'exit {code}\n{errors}')
                    return 1
    print(f'Exit codes and how often: {seen}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
