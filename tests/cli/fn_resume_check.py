#!/usr/bin/env python3
"""Repeatedly interrupts and resumes `lamarck evolve fn`: the result must equal that
of an uninterrupted run, and the journal must replay.

    fn_resume_check.py PROGRAM EVALUATIONS
"""
import json
import math
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

MAX_RESUMES = 100
NOT_COMPARED = {'seconds', 'evaluations_per_s', 'out'}


def write_table(path):
    rng = random.Random(7)
    lines = ['x,v,a']
    for _ in range(80):
        x, v = rng.uniform(-2, 2), rng.uniform(-2, 2)
        a = -0.5 * x ** 3 - 0.2 * v + 0.3 * math.sin(x * v)
        lines.append(f'{x},{v},{a + rng.gauss(0, 0.01)}')
    path.write_text('\n'.join(lines) + '\n')


class Check:
    def __init__(self, program, evaluations, folder):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.begin = ['evolve', 'fn', 'table.csv', '--target', 'a', '--islands',
                      '4', '--budget', f'{evaluations}eval', '--json']
        self.bests = 0  # Best results kept by runs that Ctrl-C ended.

    def start(self, words):
        return subprocess.Popen(
            [self.program, *words, '--progress', 'none'], cwd=self.folder,
            env={'HOME': str(self.folder)}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def run(self, words):
        child = self.start(words)
        out, errors = child.communicate(timeout=250)
        assert child.returncode == 0, f'{words}: {child.returncode} {errors}'
        return json.loads(out)

    def ended(self, words, seconds, how):
        child = self.start(words)
        try:
            out, errors = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            child.send_signal(how)
            out, errors = child.communicate(timeout=60)
        return child.returncode, out, errors

    def in_pieces(self, out, seconds, how):
        words = [*self.begin, '--out', out, '--parallel', '2']
        rng = random.Random(f'{out}{how}')
        for times in range(MAX_RESUMES):
            longest = seconds * max(1, times / 3)
            code, text, errors = self.ended(
                words, rng.uniform(longest / 4, longest), how)
            if code == 0:
                return json.loads(text), times
            allowed = {-how, 130} if how == signal.SIGINT else {-how}
            assert code in allowed, f'{words}: exit {code} {errors}'
            if code == 130 and text:
                assert json.loads(text)['front']
                self.bests += 1
            if (self.folder / out / 'run.json').exists():
                words = ['evolve', 'fn', '--resume', out, '--json']
        raise AssertionError(f'{out} did not finish after {MAX_RESUMES} resumes')


def expect_same(a, b, fields=None):
    for key in fields or sorted(set(a) | set(b)):
        assert key in NOT_COMPARED or a.get(key) == b.get(key), (
            f'{key}: expected {a.get(key)}, got {b.get(key)}')


def main():
    program, evaluations = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(pathlib.Path(program).resolve(), evaluations, folder)
        write_table(check.folder / 'table.csv')
        started = time.monotonic()
        whole = check.run([*check.begin, '--out', 'whole', '--parallel', '1'])
        seconds = time.monotonic() - started
        for how in (signal.SIGKILL, signal.SIGINT):
            pieces, times = check.in_pieces(how.name, seconds / 2, how)
            expect_same(whole, pieces)
            print(f'{how.name}: same result after {times} interruptions; '
                  f'{whole["evaluations"]} evaluations')
            replayed = check.run(['replay', how.name, '--json'])
            expect_same(whole, replayed, ['best', 'front', 'evaluations'])
        again = check.run(['evolve', 'fn', '--resume', 'whole', '--json'])
        expect_same(whole, again, ['best', 'front', 'evaluations'])
    return 0


if __name__ == '__main__':
    sys.exit(main())
