"""Runs commands and compares their output with the expected output.

    $ lamarck --version
    lamarck 0.1.0
    $ lamarck docter
    ! lamarck: Unknown command 'docter'; did you mean 'doctor'? ...
    ? 2

A line after `$ ` is a shell command. The lines it prints follow; lines on
standard error start with `! `, and the exit code with `? ` if it is not 0. In an
expected line, `...` matches any text; a line of only `...` matches any number of
lines.
"""
import os
import pathlib
import re
import subprocess
import tempfile

SECONDS = 240  # Per command.
# Commands find test files below $TESTS.
TESTS = pathlib.Path(__file__).resolve().parent.parent / 'tests'


def split_steps(lines):
    """Yields (command, expected lines)."""
    command, expected = None, []
    for line in lines:
        if line.startswith('$ '):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        elif command is not None:
            expected.append(line)
    if command is not None:
        yield command, expected


def run_step(command, folder, programs):
    """Returns the output of the command in the form of a transcript."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(('LAMARCK_', 'OPENAI_', 'XDG_'))}
    environment.update(HOME=folder, LC_ALL='C.UTF-8', TESTS=str(TESTS),
                       PATH=f'{programs}:{environment["PATH"]}')
    done = subprocess.run(['bash', '-c', command], cwd=folder,
                          env=environment, capture_output=True,
                          text=True, errors='replace', timeout=SECONDS,
                          stdin=subprocess.DEVNULL)
    lines = done.stdout.splitlines()
    lines += ['! ' + line for line in done.stderr.splitlines()]
    if done.returncode != 0:
        lines.append(f'? {done.returncode}')
    return lines


def matches(expected, actual):
    """Whether the lines match, with `...` as a wildcard."""
    pattern = ''
    for line in expected:
        if line == '...':
            pattern += r'(?:.*\n)*?'
        else:
            pattern += '.*?'.join(map(re.escape, line.split('...'))) + r'\n'
    return re.fullmatch(pattern, ''.join(line + '\n' for line in actual))


def run(lines, programs):
    """Runs all steps in one empty folder; returns (command, expected, actual,
    whether they match) for each."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for command, expected in split_steps(lines):
            while expected and not expected[-1].strip():
                expected = expected[:-1]
            actual = run_step(command, folder, programs)
            results.append((command, expected, actual,
                            bool(matches(expected, actual))))
    return results


def complaint(where, command, expected, actual):
    return '\n'.join([f'{where}: `{command}` printed unexpected output.',
                      '  expected:', *('    ' + line for line in expected),
                      '  printed:', *('    ' + line for line in actual)])
