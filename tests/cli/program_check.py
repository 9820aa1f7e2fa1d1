#!/usr/bin/env python3
"""Evolves small programs with `lamarck evolve program`, then replays, resumes
and exports the runs.

    program_check.py PROGRAM SCRIPTED_SERVER

On a machine without the kernel features of the sandbox, programs are refused;
the test then prints this and checks nothing else.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

LINE = '''"""A line."""
SCALE = 1


# lamarck: evolve
def line(x):
    """The height at x."""
    return x
'''
LOOP = '''# lamarck: evolve
def line(x):
    while x > 100:
        x -= 1
    return x
'''
EVALUATE = '''def inputs():
    return ['near', 'far']


def evaluate(program, name):
    xs = [1, 2, 3] if name == 'near' else [10, 20]
    return -sum(abs(program.line(x) - (3 * x + 1)) for x in xs) / len(xs)
'''
BETTER = '''def line(x):
    return 3 * x + 1
'''


class Check:
    def __init__(self, program, server, folder):
        self.program = str(pathlib.Path(program).resolve())
        self.server = str(pathlib.Path(server).resolve())
        self.folder = pathlib.Path(folder)
        for name, text in (('line', LINE), ('loop', LOOP)):
            self.write(f'{name}/program.py', text)
            self.write(f'{name}/evaluate.py', EVALUATE)
        self.write('better.py', BETTER)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def call(self, *words, before=()):
        return subprocess.run(
            [*before, self.program, *words, '--progress', 'none'],
            cwd=self.folder, capture_output=True, text=True, timeout=120,
            env={'HOME': str(self.folder), 'PATH': '/usr/local/bin:/usr/bin:/bin'})

    def json(self, *words, before=()):
        done = self.call(*words, '--json', before=before)
        assert done.returncode == 0, f'{words}: {done.stderr}'
        return json.loads(done.stdout)

    def model(self):
        return (sys.executable, self.server, '--improve', 'better.py', '--')

    def expect_error(self, part, *words, before=()):
        done = self.call(*words, before=before)
        assert done.returncode != 0 and part in done.stderr, (
            f'{words}: {done.returncode} {done.stderr}')
        assert done.stderr.count('\n') == 1, done.stderr

    def check_genetic(self):
        run = self.json('evolve', 'program', 'line', '--budget', '60eval',
                        '--islands', '3')
        assert run['kind'] == 'program' and run['engine'] == 'gp', run
        assert run['best']['score'] >= run['first_score'], run
        assert set(run['best']['scores']) == {'near', 'far'}, run
        best = (self.folder / 'line-program/best.py').read_text()
        assert 'SCALE = 1' in best and 'def line(x):' in best, best
        assert (self.folder / 'line-program/report.html').exists()
        replayed = self.json('replay', 'line-program')
        assert replayed['best']['source'] == run['best']['source']
        assert replayed['evaluations'] == run['evaluations']
        again = self.json('evolve', 'program', '--resume', 'line-program',
                          '--budget', '80eval')
        assert again['evaluations'] > run['evaluations'], again
        assert again['best']['score'] >= run['best']['score'], again
        written = self.json('export', 'line-program', '--python', 'out.py',
                            '--jsonl', 'out.jsonl')['written']
        assert written == {'python': 'out.py', 'jsonl': 'out.jsonl'}, written
        assert 'SCALE = 1' in (self.folder / 'out.py').read_text()
        text = self.call('show', 'line-program').stdout
        assert 'def line(x):' in text, text

    def check_model(self):
        run = self.json('evolve', 'program', 'loop', '--budget', '8eval',
                        '--islands', '2', '--engine', 'llm',
                        before=self.model())
        assert run['best']['score'] == 0 and run['tokens'] > 0, run
        self.expect_error('contains a run that used a model', 'evolve', 'program',
                          'loop', '--engine', 'llm', before=self.model())

    def check_lineage(self):
        page = (self.folder / 'loop-program/report.html').read_text()
        lineage = page[page.index('Lineage'):]
        assert lineage.index('seed') < lineage.index('llm: ask'), lineage
        code = page[page.index('<pre'):page.index('</pre>')]
        assert 'def line(x):\n    return 3 * x + 1' in code, code

    def check_command(self):
        """A shell script scores a program whose function has 500 lines."""
        self.write('long/program.py',
                   'import math\n\n\n# lamarck: evolve\ndef line(x):\n    """Many steps."""\n' +
                   ''.join(f'    x += {i} - {i}\n' for i in range(500)) +
                   '    return x\n\n\nFIXED = 1\n\n\n'
                   '# lamarck: evolve\ndef other(x):\n    return x\n')
        self.write('long/score.sh',
                   'grep -q "FIXED = 1" program.py || exit 1\n'
                   'echo "Some words."\n'
                   'grep -c "return x \\* 2" program.py || true\n')
        self.write('long/problem.toml',
                   "evaluate = 'sh score.sh'\ngoal = 2\n"
                   "[limits]\ntime = '1min'\nmemory = '512MB'\nparallel = 1\n")
        self.write('edits.json', json.dumps([{'reply': reply} for reply in (
            '<<<<<<< SEARCH\n    x += 499 - 499\n    return x\n=======\n'
            '    x += 499 - 499\n    return x * 2\n>>>>>>> REPLACE\n',
            '```python\ndef other(x):\n    return x * 2\n```')]))
        server = (sys.executable, self.server, '--script', 'edits.json', '--log',
                  'edits.log', '--')
        run = self.json('evolve', 'program', 'long', '--budget', '60s', '--engine',
                        'llm', '--islands', '1', before=server)
        assert run['best']['score'] == 2 and run['evaluations'] == 3, run
        best = (self.folder / 'long-program/best.py').read_text()
        assert best.count('return x * 2') == 2 and 'FIXED = 1' in best, best
        for line in (self.folder / 'edits.log').read_text().splitlines():
            prompt = json.loads(line)['body']['messages'][1]['content']
            assert '<<<<<<< SEARCH' in prompt and 'Many steps.' in prompt, prompt
        self.write('long/problem.toml', "evaluate = 'nowhere'\n")
        self.expect_error("'nowhere'", 'evolve', 'program', 'long', '--out', 'no',
                          '--engine', 'llm', before=server)
        self.write('long/problem.toml', "[limits]\ntime = 3\n")
        self.expect_error('limits.time', 'evolve', 'program', 'long', '--out', 'no')

    def check_limits(self):
        self.expect_error('--time-limit', 'evolve', 'program', 'line', '--time-limit',
                          '5', '--out', 'no')
        self.expect_error('increase --time-limit', 'evolve', 'program', 'line',
                          '--time-limit', '1ms', '--out', 'no')
        run = self.json('evolve', 'program', 'line', '--budget', '5000eval', '--goal',
                        '-10', '--islands', '3', '--out', 'goal', '--preset', 'seed')
        assert run['best']['score'] >= -10 and run['evaluations'] < 5000, run

    def check_faults(self):
        self.expect_error('Line 3', 'evolve', 'program', 'loop', '--engine',
                          'gp')
        self.expect_error('LAMARCK_LLM_BASE_URL', 'evolve', 'program', 'loop')
        self.expect_error('nowhere', 'evolve', 'program', 'nowhere')
        self.expect_error('DIR is required', 'evolve', 'program')
        self.expect_error('--target is a flag of', 'evolve', 'program', 'line',
                          '--target', 'y')
        self.expect_error('a program, not a law', 'export', 'line-program',
                          '--latex', 'a.tex')


def main():
    with tempfile.TemporaryDirectory() as folder:
        check = Check(*sys.argv[1:3], folder)
        first = check.call('evolve', 'program', 'line', '--budget', '2eval',
                           '--out', 'first')
        if first.returncode != 0 and 'sandbox' in first.stderr:
            print(f'Skipped: {first.stderr}')
            return 0
        assert first.returncode == 0, first.stderr
        print(first.stdout)
        check.check_genetic()
        check.check_model()
        check.check_lineage()
        check.check_command()
        check.check_limits()
        check.check_faults()
    return 0


if __name__ == '__main__':
    sys.exit(main())
