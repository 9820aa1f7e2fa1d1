#!/usr/bin/env python3
"""story_check.py LAMARCK: an agent learns skills and uses them.

Twelve tasks in four families, two rounds, over real HTTP with a scripted model.
After round one there are four skills; a reviewer approves them; round two needs
fewer model calls and tokens with the same success. The same with given plans.
Then a service changes: its skill is disabled after three failures, the tasks
still succeed by planning, and a review brings the skill back.
"""
import contextlib
import http.server
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import scripted_agent_model  # noqa: E402

LAMARCK = sys.argv[1]
PRICES = (21, 22, 24, 29, 35, 38, 41, 47, 52, 58, 63, 70)


class Items(http.server.BaseHTTPRequestHandler):
    """Serves /v1/ITEM until the service moves to /v2/ITEM."""
    has_moved = False

    def do_GET(self):
        version, item = self.path.split('/')[1:3]
        is_found = version == ('v2' if Items.has_moved else 'v1')
        body = json.dumps({'item': item, 'stock': len(item)}).encode() if is_found else b'gone'
        self.send_response(200 if is_found else 410)
        self.send_header('Content-Type', 'application/json' if is_found else 'text/plain')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def tasks_of(host, number):
    """One task of each family, with its output file and what the file must contain."""
    kind = number % 3
    table = ('apples', 'pears', 'plums')[kind]
    return [
        (f'Average the column price of the table {table}.csv and save it as '
         f'out/{table}{number}.json', f'out/{table}{number}.json',
         json.dumps(sum(PRICES) / len(PRICES) + kind)[:6]),
        (f'Scale the number in the settings settings{kind}.json by the factor '
         f'{number + 13} into out/scaled{number}.json', f'out/scaled{number}.json',
         str((70 + kind) * (number + 13))),
        (f'Duplicate the note note{kind}.txt under the name copies{number}/a{number}.txt and '
         f'verify the folder copies{number}', f'copies{number}/a{number}.txt',
         f'The note {kind} has text.'),
        (f'Download the item http://{host}/v1/{table}{number} and archive it at '
         f'archive/{table}{number}.json', f'archive/{table}{number}.json',
         f'"item": "{table}{number}"'),
    ]


def fill(folder):
    work = folder / 'work'
    work.mkdir()
    for extra, table in enumerate(('apples', 'pears', 'plums')):
        rows = '\n'.join(f'{name},{value + extra}' for name, value in zip('abcdefghijkl', PRICES))
        (work / f'{table}.csv').write_text(f'name,price\n{rows}\n')
    for number in range(3):
        (work / f'settings{number}.json').write_text(json.dumps({'number': 70 + number}))
        (work / f'note{number}.txt').write_text(f'The note {number} has text.')


