#!/usr/bin/env python3
"""Repeatedly interrupts and resumes `lamarck evolve net`: the network must be the
same, bit for bit, as that of an uninterrupted run.

    resume_check.py PROGRAM DATA.csv TARGET GENERATIONS
"""
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

MAX_RESUMES = 200


class Check:
    def __init__(self, program, data, target, generations, folder):
        self.program = program
        self.begin = ['evolve', 'net', data, '--target', target, '--budget',
                      f'{generations}gen', '--single', '--json']
        self.folder = pathlib.Path(folder)
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
        return out

    def whole(self, out, flags):
        """Runs without interruption; returns the result and the seconds it took."""
        started = time.monotonic()
        result = json.loads(self.run([*self.begin, '--out', out, *flags]))
        return result, time.monotonic() - started

    def ended(self, words, seconds, how):
        """Sends the signal `how` after `seconds`; returns (exit code, output)."""
        child = self.start(words)
        try:
            out, _ = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            child.send_signal(how)
            out, _ = child.communicate(timeout=60)
        return child.returncode, out

    def in_pieces(self, out, flags, seconds, how):
        """Interrupts and resumes a run until it is done; returns the result and the
        number of interruptions."""
        words = [*self.begin, '--out', out, *flags]
        rng = random.Random(f'{out}{how}')
        for times in range(MAX_RESUMES):
            # Later attempts last longer, so that slow machines finish, too.
            longest = seconds * max(1, times / 5)
            code, text = self.ended(words, rng.uniform(0, longest), how)
            if code == 0:
                return json.loads(text), times
            allowed = {-how, 130} if how == signal.SIGINT else {-how}
            assert code in allowed, f'{words}: exit {code}'
            if code == 130 and text:
                self.check_best_so_far(out, json.loads(text))
            if (self.folder / out / 'run.json').exists():
                threads = [f for f in flags if f.startswith('--threads')]
                words = ['evolve', 'net', '--resume', out, '--json', *threads]
        raise AssertionError(f'{out} did not finish after {MAX_RESUMES} resumes')

    def check_best_so_far(self, out, result):
        assert result['model'] == f'{out}/model.lmk'
        self.bests += 1
        self.run(['show', f'{out}/model.lmk'])

    def network(self, out):
        """Returns everything in the model that does not depend on time."""
        self.run(['export', f'{out}/model.lmk', '--force', '--safetensors',
                  f'{out}.safetensors'])
        shown = json.loads(self.run(['show', f'{out}/model.lmk', '--json']))
        return shown, (self.folder / f'{out}.safetensors').read_bytes()

    def expect_same(self, a, b, result_a, result_b):
        other = {'seconds', 'model', 'picture', 'report'}
        for key in sorted(set(result_a) | set(result_b)):
            assert key in other or result_a[key] == result_b[key], (
                f'{b}: {key}: expected {result_a[key]}, got {result_b[key]}')
        assert self.network(a) == self.network(b), f'{a} and {b} differ'


def main():
    program, data, target, generations = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(pathlib.Path(program).resolve(),
                      str(pathlib.Path(data).resolve()), target, generations,
                      folder)
        for name, flags in (('one', ['--threads=1']),
                            ('three', ['--islands=3', '--threads=2'])):
            result, seconds = check.whole(name, flags)
            other = ['--threads=2' if f == '--threads=1' else
                     f.replace('--threads=2', '--threads=1') for f in flags]
            threads, _ = check.whole(f'{name}-threads', other)
            check.expect_same(name, f'{name}-threads', result, threads)
            for how in (signal.SIGKILL, signal.SIGINT):
                out = f'{name}-{how.name}'
                pieces, times = check.in_pieces(out, flags, seconds / 3, how)
                check.expect_same(name, out, result, pieces)
                print(f'{out}: same network after {times} interruptions; '
                      f'{result["evaluations"]} candidates')
            again = json.loads(check.run(
                ['evolve', 'net', '--resume', name, '--json']))
            check.expect_same(name, name, result, again)
        assert check.bests > 0, 'no run kept its best network after Ctrl-C'
    return 0


if __name__ == '__main__':
    sys.exit(main())
