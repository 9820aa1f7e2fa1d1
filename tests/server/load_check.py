#!/usr/bin/env python3
"""Puts `lamarck serve` under load on loopback and watches errors and memory.

    load_check.py LAMARCK [--seconds N] [--clients N] [--idle N]

First, mixed clients send requests without a pause for --seconds: sessions of
both protocol eras, streams, resources, large plans, the lists of the page, tasks
of agents, health checks and mistakes.
Every reply must be the expected one, and the memory of the server must stay
flat. Then --idle connections stay open while /health is asked 500 times.
Last, 200 clients send 4 MB each and never finish, which must not take 800 MB.
Prints the figures. With --max-health-ms, a slower median is an error.
"""
import argparse
import json
import pathlib
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time

META = {'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {}}
PLAN = {'dry_run': True, 'rollback': {'strategy': 'git_revert'},
        'limits': {'max_changes': 40, 'max_files': 2},
        'capabilities_required': ['edit'],
        'success_criteria': ['test_login is green']}


class Reply:
    def __init__(self, head, body):
        lines = head.decode().split('\r\n')
        self.status = int(lines[0].split()[1])
        self.headers = dict(line.lower().split(': ', 1) for line in lines[1:])
        self.body = body

    def result(self):
        """The result of a call that must succeed."""
        answer = json.loads(self.body)
        if self.status != 200 or 'result' not in answer:
            raise ValueError(f'{self.status} {self.body[:300]}')
        if answer['result'].get('isError'):
            raise ValueError(f'{self.body[:300]}')
        return answer['result']

    def structured(self):
        return self.result()['structuredContent']

    def expect(self, status):
        if self.status != status:
            raise ValueError(f'{self.status} instead of {status}: '
                             f'{self.body[:300]}')
        return self


def request(method, path, body=b'', **headers):
    lines = [f'{method} {path} HTTP/1.1', 'Host: localhost']
    lines += [f'{name.replace("_", "-")}: {value}'
              for name, value in headers.items()]
    if body:
        lines += ['Content-Type: application/json',
                  f'Content-Length: {len(body)}']
    return '\r\n'.join(lines).encode() + b'\r\n\r\n' + body


def post(method, params, **headers):
    body = {'jsonrpc': '2.0', 'method': method, 'params': params}
    if not method.startswith('notifications/'):
        body['id'] = 1
    return request('POST', '/mcp', json.dumps(body).encode(), **headers)


def modern(method, params, name=None):
    headers = {'MCP_Protocol_Version': '2026-07-28', 'Mcp_Method': method}
    if name:
        headers['Mcp_Name'] = name
    return post(method, {**params, '_meta': META}, **headers)


def modern_tool(name, arguments):
    return modern('tools/call', {'name': name, 'arguments': arguments}, name)


# A script is a generator: it yields requests and gets their replies.


def modern_script():
    """A session from goal to plan, without a protocol session."""
    (yield modern('server/discover', {})).result()
    (yield modern('tools/list', {})).result()
    session = (yield modern_tool('think_session_start',
                                 {'goal': 'Fix the login'})
               ).structured()['session']
    for i in range(5):
        (yield modern_tool('think_plan_step',
                           {'session': session, 'content': f'Thought {i}',
                            'idempotency_key': f'key-{i}'})).result()
    (yield modern_tool('think_branch',
                       {'session': session, 'action': 'fork', 'children': [
                           {'name': 'a', 'content': 'One'},
                           {'name': 'b', 'content': 'Two'}]})).result()
    (yield modern_tool('think_validate_plan',
                       {'session': session, 'branch': 'a', 'plan': PLAN}
                       )).result()
    (yield modern_tool('think_digest', {'session': session})).result()
    uri = f'thought://session/{session}/graph'
    (yield modern('resources/read', {'uri': uri}, uri)).result()


def legacy_script():
    """The same in a protocol session, which ends with DELETE."""
    reply = yield post('initialize', {
        'protocolVersion': '2025-11-25', 'capabilities': {},
        'clientInfo': {'name': 'load', 'version': '1'}})
    reply.result()
    own = {'Mcp_Session_Id': reply.headers['mcp-session-id']}
    (yield post('notifications/initialized', {}, **own)).expect(202)

    def tool(name, arguments):
        return post('tools/call', {'name': name, 'arguments': arguments}, **own)
    session = (yield tool('think_session_start', {'goal': 'Fix the login'})
               ).structured()['session']
    for i in range(3):
        (yield tool('think_plan_step', {'session': session,
                                        'content': f'Thought {i}'})).result()
    (yield post('resources/subscribe', {'uri': f'thought://session/{session}'},
                **own)).result()
    (yield tool('think_session_control', {'session': session,
                                          'action': 'complete'})).result()
    (yield request('DELETE', '/mcp', **own)).expect(200)


def list_script():
    """Lists of everything."""
    listed = (yield modern_tool('think_digest', {})).structured()
    if 'after' in listed:
        (yield modern_tool('think_digest',
                           {'after': listed['after']})).result()
    (yield modern('resources/list', {})).result()
    (yield modern('prompts/list', {})).result()


def mistake_script():
    """Requests that the server must reject, and health checks."""
    (yield request('GET', '/health')).expect(200)
    (yield request('GET', '/nothing')).expect(404)
    (yield request('POST', '/mcp', b'{')).expect(400)
    (yield post('ping', {}, Mcp_Session_Id='none')).expect(404)
    (yield request('GET', '/health', Origin='http://evil.example')).expect(403)


def upload_script():
    """A plan of 200 KB."""
    session = (yield modern_tool('think_session_start',
                                 {'goal': 'Write much'})).structured()['session']
    large = {**PLAN, 'success_criteria': ['x' * 1000] * 200}
    (yield modern_tool('think_validate_plan',
                       {'session': session, 'plan': large})).expect(200)


def stream_script():
    """A session whose stream is never read to its end."""
    reply = yield post('initialize', {
        'protocolVersion': '2025-11-25', 'capabilities': {},
        'clientInfo': {'name': 'load', 'version': '1'}})
    reply.result()
    own = {'Mcp_Session_Id': reply.headers['mcp-session-id']}
    (yield post('notifications/initialized', {}, **own)).expect(202)
    (yield post('resources/subscribe', {'uri': 'thought://sessions'}, **own)
     ).result()
    yield request('GET', '/mcp', Accept='text/event-stream', **own)


def rest(method, path, body=None):
    return request(method, '/api/v1' + path, json.dumps(body).encode() if body else b'')


def page_script():
    """What the page reads."""
    for path in ('/runs?limit=50', '/thoughts?limit=50', '/agent-tasks?limit=50',
                 '/evolved-skills?status=pending_review', '/agent-setup'):
        (yield rest('GET', path)).expect(200)


def agent_script():
    """A task of an agent that asks before it deletes a file."""
    plan = [{'tool': 'file_write', 'arguments': {'path': 'a.txt', 'content': 'a'}},
            {'tool': 'file_delete', 'arguments': {'path': 'a.txt'}}]
    started = (yield rest('POST', '/agent-tasks', {'task': 'Tidy up', 'plan': plan})).expect(202)
    path = f'/agent-tasks/{json.loads(started.body)["data"]["id"]}'
    for state in ('waiting', 'failed'):
        while True:
            shown = json.loads((yield rest('GET', path)).expect(200).body)['data']
            if shown['run_state'] == state:
                break
            if shown['run_state'] not in ('queued', 'running', 'waiting'):
                raise ValueError(f'{shown["run_state"]} instead of {state}')
        if state == 'waiting':
            (yield rest('POST', path + '/answer', {'answer': 'never'})).expect(202)


SCRIPTS = [modern_script, legacy_script, list_script, mistake_script,
           upload_script, page_script, agent_script, stream_script]


class Client:
    """One connection that repeats a script."""

    def __init__(self, port, script, load):
        self.port, self.script, self.load = port, script, load
        self.socket = None
        self.connect()

    def connect(self):
        if self.socket:
            self.load.selector.unregister(self.socket)
            self.socket.close()
        self.socket = socket.create_connection(('127.0.0.1', self.port))
        self.load.selector.register(self.socket, selectors.EVENT_READ, self)
        self.received = b''
        self.streams_until = None
        self.restart()

    def restart(self):
        self.steps = self.script()
        self.socket.sendall(next(self.steps))

    def on_readable(self):
        data = self.socket.recv(1 << 20)
        if self.streams_until is not None:
            self.load.streamed += len(data)
            if not data:
                self.load.fail(self, 'The stream ended.')
            return
        if not data:
            self.load.fail(self, 'The server closed the connection.')
            return self.connect()
        self.received += data
        while (end := self.received.find(b'\r\n\r\n')) >= 0:
            head = self.received[:end]
            reply = Reply(head, b'')
            if reply.headers.get('transfer-encoding') == 'chunked':
                self.streams_until = time.monotonic() + 2
                return
            size = int(reply.headers.get('content-length', 0))
            if len(self.received) < end + 4 + size:
                return
            reply.body = self.received[end + 4:end + 4 + size]
            self.received = self.received[end + 4 + size:]
            self.advance(reply)

    def advance(self, reply):
        self.load.requests += 1
        try:
            self.socket.sendall(self.steps.send(reply))
        except StopIteration:
            self.restart()
        except (ValueError, KeyError) as error:
            self.load.fail(self, repr(error))
            self.restart()

    def on_time(self, now):
        if self.streams_until is not None and now > self.streams_until:
            self.connect()  # Leaves the stream and opens another.


class Load:
    def __init__(self, server):
        self.server = server
        self.selector = selectors.DefaultSelector()
        self.requests = self.streamed = self.errors = 0
        self.samples = []  # (seconds, requests, megabytes)

    def fail(self, client, text):
        self.errors += 1
        if self.errors <= 10:
            print(f'Error in {client.script.__name__}: {text}')

    def run(self, count, seconds):
        clients = [Client(self.server.port, SCRIPTS[i % len(SCRIPTS)], self)
                   for i in range(count)]
        start = last = time.monotonic()
        while (now := time.monotonic()) - start < seconds:
            for key, _ in self.selector.select(0.1):
                key.data.on_readable()
            if now - last < 1:
                continue
            last = now
            for client in clients:
                client.on_time(now)
            self.samples.append((now - start, self.requests,
                                 self.server.megabytes()))
        for client in clients:
            client.socket.close()

    def report(self, seconds):
        step = max(1, len(self.samples) // 10)
        for i in range(step - 1, len(self.samples), step):
            at, requests, megabytes = self.samples[i]
            before = self.samples[i - step] if i >= step else (0, 0, 0)
            rate = (requests - before[1]) / (at - before[0])
            print(f'  {at:5.0f} s  {rate:6.0f} requests/s  {megabytes:6.1f} MB')
        print(f'{self.requests} requests in {seconds:.0f} s, '
              f'{self.streamed >> 10} KB streamed, {self.errors} errors.')

    def growth(self):
        """The megabytes gained from the second to the last quarter."""
        sizes = [sample[2] for sample in self.samples]
        quarter = len(sizes) // 4
        return (statistics.median(sizes[-quarter:]) -
                statistics.median(sizes[quarter:2 * quarter]))


class Server:
    def __init__(self, program, folder):
        self.process = subprocess.Popen(
            [program, 'serve', '--port', '0', '--json', '--db',
             str(pathlib.Path(folder) / 'journal.db')],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = json.loads(self.process.stdout.readline())['port']

    def megabytes(self):
        for line in open(f'/proc/{self.process.pid}/status'):
            if line.startswith('VmRSS'):
                return int(line.split()[1]) / 1024
        return 0

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


def health_times(port, count):
    with socket.create_connection(('127.0.0.1', port)) as client:
        times = []
        for _ in range(count):
            start = time.monotonic()
            client.sendall(request('GET', '/health'))
            answer = client.recv(10000)
            times.append((time.monotonic() - start) * 1000)
            if not answer.startswith(b'HTTP/1.1 200 '):
                raise ValueError(answer)
        return sorted(times)


def check_idle(server, count):
    """Returns the median time of a health check in milliseconds."""
    connections = [socket.create_connection(('127.0.0.1', server.port))
                   for _ in range(count)]
    times = health_times(server.port, 500)
    print(f'{count} idle connections: /health in {times[250]:.2f} ms (median), '
          f'{times[-5]:.2f} ms (99 %), {times[-1]:.2f} ms (maximum); '
          f'{server.megabytes():.1f} MB.')
    for connection in connections:
        connection.close()
    return times[250]


def check_uploads(server):
    """Returns the megabytes that unfinished requests take."""
    before = server.megabytes()
    head = (b'POST /mcp HTTP/1.1\r\nHost: localhost\r\n'
            b'Content-Length: 4194304\r\n\r\n')
    connections = []
    for _ in range(200):
        connection = socket.create_connection(('127.0.0.1', server.port))
        connections.append(connection)
        try:
            connection.sendall(head + b' ' * 4_100_000)
        except OSError:
            pass  # Rejected while it sends.
    health_times(server.port, 1)
    rejected = 0
    for connection in connections:
        connection.setblocking(False)
        try:
            rejected += b' 503 ' in connection.recv(100)
        except OSError:
            pass
        connection.close()
    growth = server.megabytes() - before
    print(f'200 unfinished requests of 4 MB took {growth:.1f} MB; {rejected} '
          'were rejected.')
    return growth


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--seconds', type=float, default=300)
    parser.add_argument('--clients', type=int, default=64)
    parser.add_argument('--idle', type=int, default=9000)
    parser.add_argument('--max-growth-mb', type=float, default=16)
    parser.add_argument('--max-health-ms', type=float)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    idle = min(options.idle, hard - 100)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.program, folder)
        try:
            load = Load(server)
            load.run(options.clients, options.seconds)
            load.report(options.seconds)
            median = check_idle(server, idle)
            uploads = check_uploads(server)
        finally:
            server.stop()
        verified = subprocess.run([options.program, 'think', 'verify', '--db',
                                   str(pathlib.Path(folder) / 'journal.db')])
    growth = load.growth()
    print(f'Memory grew by {growth:.1f} MB after the first quarter.')
    is_slow = options.max_health_ms and median > options.max_health_ms
    sound = (load.errors == 0 and load.requests > 0 and not is_slow and
             growth <= options.max_growth_mb and uploads <= 256 and
             verified.returncode == 0)
    return 0 if sound else 1


if __name__ == '__main__':
    sys.exit(main())
