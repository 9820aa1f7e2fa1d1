#!/usr/bin/env python3
"""Sends the calls of transcript files to `lamarck mcp` and compares the answers.

    think_transcripts.py LAMARCK FILE... [--approve]

A file has lines `> TOOL {arguments}`, each followed by the answer as indented
JSON. Ids are replaced by sess_1, evt_1, ... in the order of appearance and can be
used in later calls; times are masked. `> restart` kills the server and starts it
again with the same journal. `> legacy` and `> modern` select the protocol era of
the following calls. --approve writes the answers into the files, for review.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

UUID = r'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
}
TIMES = {'ts', 'created', 'updated', 'walltime_ms', 'latency_ms',
         'time_left_ms', 'time_used_ms', 'thinking_time_ms'}


class Names:
    """Maps real ids to short names and back."""

    def __init__(self):
        self.short = {}

    def hide(self, text):
        def name(match):
            kind = match.group(1)
            if match.group(0) not in self.short:
                count = sum(s.startswith(kind) for s in self.short.values())
                self.short[match.group(0)] = f'{kind}{count + 1}'
            return self.short[match.group(0)]
        return re.sub(rf'\b([a-z]+_){UUID}', name, text)

    def show(self, text):
        real = {short: long for long, short in self.short.items()}
        return re.sub(r'\b[a-z]+_\d+\b',
                      lambda match: real.get(match.group(0), match.group(0)),
                      text)


class Server:
    def __init__(self, program, db):
        self.command = [program, 'mcp', '--db', str(db)]
        self.id = 0
        self.start()

    def start(self):
        self.is_initialized = False
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, encoding='utf-8')

    def restart(self):
        self.process.kill()
        self.process.communicate()
        self.start()

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + '\n')
        self.process.stdin.flush()

    def request(self, method, params):
        self.id += 1
        self.send({'jsonrpc': '2.0', 'id': self.id, 'method': method,
                   'params': params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit('The server exited before it replied.')
            reply = json.loads(line)
            if reply.get('id') == self.id:
                return reply

    def call(self, era, tool, arguments):
        params = {'name': tool, 'arguments': arguments}
        if era == 'modern':
            params['_meta'] = META
        elif not self.is_initialized:
            self.request('initialize', {
                'protocolVersion': '2025-11-25', 'capabilities': {},
                'clientInfo': {'name': 'transcripts', 'version': '1'}})
            self.send({'jsonrpc': '2.0', 'method': 'notifications/initialized'})
            self.is_initialized = True
        return self.request('tools/call', params)

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        return code


def masked(value):
    if isinstance(value, dict):
        return {key: '...' if key in TIMES else masked(inner)
                for key, inner in value.items()}
    return [masked(inner) for inner in value] if isinstance(value, list) else value


def answer_of(reply):
    if 'error' in reply:
        return {'error': reply['error']}
    result = reply['result']
    if result.get('isError'):
        texts = [block['text'] for block in result['content']]
        return {'isError': texts[0], **({'details': json.loads(texts[1])}
                                        if len(texts) > 1 else {})}
    content = result['structuredContent']
    if json.loads(result['content'][0]['text']) != content:
        raise SystemExit('The text block differs from structuredContent.')
    return content


def played(path, program):
    """Returns the text of the file with the actual answers of the server."""
    names = Names()
    era = 'modern'
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, pathlib.Path(folder) / 'journal.db')
        for line in path.read_text(encoding='utf-8').splitlines():
            if line.startswith('#'):
                lines.append(line)
            if not line.startswith('> '):
                continue
            lines += ['', line] if lines else [line]
            word, _, rest = line[2:].partition(' ')
            if word == 'restart':
                server.restart()
            elif word in ('modern', 'legacy'):
                era = word
            else:
                reply = server.call(era, word, json.loads(names.show(rest) or '{}'))
                text = json.dumps(masked(answer_of(reply)), indent=2,
                                  ensure_ascii=False)
                lines += names.hide(text).splitlines()
        if server.close() != 0:
            raise SystemExit('The server exited with a nonzero code.')
    return '\n'.join(lines) + '\n'


def tools_without_a_line(program, paths):
    """Returns the tools that no file calls."""
    text = '\n'.join(path.read_text(encoding='utf-8') for path in paths)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, pathlib.Path(folder) / 'journal.db')
        tools = server.request('tools/list', {'_meta': META})['result']['tools']
        server.close()
    return [tool['name'] for tool in tools if f"> {tool['name']} " not in text]


def main():
    words = [word for word in sys.argv[1:] if word != '--approve']
    failures = 0
    for name in tools_without_a_line(words[0], map(pathlib.Path, words[1:])):
        print(f'{name} is not called in any transcript; add a line.')
        failures += 1
    for path in map(pathlib.Path, words[1:]):
        expected = path.read_text(encoding='utf-8')
        actual = played(path, words[0])
        if actual == expected:
            continue
        failures += 1
        if '--approve' in sys.argv:
            path.write_text(actual, encoding='utf-8')
            continue
        print(f'{path.name}: the answers differ:')
        for old, new in zip(expected.splitlines(), actual.splitlines()):
            if old != new:
                print(f'  expected {old}\n  actual   {new}')
                break
        print('To accept the new answers: think_transcripts.py LAMARCK FILE --approve')
    print(f'{len(words) - 1} transcripts, {failures} failures.')
    return int(failures > 0 and '--approve' not in sys.argv)


if __name__ == '__main__':
    sys.exit(main())
