#!/usr/bin/env python3
"""law_story_check.py LAMARCK: an agent finds a law in a table, predicts with it, and
learns how.

"Here is a CSV, find the law and predict the next values" over real HTTP with a
scripted model: the first tasks are solved call by call; the skill that is learned
from them solves the next ones with fewer model calls. Each search is a run in the
journal like any other.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import scripted_agent_model  # noqa: E402

LAMARCK = sys.argv[1]
LAWS = {'orbit': lambda x: x ** 1.5, 'fall': lambda x: 4.9 * x * x, 'spring': lambda x: 3 * x + 2}


def fill(work):
    work.mkdir()
    for name, law in LAWS.items():
        known = [0.3 + 0.1 * i for i in range(50)]
        (work / f'{name}.csv').write_text(
            'x,y\n' + ''.join(f'{x},{law(x)}\n' for x in known))
        (work / f'{name}_next.csv').write_text('x\n' + ''.join(f'{x}\n' for x in (6, 7, 8)))


def lamarck(folder, *words):
    done = subprocess.run([LAMARCK, *words, '--data-dir', str(folder / 'data')],
                          capture_output=True, text=True, check=False, timeout=240,
                          env={**os.environ, 'HOME': str(folder)})
    assert done.returncode == 0, f'{words}: {done.stdout}\n{done.stderr}'
    return done


def solve(folder, model, name, number):
    """Runs one task; returns its report and the number of model calls."""
    out = f'out/{name}{number}.json'
    task = (f'Here is a CSV {name}.csv: find the law of y, predict the next values in '
            f'{name}_next.csv and save them as {out}')
    before = model.calls
    done = lamarck(folder, 'agent', 'run', task, '--agent', 'worker', '--workspace',
                   str(folder / 'work'), '--no-python', '--json', '--llm-base-url', model.url,
                   '--llm-model', 'scripted')
    report = json.loads(done.stdout)
    values = json.loads((folder / 'work' / out).read_text())['predictions']
    wanted = [LAWS[name](x) for x in (6, 7, 8)]
    assert all(abs(a - b) < 1e-6 * abs(b) for a, b in zip(values, wanted)), (values, wanted)
    return report, model.calls - before


def main():
    with tempfile.TemporaryDirectory() as place, scripted_agent_model.ModelServer() as model:
        folder = pathlib.Path(place)
        fill(folder / 'work')
        lamarck(folder, 'agent', 'create', 'worker', '--evolve', 'on', '--cooldown', '0',
                '--max-per-hour', '1000')
        first = [solve(folder, model, name, 1) for name in LAWS]
        with sqlite3.connect(folder / 'data' / 'skills.db') as database:
            skills = database.execute('SELECT id, name FROM evolved_skills').fetchall()
        assert len(skills) == 1, (skills, first[0][0])
        lamarck(folder, 'skills', 'review', skills[0][0], '--comment', 'Checked.')
        second = [solve(folder, model, name, 2) for name in LAWS]
        assert all(len(report['skills_used']) == 1 for report, _ in second), second
        calls1, calls2 = sum(calls for _, calls in first), sum(calls for _, calls in second)
        assert calls2 <= 0.6 * calls1, (calls1, calls2)
        listed = json.loads(lamarck(folder, 'runs', 'list', '--kind', 'fn', '--json').stdout)
        assert len(listed['runs']) == 6, listed
        assert all(run['state'] == 'done' for run in listed['runs']), listed
        print(f'The agent found 6 laws; model calls {calls1} -> {calls2} with the skill '
              f'{skills[0][1]!r}.')


if __name__ == '__main__':
    main()
