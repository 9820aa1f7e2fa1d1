#!/usr/bin/env python3
"""runs_check.py LAMARCK: runs over HTTP, from upload to prediction.

A table is uploaded and a run started; its events are streamed, the stream resumes
exactly where it was cut, and the view of every event has the network of that time.
Then a server is killed with SIGKILL in the middle of three runs, and another one is
stopped with SIGTERM: the runs resume and end with the results of an undisturbed
server.
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

LAMARCK = sys.argv[1]
SECONDS = 120


def rows(count=120):
    lines = ['x,v,y']
    for i in range(count):
        x, v = (i * 37 % 101) / 25 - 2, 1 + (i * 53 % 97) / 40
        lines.append(f'{x},{v},{2.5 * x * x / v + 1}')
    return '\n'.join(lines) + '\n'


class Server:
    def __init__(self, folder):
        self.folder = folder
        environment = {**os.environ, 'HOME': str(folder)}
        self.process = subprocess.Popen(
            [LAMARCK, 'serve', '--port', '0', '--json', '--db', str(folder / 'j.db'),
             '--skills', str(folder / 's.db')],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.url = json.loads(line)['api']

    def call(self, method, path, body=None, kind='application/json'):
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body else None
        request = urllib.request.Request(self.url + path, data, method=method,
                                         headers={'Content-Type': kind} if data else {})
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as error:
            text = error.read()
            is_json = error.headers['Content-Type'] == 'application/json'
            return error.code, json.loads(text) if is_json else text

    def get(self, path):
        status, reply = self.call('GET', path)
        assert status == 200, (path, status, reply)
        return reply['data']

    def start(self, kind, options):
        status, reply = self.call('POST', '/runs', {'kind': kind, 'options': options})
        assert status == 201, reply
        return reply['data']['id']

    def upload(self, text, name='law.csv'):
        status, reply = self.call('POST', f'/uploads?name={name}', text.encode(), 'text/csv')
        assert status == 201, reply
        return reply['data']

    def wait_for(self, run, states, what=lambda run: True):
        for _ in range(SECONDS * 20):
            shown = self.get(f'/runs/{run}')
            if shown['state'] in states and what(shown):
                return shown
            time.sleep(0.05)
        raise AssertionError(f'{run} is {shown["state"]}, not {states}: {shown}')

    def stream(self, path, count, last=None):
        """The first `count` messages as (id, event, data)."""
        headers = {'Last-Event-ID': str(last)} if last is not None else {}
        request = urllib.request.Request(self.url + path, headers=headers)
        messages, message = [], {}
        with urllib.request.urlopen(request, timeout=60) as reply:
            assert reply.headers['Content-Type'] == 'text/event-stream'
            for line in reply:
                line = line.decode().rstrip('\n')
                if not line and 'data' in message:
                    messages.append((int(message['id']), message['event'],
                                     json.loads(message['data'])))
                    if len(messages) == count:
                        break
                if not line:
                    message = {}
                elif ': ' in line and not line.startswith(':'):
                    name, _, value = line.partition(': ')
                    message[name] = value
        return messages

    def stop(self, how):
        self.process.send_signal(how)
        self.process.wait(timeout=SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()


@contextlib.contextmanager
def serving(folder):
    server = Server(folder)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop(signal.SIGTERM)


def check_interface(folder):
    with serving(folder) as server:
        upload = server.upload(rows())
        assert upload['guess'] == {'target': 'y', 'task': 'regress', 'time': None,
                                   'command': 'fn'}, upload
        assert [c['name'] for c in upload['columns']] == ['x', 'v', 'y']
        run = server.start('net', {'data': upload['id'], 'target': 'y', 'budget': '60gen',
                                   'seed': 3})
        first = server.stream(f'/stream?run={run}', 3)
        rest = server.stream(f'/stream?run={run}', 2, last=first[-1][0])
        assert rest[0][0] >= first[-1][0], (first, rest)
        seen = [event['seq'] for message in first + rest if message[1] == 'events'
                for event in message[2]['events']]
        assert seen == list(range(1, len(seen) + 1)), seen
        shown = server.wait_for(run, ['done'])
        assert shown['budget'] == {'limit': 60, 'spent': 60, 'unit': 'generations'}, shown
        assert shown['can_predict'] and shown['result']['generations'] == 60, shown
        check_history(server, run)
        status, reply = server.call('POST', f'/runs/{run}/predict',
                                    {'rows': [{'x': 1, 'v': 2}, {'x': 0, 'v': 1}]})
        assert status == 200 and len(reply['data']['predictions']) == 2, reply
        status, reply = server.call('POST', f'/runs/{run}/predict',
                                    {'rows': [{'x': 1, 'v': 2}], 'level': 0.8})
        only = reply['data']['predictions'][0]
        assert only['prediction_low'] < only['prediction'] < only['prediction_high'], reply
        picture = urllib.request.urlopen(f'{server.url}/runs/{run}/artifacts/network.svg').read()
        assert picture.startswith(b'<svg'), picture[:100]
        for name, part in (('model.onnx', b'lamarck'), ('model.cc', b'#include <'),
                           ('model.safetensors', b'"dtype"')):
            assert name in server.get(f'/runs/{run}')['exports'], name
            made = [urllib.request.urlopen(f'{server.url}/runs/{run}/artifacts/{name}').read()
                    for _ in range(2)]
            assert made[0] == made[1] and part in made[0], (name, made[0][:100])
        overview = server.stream('/stream?after=0', 1)
        assert overview[0][2]['id'] == run, overview
        check_refusals(server, upload, run)


def check_history(server, run):
    events, after = [], 0
    while after is not None:
        page = server.get(f'/runs/{run}/events?after={after}&limit=50')
        events += page['events']
        after = page['next']
    assert [event['seq'] for event in events] == list(range(1, page['as_of'] + 1))
    bests = [event for event in events if event['type'] == 'best']
    assert len(bests) > 1, [event['type'] for event in events]
    for event in bests:
        view = server.get(f'/runs/{run}/view?at={event["seq"]}')
        assert view['network_seq'] == event['seq'], view
        shown = {(e['from'], e['to'], e['weight']) for e in view['network']['edges']}
        stored = {(e['from'], e['to'], e['weight']) for e in event['network']['edges']}
        assert shown == stored
        assert all(0 <= node['x'] <= 1 and 0 <= node['y'] <= 1
                   for node in view['network']['nodes']), view['network']
    kept = [m for event in events if event['type'] == 'mutations' for m in event['list']
            if m['kept']]
    assert kept and all(m['loss_after'] is not None and m['loss_before'] is not None for m in kept)
    curve = server.get(f'/runs/{run}/curve?points=20')
    assert len(curve['score']) == len(curve['x']['generation']) <= 20, curve


def check_refusals(server, upload, run):
    for method, path, body, status in [
            ('POST', '/runs', {'kind': 'net', 'options': {'data': 'up-none'}}, 404),
            ('POST', '/runs', {'kind': 'net', 'options': {}}, 400),
            ('POST', '/runs', {'kind': 'net', 'options': {'data': upload['id'], 'out': '/x'}}, 400),
            ('POST', '/runs', {'kind': 'cake', 'options': {}}, 400),
            ('POST', f'/runs/{run}/stop', None, 409),
            ('POST', f'/runs/{run}/resume', None, 409),
            ('GET', '/runs/none', None, 404),
            ('GET', f'/runs/{run}/artifacts/..%2F..%2Fj.db', None, 404),
            ('GET', '/stream?run=none', None, 404)]:
        got, reply = server.call(method, path, body)
        assert got == status, (method, path, got, reply)
    for row in ({}, {'v': 1, 'x': 'red'}):
        got, reply = server.call('POST', f'/runs/{run}/predict', {'rows': [row]})
        assert got == 400 and 'standard input' not in reply['error']['message'], reply
    got, reply = server.call('POST', '/uploads', b'a,b\n1\n', 'text/csv')
    assert got == 400, reply
    got, reply = server.call('POST', '/uploads', b'a' * (33 << 20), 'text/csv')
    assert got == 413, reply
    before = len(server.get('/runs')['runs'])
    for kind, name, value in [
            ('net', 'target', 'nothing'), ('fn', 'target', 'nothing'), ('net', 'budget', '3'),
            ('fn', 'budget', 'soon'), ('net', 'seed', -1), ('net', 'islands', 0),
            ('net', 'test_split', 5), ('net', 'goal', 5), ('fn', 'functions', 'no_such')]:
        options = {'data': upload['id'], 'target': 'y', name: value}
        got, reply = server.call('POST', '/runs', {'kind': kind, 'options': options})
        assert got == 400 and list(reply['error']['fields']) == [f'options.{name}'], (kind, name, reply)
        assert str(server.folder) not in reply['error']['message'], reply
    assert len(server.get('/runs')['runs']) == before


RUNS = [('net', {'target': 'y', 'budget': '80gen', 'seed': 1, 'single': True}),
        ('net', {'target': 'y', 'budget': '80gen', 'seed': 2, 'islands': 2, 'single': True}),
        ('fn', {'target': 'y', 'budget': '40000eval', 'seed': 1, 'inputs': 'x'})]


def start_all(server):
    upload = server.upload(rows())
    return [server.start(kind, {**options, 'data': upload['id']}) for kind, options in RUNS]


def outcome(shown):
    """What must not depend on interruptions."""
    result = shown['result']
    if shown['kind'] == 'fn':
        return result['evaluations'], result['best']['formula'], result['best']['nmse']
    return [result[name] for name in ('generations', 'evaluations', 'test_score', 'hidden_nodes')]


def check_interruptions(folder):
    (folder / 'calm').mkdir()
    with serving(folder / 'calm') as server:
        expected = [outcome(server.wait_for(run, ['done'])) for run in start_all(server)]
    for how in (signal.SIGKILL, signal.SIGTERM):
        place = folder / how.name
        place.mkdir()
        with serving(place) as server:
            ids = start_all(server)
            server.wait_for(ids[0], ['running'], lambda run: run['budget']['spent'] >= 5)
            server.stop(how)
        with serving(place) as server:
            ended = [server.wait_for(run, ['done']) for run in ids]
            assert [outcome(run) for run in ended] == expected, (how, ended, expected)
            sessions = [event for event in server.get(f'/runs/{ids[0]}/events?limit=1000')['events']
                        if event['type'] == 'started']
            assert len(sessions) >= 2, sessions
    print('Three runs survived SIGKILL and SIGTERM of the server with equal results.')


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'first').mkdir()
        check_interface(folder / 'first')
        print('Uploads, runs, streams, views and predictions work.')
        check_interruptions(folder)


if __name__ == '__main__':
    main()
