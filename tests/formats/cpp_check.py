#!/usr/bin/env python3
"""Compiles networks exported as C++ and compares their outputs with those of their
graphs: cpp_check.py WRITE_CPP COMPILER COUNT
"""
import math
import pathlib
import subprocess
import sys
import tempfile

TOLERANCE = 1e-5


def numbers(text):
    return [[float(each) for each in line.split()] for line in text.splitlines()]


def difference(actual, wanted):
    """NaN must appear where it appears in the graph, and only there."""
    if math.isnan(actual) or math.isnan(wanted):
        return 0 if math.isnan(actual) and math.isnan(wanted) else float('inf')
    return abs(actual - wanted) / (1 + abs(wanted))


def check(path, compiler):
    program = path.with_suffix('')
    subprocess.run([compiler, '-std=c++17', '-Wall', '-Wextra', '-Wpedantic',
                    '-Wconversion', '-Werror', '-DLAMARCK_MODEL_MAIN', path,
                    '-o', program], check=True)
    actual = subprocess.run([program], input=path.with_suffix('.in').read_text(),
                            capture_output=True, text=True, check=True).stdout
    wanted = numbers(path.with_suffix('.out').read_text())
    rows = numbers(actual)
    if [len(row) for row in rows] != [len(row) for row in wanted]:
        return float('inf')
    return max(difference(a, b)
               for row, expected in zip(rows, wanted)
               for a, b in zip(row, expected))


def main():
    write_cpp, compiler, count = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([write_cpp, folder, count], check=True)
        errors = {path.name: check(path, compiler)
                  for path in sorted(pathlib.Path(folder).glob('*.cc'))}
    worst = max(errors, key=errors.get)
    print(f'{len(errors)} networks; the largest difference is '
          f'{errors[worst]:.2g}, in {worst}.')
    return int(not errors[worst] <= TOLERANCE)


if __name__ == '__main__':
    sys.exit(main())
