#!/usr/bin/env python3
"""Compiles exported networks and compares their outputs with those of the graphs.

    cpp_check.py WRITE_CPP COMPILER COUNT
"""
import pathlib
import subprocess
import sys
import tempfile

TOLERANCE = 1e-5


def numbers(text):
    return [[float(each) for each in line.split()] for line in text.splitlines()]


def check(path, compiler):
    program = path.with_suffix('')
    subprocess.run([compiler, '-std=c++17', '-Wall', '-Wextra', '-Wpedantic',
                    '-Wconversion', '-Werror', '-DLAMARCK_MODEL_MAIN', path,
                    '-o', program], check=True)
    actual = subprocess.run([program], input=path.with_suffix('.in').read_text(),
                            capture_output=True, text=True, check=True).stdout
    expected = numbers(path.with_suffix('.out').read_text())
    rows = numbers(actual)
    if [len(row) for row in rows] != [len(row) for row in expected]:
        return float('inf')
    return max(abs(a - b) / (1 + abs(b))
               for row, wanted in zip(rows, expected)
               for a, b in zip(row, wanted))


def main():
    write_cpp, compiler, count = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([write_cpp, folder, count], check=True)
        errors = {path.name: check(path, compiler)
                  for path in sorted(pathlib.Path(folder).glob('*.cc'))}
    worst = max(errors, key=errors.get)
    print(f'{len(errors)} networks; the largest difference is '
          f'{errors[worst]:.2g} in {worst}.')
    return int(not errors[worst] <= TOLERANCE)


if __name__ == '__main__':
    sys.exit(main())
