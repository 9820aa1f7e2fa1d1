#!/usr/bin/env python3
"""Two `lamarck serve` on one PostgreSQL database, which is restarted while clients
write through both.

    shared_database_check.py LAMARCK [--clients N] [--seconds N] [--restarts N]

A client repeats a step with the same key until it is acknowledged, each time at the
other server. At the end every acknowledged step must be stored exactly once. A change
through one server must reach a client that is subscribed at the other one. Then the
database is copied to a file and back, and both must be equal.
"""
import argparse
import glob
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

META = {'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {}}
NOBODY = 65534


def postgres_program(name):
    found = sorted(glob.glob(f'/usr/lib/postgresql/*/bin/{name}'))
    assert found, 'Install the Debian package postgresql.'
    return found[-1]


class Postgres:
    """A cluster of its own; a server must not run as root."""

    def __init__(self, folder):
        self.folder = folder
        self.user = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []} if os.geteuid() == 0 else {}
        if self.user:
            os.chown(folder, NOBODY, NOBODY)
        subprocess.run([postgres_program('initdb'), '-D', folder / 'data', '-U', 'lamarck',
                        '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
                       check=True, stdout=subprocess.DEVNULL, cwd=folder, **self.user)
        self.url = f'postgresql://lamarck@/postgres?host={folder}'
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [postgres_program('postgres'), '-D', self.folder / 'data', '-k', self.folder,
             '-c', 'listen_addresses=', '-c', 'max_connections=60'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder, **self.user)

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        self.process.wait(timeout=60)


class Server:
    def __init__(self, lamarck, url, folder):
        self.process = subprocess.Popen(
            [lamarck, 'serve', '--port', '0', '--json', '--db', url],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, 'HOME': str(folder)})
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.url = json.loads(line)['url']

    def call(self, tool, arguments, timeout=60):
        body = {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call',
                'params': {'name': tool, 'arguments': arguments, '_meta': META}}
        request = urllib.request.Request(
            self.url, json.dumps(body).encode(), headers={
                'Content-Type': 'application/json', 'MCP-Protocol-Version': '2026-07-28',
                'Mcp-Method': 'tools/call', 'Mcp-Name': tool})
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            answer = json.loads(reply.read())
        if 'error' in answer:
            raise ValueError(str(answer['error'])[:300])
        result = answer['result']
        if result.get('isError'):
            raise ValueError(str(result)[:300])
        return result['structuredContent']

    def stop(self):
        self.process.terminate()
        code = self.process.wait(timeout=60)
        assert code == 128 + signal.SIGTERM, (code, self.process.stderr.read())


class Client(threading.Thread):
    def __init__(self, number, servers, stopped):
        super().__init__()
        self.number, self.servers, self.stopped = number, servers, stopped
        self.acknowledged, self.failures = 0, 0
        self.longest = 0.0  # Seconds until a step was acknowledged.
        self.session = servers[0].call('think_session_start',
                                       {'goal': f'Client {number}'})['session']

    def run(self):
        turn = self.number
        while not self.stopped.is_set():
            step = {'session': self.session, 'content': f'Thought {self.acknowledged}',
                    'idempotency_key': f'{self.number}.{self.acknowledged}'}
            began = time.monotonic()
            while True:
                turn += 1
                try:
                    self.servers[turn % 2].call('think_plan_step', step)
                    break
                except (ValueError, OSError) as failure:
                    self.failures += 1
                    self.last_failure = failure
                    if time.monotonic() - began > 60:
                        raise
                    time.sleep(0.1)
            self.longest = max(self.longest, time.monotonic() - began)
            self.acknowledged += 1


def stored_steps(lamarck, url, session, environment):
    shown = subprocess.run([lamarck, 'think', 'export', session, '--json', '--db', url],
                           capture_output=True, text=True, env=environment)
    assert shown.returncode == 0, shown.stderr
    events = json.loads(shown.stdout)['events']
    return [event['content'] for event in events if event['type'] == 'plan_step']


