#!/usr/bin/env python3
"""Checks webhooks from a running server to a receiver that fails at first.

  webhook_check.py LAMARCK

Every event must arrive at least once, signed, although the receiver answers the
first attempts with errors; and private addresses are refused by default.
"""
import base64
import hashlib
import hmac
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

FAILURES = 2  # Of each event.


class Receiver(http.server.BaseHTTPRequestHandler):
    attempts = {}   # Event id -> number of attempts.
    received = []   # (headers, body) of accepted events.

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        event = self.headers['webhook-id']
        count = self.attempts[event] = self.attempts.get(event, 0) + 1
        if count > FAILURES:
            self.received.append((dict(self.headers.items()), body))
        self.send_response(204 if count > FAILURES else 500)
        self.end_headers()

    def log_message(self, *_):
        pass


class Server:
    def __init__(self, program, folder, *flags):
        self.process = subprocess.Popen(
            [program, 'serve', '--port', '0', '--json', '--db',
             str(pathlib.Path(folder) / 'journal.db'), *flags],
            stdout=subprocess.PIPE, text=True)
        self.api = json.loads(self.process.stdout.readline())['api']

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.api + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def data(self, method, path, body=None):
        status, reply = self.call(method, path, body)
        assert reply['success'], (status, reply)
        return reply['data']

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


def eventually(what, condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, f'Timed out waiting until {what}.'
        time.sleep(0.05)


def trace(customer, order):
    return {
        'session_id': f'session-{order}',
        'request': f'Refund order {order} of customer {customer}',
        'calls': [
            {'tool': 'find_customer', 'arguments': {'name': customer},
             'result': {'id': f'c-{customer}'}},
            {'tool': 'find_order', 'arguments': {
                'customer': f'c-{customer}', 'order': order},
             'result': {'total': 20, 'key': f'k-{order}'}},
            {'tool': 'get_refund_quote', 'arguments': {'key': f'k-{order}'},
             'result': {'state': 'ready'}}],
        'answer': 'Done.',
        'reflection': {'success': True, 'summary': 'It worked.',
                       'reusability': 0.9}}


def is_signed(secret, headers, body):
    key = base64.b64decode(secret.removeprefix('whsec_'))
    lower = {name.lower(): value for name, value in headers.items()}
    message = f"{lower['webhook-id']}.{lower['webhook-timestamp']}.".encode()
    digest = hmac.new(key, message + body, hashlib.sha256).digest()
    return lower['webhook-signature'] == 'v1,' + base64.b64encode(digest).decode()


def check_events(server, port):
    hook = server.data('POST', '/webhooks', {'url': f'http://127.0.0.1:{port}/'})
    assert 'secret' not in server.data('GET', '/webhooks')['items'][0]
    server.data('POST', '/agents', {'name': 'clerk', 'evolution': {
        'enabled': True, 'cooldown_minutes': 0}})
    job = server.data('POST', '/agents/clerk/learn',
                      {'traces': [trace('Ada', '1234')]})
    eventually('the job ends', lambda: server.data(
        'GET', f"/jobs/{job['id']}")['state'] not in ('queued', 'running'))
    ended = server.data('GET', f"/jobs/{job['id']}")
    assert ended['state'] == 'done', ended
    path = f"/evolved-skills/{ended['skill_id']}"
    server.data('POST', path + '/review', {'action': 'reject'})
    server.data('POST', path + '/review', {'action': 'approve'})
    server.data('POST', path + '/promote')
    server.data('DELETE', path)
    wanted = {'evolution.triggered', 'evolution.skill_created',
              'evolution.skill_rejected', 'evolution.skill_approved',
              'evolution.skill_promoted', 'evolution.skill_deprecated'}

    def arrived():
        return {json.loads(body)['type'] for _, body in Receiver.received}
    eventually('all events arrive', lambda: arrived() >= wanted)
    assert all(is_signed(hook['secret'], *each) for each in Receiver.received)
    rows = server.data('GET', '/webhook-deliveries')['items']
    assert all(row['attempts'] >= FAILURES + 1 for row in rows), rows
    print(f'{len(Receiver.received)} signed events arrived after '
          f'{sum(Receiver.attempts.values())} attempts.')


def main():
    program = sys.argv[1]
    receiver = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    port = receiver.server_address[1]
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, folder)
        try:
            status, reply = server.call('POST', '/webhooks',
                                        {'url': f'http://127.0.0.1:{port}/'})
            assert status == 400 and 'public address' in reply['error']['message']
        finally:
            server.stop()
        server = Server(program, folder, '--allow-private-webhooks')
        try:
            check_events(server, port)
        finally:
            server.stop()


if __name__ == '__main__':
    main()
