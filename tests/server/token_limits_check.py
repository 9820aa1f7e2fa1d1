#!/usr/bin/env python3
"""token_limits_check.py LAMARCK: MCP sessions are counted by token.

One client opens many sessions. The session of a client with another token at the same
address stays; a second session limit is not gained by more connections.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

LAMARCK = sys.argv[1]
MAX_SESSIONS = 8  # A quarter of them per client.


def post(url, token, message, session=None):
    headers = {'Content-Type': 'application/json', 'Authorization': f'Bearer {token}',
               'Accept': 'application/json, text/event-stream'}
    if session:
        headers['Mcp-Session-Id'] = session
    request = urllib.request.Request(url, data=json.dumps(message).encode(), headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            reply.read()
            return reply.status, reply.headers.get('Mcp-Session-Id')
    except urllib.error.HTTPError as error:
        return error.code, None


def initialize(url, token):
    status, session = post(url, token, {
        'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {
            'protocolVersion': '2025-06-18', 'capabilities': {},
            'clientInfo': {'name': 'test', 'version': '1'}}})
    assert status == 200 and session, status
    return session


def is_alive(url, token, session):
    status, _ = post(url, token, {'jsonrpc': '2.0', 'id': 2, 'method': 'ping'}, session)
    return status == 200


def main():
    with tempfile.TemporaryDirectory() as name:
        data = ['--data-dir', name]
        tokens = [json.loads(subprocess.run(
            [LAMARCK, 'serve', 'token', 'create', '--json', *data], capture_output=True,
            text=True, check=True).stdout)['token'] for _ in range(2)]
        process = subprocess.Popen(
            [LAMARCK, 'serve', '--port', '0', '--json', '--max-sessions', str(MAX_SESSIONS), *data],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            url = json.loads(process.stdout.readline())['api'].replace('/api/v1', '/mcp')
            quiet = initialize(url, tokens[0])
            flood = [initialize(url, tokens[1]) for _ in range(5 * MAX_SESSIONS)]
            assert is_alive(url, tokens[0], quiet), 'The session of another token was closed.'
            alive = sum(is_alive(url, tokens[1], session) for session in flood)
            assert alive == MAX_SESSIONS // 4, alive
        finally:
            process.terminate()
            process.wait(60)
    print('Sessions are counted by token.')


if __name__ == '__main__':
    main()