def check_live_view(first, second):
    """A step through one server is reported to a subscriber of the other one."""
    session = first.call('think_session_start', {'goal': 'Watch me'})['session']

    def post(body, **headers):
        request = urllib.request.Request(
            second.url, json.dumps({'jsonrpc': '2.0', **body}).encode(),
            headers={'Content-Type': 'application/json', **headers})
        return urllib.request.urlopen(request, timeout=60)

    reply = post({'id': 1, 'method': 'initialize', 'params': {
        'protocolVersion': '2025-11-25', 'capabilities': {},
        'clientInfo': {'name': 'watch', 'version': '1'}}})
    own = {'Mcp-Session-Id': reply.headers['Mcp-Session-Id']}
    post({'method': 'notifications/initialized'}, **own)
    uri = f'thought://session/{session}'
    post({'id': 2, 'method': 'resources/subscribe', 'params': {'uri': uri}}, **own).read()
    stream = urllib.request.urlopen(urllib.request.Request(
        second.url, headers={'Accept': 'text/event-stream', **own}), timeout=60)
    first.call('think_plan_step', {'session': session, 'content': 'Seen elsewhere'})
    for line in stream:
        if uri.encode() in line:
            return
    raise AssertionError('The stream ended without the change.')


def lamarck_db(lamarck, environment, *words):
    done = subprocess.run([lamarck, 'db', *words, '--json'], capture_output=True, text=True,
                          env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('lamarck')
    parser.add_argument('--clients', type=int, default=16)
    parser.add_argument('--seconds', type=float, default=12)
    parser.add_argument('--restarts', type=int, default=3)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix='lamarck_shared_'))
    os.chmod(folder, 0o755)
    (folder / 'pg').mkdir()
    environment = {**os.environ, 'HOME': str(folder)}
    postgres = Postgres(folder / 'pg')
    servers = []
    try:
        deadline = time.monotonic() + 60
        while subprocess.run([options.lamarck, 'db', 'migrate', '--db', postgres.url],
                             capture_output=True, env=environment).returncode != 0:
            assert time.monotonic() < deadline, 'PostgreSQL did not start.'
            time.sleep(0.1)
        servers = [Server(options.lamarck, postgres.url, folder) for _ in range(2)]
        check_live_view(*servers)
        stopped = threading.Event()
        clients = [Client(i, servers, stopped) for i in range(options.clients)]
        for client in clients:
            client.start()
        chance = random.Random(7)
        for i in range(options.restarts):
            time.sleep(options.seconds / (options.restarts + 1))
            # As an administrator would, and as a crash would.
            postgres.stop(signal.SIGINT if i % 2 == 0 else signal.SIGQUIT)
            time.sleep(chance.uniform(0, 1))
            postgres.start()
        time.sleep(options.seconds / (options.restarts + 1))
        stopped.set()
        for client in clients:
            client.join()
        for client in clients:
            steps = stored_steps(options.lamarck, postgres.url, client.session, environment)
            expected = [f'Thought {i}' for i in range(client.acknowledged)]
            assert steps == expected, (client.number, len(steps), client.acknowledged)
        for server in servers:
            server.stop()
        servers = []
        place = ['--db', postgres.url]
        copy = str(folder / 'copy.db')
        exported = lamarck_db(options.lamarck, environment, 'export', str(folder / 'a.jsonl'), *place)
        lamarck_db(options.lamarck, environment, 'import', str(folder / 'a.jsonl'), '--db', copy)
        checked = lamarck_db(options.lamarck, environment, 'check', '--db', copy, '--against', postgres.url)
        assert checked == exported, (checked, exported)
        back = postgres.url + '&schema=second'
        lamarck_db(options.lamarck, environment, 'export', str(folder / 'b.jsonl'), '--db', copy)
        lamarck_db(options.lamarck, environment, 'import', str(folder / 'b.jsonl'), '--db', back)
        lamarck_db(options.lamarck, environment, 'check', '--db', back, '--against', postgres.url)
        total = sum(client.acknowledged for client in clients)
        assert total > 0
        print(f'{total} steps of {options.clients} clients through two servers, '
              f'{options.restarts} restarts: none lost, none twice; '
              f'{sum(client.failures for client in clients)} refused meanwhile, the longest '
              f'took {max(client.longest for client in clients):.1f} s')
    finally:
        for server in servers:
            server.process.kill()
        postgres.process.kill()
        postgres.process.wait()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
