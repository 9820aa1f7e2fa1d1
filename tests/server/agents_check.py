#!/usr/bin/env python3
"""agents_check.py LAMARCK SCRIPTED_SERVER: agents' tasks over HTTP.

A scripted model works on a table that was uploaded, remembers the conversation, and
asks before it deletes a file. The server is killed with SIGKILL while the question is
open, and again in the middle of a call: the question is still there, and the task ends.
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'agent'))
from chat_scenes import calls, finish  # noqa: E402

LAMARCK, SCRIPTED = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
SECONDS = 120
TABLE = 'x,y\n' + ''.join(f'{i},{3 * i * i + 1}\n' for i in range(1, 30))


class Server:
    def __init__(self, folder, model=''):
        words = [LAMARCK, 'serve', '--port', '0', '--json', '--db', str(folder / 'j.db'),
                 '--skills', str(folder / 's.db')]
        if model:
            words += ['--llm-base-url', model, '--llm-model', 'scripted']
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env={**os.environ, 'HOME': str(folder)})
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.url = json.loads(line)['api']

    def call(self, method, path, body=None, kind='application/json'):
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body else None
        request = urllib.request.Request(self.url + path, data, method=method,
                                         headers={'Content-Type': kind} if data else {})
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                text = reply.read()
                is_json = reply.headers['Content-Type'].startswith('application/json')
                return reply.status, json.loads(text) if is_json else text
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def good(self, method, path, body=None):
        status, reply = self.call(method, path, body)
        assert status in (200, 202), (path, status, reply)
        return reply['data']

    def refused(self, status, method, path, body=None):
        found, reply = self.call(method, path, body)
        assert found == status, (path, found, reply)
        return reply['error']['message']

    def wait_for(self, task, *states):
        for _ in range(SECONDS * 20):
            shown = self.good('GET', f'/agent-tasks/{task}')
            if shown['run_state'] in states:
                return shown
            time.sleep(0.05)
        raise AssertionError(f'{task} is {shown["run_state"]}, not {states}: {shown}')

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait(SECONDS)


@contextlib.contextmanager
def scripted_model(folder):
    scenes = [
        calls(('file_read', {'path': 'law.csv'})), finish('It has two columns.'),
        finish('Two, as I said.'),
        calls(('file_delete', {'path': 'law.csv'})), finish('I kept it.'),
        calls(('file_delete', {'path': 'law.csv'})), finish('It is gone.')]
    (folder / 'scenes.json').write_text(json.dumps(scenes))
    process = subprocess.Popen(
        [sys.executable, SCRIPTED, '--script', str(folder / 'scenes.json'), '--log',
         str(folder / 'log')], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(SECONDS)


def events_of(server, task):
    """The types of the events that the stream of the task sends."""
    request = urllib.request.Request(f'{server.url}/stream?run={task}&after=0')
    types = []
    with urllib.request.urlopen(request, timeout=60) as reply:
        for line in reply:
            if not line.startswith(b'data:'):
                continue
            for event in json.loads(line[5:]).get('events', []):
                types.append(event['type'])
            if 'permission_asked' in types:
                return types
    raise AssertionError(types)


def check_conversation(folder):
    with scripted_model(folder) as model:
        server = Server(folder, model)
        setup = server.good('GET', '/agent-setup')
        assert setup['model'] == 'scripted' and setup['can_start'], setup
        needs = {tool['name']: tool['needs'] for tool in setup['tools']}
        assert needs['python_run'] == ['executes'] and needs['file_read'] == [], needs
        _, reply = server.call('POST', '/uploads?name=law.csv', TABLE.encode(), 'text/csv')
        first = server.good('POST', '/agent-tasks', {
            'task': 'What is in the table?', 'files': [reply['data']['id']]})
        done = server.wait_for(first['id'], 'done', 'failed')
        assert done['answer'] == 'It has two columns.', done
        assert done['task'].endswith('File: law.csv'), done['task']
        assert server.good('GET', f'/agent-tasks/{first["id"]}/files')['items'] == [
            {'path': 'law.csv', 'bytes': len(TABLE)}]
        status, text = server.call('GET', f'/agent-tasks/{first["id"]}/file?path=law.csv')
        assert (status, text.decode()) == (200, TABLE), (status, text)
        server.refused(404, 'GET', f'/agent-tasks/{first["id"]}/file?path=../../j.db')

        second = server.good('POST', f'/agent-tasks/{first["id"]}/messages',
                             {'task': 'How many columns?'})
        second = server.wait_for(second['id'], 'done', 'failed')
        assert second['previous'] == first['id'] and len(second['history']) == 2, second
        assert server.good('GET', f'/agent-tasks/{first["id"]}')['next'] == second['id']

        third = server.good('POST', f'/agent-tasks/{second["id"]}/messages',
                            {'task': 'Delete it.'})['id']
        assert 'call_started' not in events_of(server, third)
        server.end(signal.SIGKILL)

        # The question outlives the server.
        server = Server(folder, model)
        waiting = server.wait_for(third, 'waiting')
        assert waiting['question']['tool'] == 'file_delete', waiting
        assert waiting['question']['arguments'] == {'path': 'law.csv'}, waiting
        assert 'answer its question' in server.refused(409, 'POST', f'/agent-tasks/{third}/resume')
        server.refused(409, 'POST', f'/agent-tasks/{third}/messages', {'task': 'Hurry.'})
        server.refused(400, 'POST', f'/agent-tasks/{third}/answer', {'answer': 'perhaps'})
        server.good('POST', f'/agent-tasks/{third}/answer',
                    {'answer': 'never', 'comment': 'It is the only copy'})
        kept = server.wait_for(third, 'done', 'failed')
        assert kept['answer'] == 'I kept it.', kept
        assert kept['answers'][0]['comment'] == 'It is the only copy', kept
        server.refused(409, 'POST', f'/agent-tasks/{third}/answer', {'answer': 'once'})
        sent = [json.loads(line)['body']['messages'] for line in
                (folder / 'log').read_text().splitlines()]
        assert 'It is the only copy' in json.dumps(sent[-1]), sent[-1]

        # Stopped while it waits, it asks again.
        fourth = server.good('POST', f'/agent-tasks/{third}/messages', {'task': 'Do it.'})['id']
        server.wait_for(fourth, 'waiting')
        server.good('POST', f'/agent-tasks/{fourth}/stop')
        assert server.wait_for(fourth, 'stopped')['stop_message']
        listed = server.good('GET', f'/runs/{fourth}')
        assert listed['state'] == 'interrupted', listed
        server.good('POST', f'/agent-tasks/{fourth}/resume')
        server.wait_for(fourth, 'waiting')
        server.good('POST', f'/agent-tasks/{fourth}/answer', {'answer': 'once'})
        assert server.wait_for(fourth, 'done', 'failed')['answer'] == 'It is gone.'
        assert server.good('GET', f'/agent-tasks/{fourth}/files')['items'] == []
        server.end(signal.SIGTERM)


def check_plans(folder):
    server = Server(folder)
    setup = server.good('GET', '/agent-setup')
    assert setup['model'] is None and '--llm-base-url' in setup['message'], setup
    assert 'needs a plan' in server.refused(400, 'POST', '/agent-tasks', {'task': 'Think hard'})
    assert 'nothing' in server.refused(400, 'POST', '/agent-tasks', {
        'task': 'Try', 'plan': [{'tool': 'nothing', 'arguments': {}}]})
    _, reply = server.call('POST', '/uploads?name=law.csv', TABLE.encode(), 'text/csv')
    plan = [{'tool': 'evolve_function',
             'arguments': {'path': 'law.csv', 'target': 'y', 'budget': '3s', 'seed': 1}}]
    task = server.good('POST', '/agent-tasks', {
        'task': 'Find the law', 'plan': plan, 'files': [reply['data']['id']]})['id']
    while not server.good('GET', f'/agent-tasks/{task}')['calls']:
        time.sleep(0.02)
    server.end(signal.SIGKILL)
    server = Server(folder)
    done = server.wait_for(task, 'done', 'failed')
    assert done['run_state'] == 'done', done
    assert json.loads(done['answer'])['nmse'] < 1e-9, done['answer']

    # A graceful end leaves the task for the next server, too.
    task = server.good('POST', '/agent-tasks', {
        'task': 'Find the law', 'plan': plan, 'files': [reply['data']['id']]})['id']
    while not server.good('GET', f'/agent-tasks/{task}')['calls']:
        time.sleep(0.02)
    server.end(signal.SIGTERM)
    server = Server(folder)
    assert server.wait_for(task, 'done', 'failed')['run_state'] == 'done'
    server.end(signal.SIGTERM)


def main():
    for check in (check_conversation, check_plans):
        with tempfile.TemporaryDirectory() as name:
            check(pathlib.Path(name))
    print('Agents over HTTP: conversations, questions, kills and plans work.')


if __name__ == '__main__':
    main()
