#!/usr/bin/env python3
"""skills_tune_check.py LAMARCK: `lamarck skills tune` with a scripted model.

The model behind HTTP chooses a function if most words of its name are in the
request. A skill with a poor name is tuned: the held-out requests get better, the old version stays in the
history. With a model that never calls, nothing changes.
"""
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

LAMARCK = sys.argv[1]
SMALL_WORDS = {'a', 'in', 'the', 'from', 'to', 'of', 'with'}


class Model(http.server.BaseHTTPRequestHandler):
    never_calls = False

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        words = set(re.findall(r'[a-z]+', request['messages'][-1]['content'].lower()))
        best, best_score = None, 0.8
        for tool in request['tools']:
            name = set(tool['function']['name'].split('_')) - SMALL_WORDS
            score = len(words & name) / max(len(name), 2)
            if score >= best_score and not Model.never_calls:
                best, best_score = tool['function']['name'], score
        calls = [{'id': 'c1', 'type': 'function', 'function': {'name': best, 'arguments': '{}'}}]
        message = {'role': 'assistant', 'content': None, 'tool_calls': calls} if best else {
            'role': 'assistant', 'content': 'None fits.'}
        body = json.dumps({'choices': [{'index': 0, 'message': message, 'finish_reason': 'stop'}],
                           'usage': {'prompt_tokens': 20, 'completion_tokens': 2}}).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def trace(kind, number):
    request, tools = {
        'flight': (f'Get seat A{number} in the morning plane from gate B{number} to gate C{number}',
                   ('find_plane', 'get_seat', 'list_gates')),
        'paint': (f'Paint wall W{number} with color K{number}, then dry it',
                  ('find_color', 'get_wall', 'list_brushes')),
    }[kind]
    values = re.findall(r'[A-Z]\d+', request)
    calls = [{'tool': tool, 'arguments': {f'{tool}_value': values[min(i, len(values) - 1)]},
              'result': {'state': f'{tool} ready'}} for i, tool in enumerate(tools)]
    return {'session_id': f'{kind}{number}', 'request': request, 'calls': calls,
            'reflection': {'success': True, 'summary': 'Done.', 'reusability': 0.9}}


def main():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def lamarck(*words):
            done = subprocess.run([LAMARCK, 'skills', *words, '--skills', str(folder / 's.db'), '--json'],
                                  capture_output=True, text=True, check=False, timeout=120)
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout)

        ids = {}
        for kind in ('flight', 'paint'):
            (folder / f'{kind}.jsonl').write_text('\n'.join(json.dumps(trace(kind, n)) for n in (3, 4, 5)))
            job = lamarck('learn', str(folder / f'{kind}.jsonl'))['jobs'][0]
            assert job['state'] == 'done', job
            ids[kind] = job['skill_id']
            lamarck('review', ids[kind], '--comment', 'Checked.')
        skill = lamarck('show', ids['flight'])
        parameters = list(skill['parameters'])
        requests = []
        for number in range(10, 18):
            request = f'I need seat A{number} in the plane from gate B{number} to gate C{number}'
            values = re.findall(r'[A-Z]\d+', request)
            requests.append({'request': request, 'arguments': dict(zip(parameters, values))})
            requests.append({'request': f'Water the plant P{number} in the hall', 'fits': False})
        (folder / 'requests.jsonl').write_text('\n'.join(map(json.dumps, requests)))
        tune = ['tune', ids['flight'], '--requests', str(folder / 'requests.jsonl'), '--generations', '8',
                '--llm-base-url', f'http://127.0.0.1:{server.server_port}/v1', '--llm-model', 'scripted']

        Model.never_calls = True
        report = lamarck(*tune)
        assert not report['is_better'] and report['version'] == 1, report
        assert lamarck('show', ids['flight'])['name'] == skill['name']

        Model.never_calls = False
        report = lamarck(*tune)
        assert report['is_better'], report
        assert report['version'] == 2, report
        assert report['held_out']['after'] > report['held_out']['before'], report
        assert report['tokens'] == 22 * report['trials'], report
        tuned = lamarck('show', ids['flight'])
        assert tuned['name'] == report['after']['name'] != skill['name'], tuned
        assert tuned['status'] == 'approved' and tuned['steps'] == skill['steps'], tuned
        assert not re.search(r'[A-Z]\d\d', tuned['name'] + tuned['description']), tuned
        versions = lamarck('history', ids['flight'])['versions']
        names = [one['name'] for one in versions]
        assert skill['name'] in names and tuned['name'] in names, versions
        print(f"{skill['name']} -> {tuned['name']}: held out {report['held_out']}")
    server.shutdown()


main()
