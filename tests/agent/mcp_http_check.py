#!/usr/bin/env python3
"""mcp_http_check.py LAMARCK: tools of an MCP server over Streamable HTTP.

The server is `lamarck serve`, with a token. A proxy in front of it ends streams
early and forgets sessions, so that the client must resume and start again.
"""
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

LAMARCK = sys.argv[1]


class Server:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [LAMARCK, 'serve', '--port', '0', '--json', '--data-dir', str(folder / 'served')],
            stdout=subprocess.PIPE, text=True,
            env={**os.environ, 'LAMARCK_SERVE_TOKEN': 'a-token-of-the-test'})
        address = json.loads(self.process.stdout.readline())
        self.url = address['api'].replace('/api/v1', '/mcp')

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


class Fickle(http.server.BaseHTTPRequestHandler):
    """A server with one tool. A call's stream ends before the answer, which comes when
    the stream is resumed; after the first call the session is forgotten."""
    protocol_version = 'HTTP/1.1'
    sessions = 0
    has_forgotten = False
    log = []

    def reply(self, status, body=b'', kind='application/json', **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        method = message.get('method', 'reply')
        Fickle.log.append(method)
        if method == 'initialize':
            Fickle.sessions += 1
            result = {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}},
                      'serverInfo': {'name': 'fickle', 'version': '1'}}
            self.reply(200, self.message(message, result), Mcp_Session_Id=f's{Fickle.sessions}')
        elif 'id' not in message or method == 'reply':
            self.reply(202)
        elif Fickle.sessions == 1 and Fickle.has_forgotten:
            self.reply(404, b'{}')
        elif method == 'tools/list':
            tool = {'name': 'count', 'inputSchema': {'type': 'object'},
                    'annotations': {'readOnlyHint': True}}
            self.reply(200, self.message(message, {'tools': [tool]}))
        else:
            Fickle.open = message
            ping = json.dumps({'jsonrpc': '2.0', 'id': 'p', 'method': 'ping'})
            self.reply(200, f'id: 7\nretry: 10\ndata: {ping}\n\n'.encode(), 'text/event-stream')

    def do_GET(self):
        assert self.headers['Last-Event-ID'] == '7', self.headers
        Fickle.log.append('resumed')
        Fickle.has_forgotten = True
        data = self.message(Fickle.open, {'content': [
            {'type': 'text', 'text': json.dumps({'count': Fickle.sessions})}]}).decode()
        self.reply(200, f'id: 8\ndata: {data}\n\n'.encode(), 'text/event-stream')

    def do_DELETE(self):
        Fickle.log.append('deleted ' + self.headers['Mcp-Session-Id'])
        self.reply(200)

    @staticmethod
    def message(request, result):
        return json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}).encode()

    def log_message(self, *_):
        pass


def run(folder, steps, *flags, **environment):
    plan = folder / 'plan.json'
    plan.write_text(json.dumps({'steps': [{'tool': tool, 'arguments': arguments}
                                          for tool, arguments in steps]}))
    done = subprocess.run([LAMARCK, 'agent', 'run', 'Use servers', '--plan', str(plan), '--json',
                           '--workspace', str(folder), '--data-dir', str(folder / 'data'),
                           '--no-python', '--yes', *flags], env={**os.environ, **environment},
                          capture_output=True, text=True, check=False, timeout=300)
    return (json.loads(done.stdout) if done.stdout else None), done.stderr


def check_own_server(folder):
    server = Server(folder)
    try:
        flag = ('--mcp', 'own=' + server.url)
        report, trace = run(folder, [
            ('own.think_session_start', {'goal': 'Try the client'}),
            ('own.think_plan_step', {
                'session': {'$result': {'step': 1, 'path': '/session'}},
                'content': 'A step over HTTP.'}),
        ], *flag, LAMARCK_MCP_OWN_TOKEN='a-token-of-the-test')
        assert report and report['success'], trace
        report, trace = run(folder, [('own.think_digest', {})], *flag)
        assert report is None and 'LAMARCK_MCP_OWN_TOKEN' in trace, trace
        assert 'a-token-of-the-test' not in trace
    finally:
        server.stop()


def check_fickle_server(folder):
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Fickle)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    report, trace = run(folder, [('f.count', {'n': 1}), ('f.count', {'n': 2})], '--mcp',
                        f'f=http://127.0.0.1:{server.server_port}/mcp')
    server.shutdown()
    assert report and report['success'], trace
    assert [call['result'] for call in report['calls']] == [{'count': 1}, {'count': 2}], report
    assert Fickle.log.count('resumed') == 2 and Fickle.log.count('initialize') == 2, Fickle.log
    assert Fickle.log.count('reply') == 2, Fickle.log  # To the pings.
    assert Fickle.log[-1] == 'deleted s2', Fickle.log


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        check_own_server(folder)
        check_fickle_server(folder)
    print('Tools over Streamable HTTP: tokens, resumed streams and lost sessions work.')


if __name__ == '__main__':
    main()