class Story:
    def __init__(self, folder, host, model=None):
        self.folder, self.host, self.model = folder, host, model
        fill(folder)
        self.lamarck('agent', 'create', 'worker', '--evolve', 'on', '--allow', 'network',
                     '--cooldown', '0', '--max-per-hour', '1000')

    def lamarck(self, *words, may_fail=False):
        done = subprocess.run([LAMARCK, *words, '--data-dir', str(self.folder / 'data')],
                              capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0 and not may_fail:
            raise AssertionError(f'{words}: {done.stderr}')
        return done

    def run(self, task, output, content, plan=None):
        """Runs a task; returns its report."""
        words = ['agent', 'run', task, '--agent', 'worker', '--workspace',
                 str(self.folder / 'work'), '--allow-host', self.host, '--allow-private',
                 '--no-python', '--json']
        if plan:
            (self.folder / 'plan.json').write_text(json.dumps(plan))
            words += ['--plan', str(self.folder / 'plan.json')]
        else:
            words += ['--llm-base-url', self.model.url, '--llm-model', 'scripted']
        done = self.lamarck(*words, may_fail=True)
        assert done.stdout, done.stderr
        report = json.loads(done.stdout)
        report['trace'] = done.stderr
        written = self.folder / 'work' / output
        report['success'] = (report['success'] and written.exists()
                             and content in written.read_text(encoding='utf-8'))
        return report

    @contextlib.contextmanager
    def database(self):
        with contextlib.closing(sqlite3.connect(self.folder / 'data' / 'skills.db')) as database:
            with database:
                yield database

    def skills(self):
        with self.database() as database:
            return database.execute('SELECT id, name, status, is_disabled, use_count, success_count '
                                    'FROM evolved_skills ORDER BY name').fetchall()

    def review(self):
        """Approves all skills, which also ends their disablement."""
        for skill in self.skills():
            self.lamarck('skills', 'review', skill[0], '--comment', 'Checked.')

    def round(self, first):
        model = self.model
        calls, tokens = model.calls, model.tokens
        reports = [self.run(*task) for number in range(first, first + 3)
                   for task in tasks_of(self.host, number)]
        return reports, model.calls - calls, model.tokens - tokens


def show(reports):
    return '\n'.join(report['task'] + '\n' + report['trace'] for report in reports)


def check_rounds(folder, host):
    with scripted_agent_model.ModelServer() as model:
        story = Story(folder, host, model)
        first, calls1, tokens1 = story.round(0)
        assert all(report['success'] for report in first), show(first)
        skills = story.skills()
        assert len(skills) == 4, show(first) + f'\n{skills}'
        assert len({skill[1] for skill in skills}) == 4, skills
        story.review()
        second, calls2, tokens2 = story.round(3)
        assert all(report['success'] for report in second), show(second)
        assert len(story.skills()) == 4, story.skills()
        assert calls2 <= 0.7 * calls1, f'{calls1} -> {calls2}\n' + show(second)
        assert tokens2 <= 0.75 * tokens1, f'{tokens1} -> {tokens2}'
        assert sum(skill[4] for skill in story.skills()) == 12, story.skills()
        assert sum(skill[5] for skill in story.skills()) == 12, story.skills()
        print(f'Model calls {calls1} -> {calls2}, tokens {tokens1} -> {tokens2}, '
              '12 of 12 tasks solved in both rounds, 4 skills.')
        check_change(story)


def check_change(story):
    Items.has_moved = True
    reports = [story.run(*tasks_of(story.host, number)[3]) for number in range(6, 10)]
    assert all(report['success'] for report in reports), show(reports)
    used = [len(report['skills_used']) for report in reports]
    assert used == [1, 1, 1, 0], f'{used}\n' + show(reports)
    disabled = [skill for skill in story.skills() if skill[3]]
    assert len(disabled) == 1, story.skills()
    Items.has_moved = False
    story.review()
    report = story.run(*tasks_of(story.host, 10)[3])
    assert report['success'] and len(report['skills_used']) == 1, report['trace']
    print('The skill was disabled after 3 failures, tasks succeeded by planning, and a review '
          'brought it back.')


def check_plans(folder, host):
    """Without a model: the same tasks by given plans."""
    story = Story(folder, host)
    for number in range(3):
        for task in tasks_of(host, number):
            family, values = scripted_agent_model.family_of(task[0])
            report = story.run(*task, given_plan(family, values))
            assert report['success'], report['trace']
    skills = story.skills()
    assert len(skills) == 4, skills
    print('Given plans: 4 skills.')


def given_plan(family, values):
    def result(step, path):
        return {'$result': {'step': step, 'path': path}}
    if family == 'average':
        column = f"/columns/{values['column']}"
        steps = [('csv_statistics', {'path': values['table'], 'columns': [values['column']]}),
                 ('formula_evaluate', {'formula': 'total / count', 'values': {
                     'total': result(1, column + '/sum'), 'count': result(1, column + '/count')}}),
                 ('file_write', {'path': values['out'], 'content': result(2, '')})]
    elif family == 'scale':
        steps = [('file_read', {'path': values['file'], 'format': 'json'}),
                 ('formula_evaluate', {'formula': 'number * factor', 'values': {
                     'number': result(1, '/value/number'), 'factor': int(values['factor'])}}),
                 ('file_write', {'path': values['out'], 'content': result(2, '')})]
    elif family == 'copy':
        steps = [('file_read', {'path': values['file']}),
                 ('file_write', {'path': values['out'], 'content': result(1, '/text')}),
                 ('file_list', {'path': values['folder']})]
    else:
        steps = [('http_get', {'url': values['url']}),
                 ('file_write', {'path': values['out'], 'content': result(1, '/json')}),
                 ('file_read', {'path': values['out'], 'format': 'json'})]
    return {'steps': [{'tool': tool, 'arguments': arguments} for tool, arguments in steps]}


def main():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Items)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f'127.0.0.1:{server.server_port}'
    with tempfile.TemporaryDirectory() as name:
        check_rounds(pathlib.Path(name), host)
    Items.has_moved = False
    with tempfile.TemporaryDirectory() as name:
        check_plans(pathlib.Path(name), host)
    server.shutdown()


if __name__ == '__main__':
    main()
