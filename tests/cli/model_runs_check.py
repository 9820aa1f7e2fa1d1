#!/usr/bin/env python3
"""Runs with a language model end when they learn nothing, stay within their budget
across --resume, and fail in one sentence if the model never answers.

    model_runs_check.py PROGRAM SCRIPTED_SERVER
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

LINE = ''.join(f'{x},{(x * 7 + 3) % 11}\n' for x in range(20))
EXACT = 'def equation(x, params):\n    return params[0] * x * x + params[1]\n'
SAME = 'def equation(x, params):\n    return params[0] * x\n'


class Check:
    def __init__(self, program, server, folder):
        self.program = str(pathlib.Path(program).resolve())
        self.server = str(pathlib.Path(server).resolve())
        self.folder = pathlib.Path(folder)
        (self.folder / 'noise.csv').write_text('x,y\n' + LINE)
        (self.folder / 'square.csv').write_text(
            'x,y\n' + ''.join(f'{x},{3 * x * x + 0.5}\n' for x in range(20)))
        self.runs = 0

    def run(self, scene, *words, out=None, environment=None):
        """Returns the finished process, its output folder and the requests."""
        self.runs += 1
        folder = self.folder / (out or f'run{self.runs}')
        script = self.folder / 'scenes.json'
        script.write_text(json.dumps([scene]))
        log = self.folder / f'log{self.runs}'
        log.touch()
        place = [] if '--resume' in words else ['--out', str(folder)]
        done = subprocess.run(
            [sys.executable, self.server, '--script', script, '--log', log, '--',
             self.program, *words, *place, '--progress', 'none', '--json'],
            cwd=self.folder, capture_output=True, text=True, timeout=120,
            env={'HOME': str(self.folder), 'PATH': '/usr/local/bin:/usr/bin:/bin',
                 **(environment or {})})
        requests = [json.loads(line) for line in log.read_text().splitlines()]
        return done, folder, requests

    def fn(self, scene, *words, table='noise.csv', **more):
        return self.run(scene, 'evolve', 'fn', table, '--target', 'y', *words,
                        **more)

    def result(self, done):
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def check_repeated_answers(self):
        done, folder, requests = self.fn(
            {'reply': f'```python\n{SAME}```'}, '--engine', 'llm', '--budget', '60s',
            '--islands', '4', '--llm-patience', '12')
        reason = self.result(done)['reason']
        assert 'answers of the model' in reason, reason
        # One new function for each island, then 12 repeated ones at the end of a
        # cycle.
        assert len(requests) <= 4 + 12 + 4, len(requests)
        export = self.folder / 'chats.jsonl'
        subprocess.run([self.program, 'export', folder, '--jsonl', export],
                       check=True, capture_output=True)
        lines = [json.loads(line) for line in export.read_text().splitlines()]
        roles = [m['role'] for m in lines[0]['messages']]
        assert roles[:2] == ['system', 'user'], roles
        assert any('failure' in line for line in lines), lines

    def check_exact_law(self):
        for engine in ('llm', 'mix'):
            done, _, requests = self.fn(
                {'reply': f'```python\n{EXACT}```'}, '--engine', engine, '--budget',
                '60s,20eval', '--islands', '4', table='square.csv')
            result = self.result(done)
            assert result['best']['nmse'] < 1e-20, result['best']
            assert len(requests) <= 8, (engine, len(requests))

    def check_budget_across_resume(self):
        scene = {'reply': 'I have no idea. ' * 20}
        words = ('--engine', 'llm', '--islands', '2', '--llm-max-tokens', '200',
                 '--llm-patience', '0')
        done, folder, _ = self.fn(scene, *words, '--budget', '6ktok')
        first = self.result(done)['tokens']
        assert 3000 < first <= 6000, first
        done, _, requests = self.run(scene, 'evolve', 'fn', '--resume', str(folder))
        again = self.result(done)['tokens']
        assert first <= again <= 6000, (first, again)
        assert len(requests) <= 1, len(requests)
        done, _, _ = self.run(scene, 'evolve', 'fn', '--resume', str(folder),
                              '--budget', '9ktok')
        more = self.result(done)['tokens']
        assert 6000 < more <= 9000, more

    def check_failures(self):
        scenes = {
            '401': {'status': 401, 'body': '{"error": {"message": "bad key"}}'},
            '404': {'status': 404, 'body': '{"error": {"message": "no model"}}'},
            '429': {'status': 429, 'body': 'later', 'headers': {'Retry-After': '900'}},
            '500': {'status': 500, 'body': 'broken'},
        }
        for status, scene in scenes.items():
            done, folder, requests = self.fn(scene, '--engine', 'mix', '--budget',
                                             '0.6s', '--islands', '3', table='square.csv')
            self.expect_failure(done, folder, status)
            if status in ('401', '404', '429'):
                # Those of the first cycle at most.
                assert len(requests) <= 3, (status, len(requests))
        done, folder, _ = self.fn({'reply': 'late', 'stall': 60}, '--engine', 'mix',
                                  '--budget', '0.6s', table='square.csv')
        self.expect_failure(done, folder, 'never answered')
        # Nobody listens there.
        done = subprocess.run(
            [self.program, 'evolve', 'fn', 'square.csv', '--target', 'y', '--engine',
             'mix', '--budget', '0.6s', '--out', 'nobody', '--progress', 'none',
             '--json', '--llm-base-url', 'http://127.0.0.1:9/v1', '--llm-model', 'm'],
            cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.expect_failure(done, self.folder / 'nobody', '127.0.0.1:9')

    def expect_failure(self, done, folder, part):
        assert done.returncode == 1, (part, done.returncode, done.stderr)
        errors = [line for line in done.stderr.splitlines()
                  if not line.startswith('Note: ')]
        assert len(errors) == 1 and part in errors[0], (part, done.stderr)
        assert 'never answered' in errors[0], errors
        assert json.loads(done.stdout)['best']['formula'], done.stdout
        assert (folder / 'law.py').exists(), part

    def check_parallel_questions(self):
        for calls in (1, 4):
            done, _, requests = self.fn(
                {'reply': 'nothing', 'stall': 0.1}, '--engine', 'llm', '--budget', '20s',
                '--llm-calls', str(calls), '--llm-patience', '4', '--islands', '5',
                '--threads', '1')
            self.result(done)
            most = max(each['active'] for each in requests)
            assert most == calls, (calls, most)

    def check_docstring(self):
        seed = self.folder / 'seed.py'
        seed.write_text('def equation(x, params):\n'
                        '    """The height of the ball at time x."""\n'
                        '    return params[0] * x\n')
        done, _, requests = self.fn(
            {'reply': f'```python\n{SAME}```'}, '--engine', 'llm', '--budget', '20s',
            '--islands', '2', '--seed-equation', 'seed.py', '--llm-patience', '4')
        self.result(done)
        for each in requests:
            prompt = each['body']['messages'][1]['content']
            assert 'The height of the ball at time x.' in prompt, prompt
        assert 'did not help' in requests[-1]['body']['messages'][1]['content']


def main():
    with tempfile.TemporaryDirectory() as folder:
        check = Check(*sys.argv[1:3], folder)
        for name in sorted(dir(check)):
            if name.startswith('check_'):
                begin = time.monotonic()
                getattr(check, name)()
                print(f'{name}: passed in {time.monotonic() - begin:.1f} s', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
