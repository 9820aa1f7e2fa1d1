#!/usr/bin/env python3
"""Feeds names, cells, programs and replies with characters that a terminal obeys
through every command that prints them: none may reach the terminal or the comments
of exported code, and `--json` must keep them exact.

    hostile_text_check.py PROGRAM SCRIPTED_SERVER
"""
import csv
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

# C0, DEL, C1, marks that reorder text, line separators, a byte order mark.
UNSAFE = {*range(0x20), *range(0x7f, 0xa0), 0x061c, 0x200e, 0x200f,
          *range(0x2028, 0x202f), *range(0x2066, 0x206a), 0xfeff} - {0x09, 0x0a}
EVIL = '\x1b[31m\x07\x9b2J\u202eabc\u2067\u2028\u2029\x85\u200f\ufeff'
NAMES = ['a' + EVIL, 'b\nc', 'd"e"', 'f*/g', 'h"""i\\', "j'k\\"]
TARGET = 'y' + EVIL
PROGRAM = '''# lamarck: evolve
def line(x):
    while x > 100:
        x -= 1
    return x
'''
EVALUATE = '''def inputs():
    return ['near EVIL']


def evaluate(program, name):
    return -sum(abs(program.line(x) - (3 * x + 1)) for x in (1, 2, 3))
'''
REPLY = f'def line(x):\n    """Better{EVIL}"""\n    return 3 * x + 1  # {EVIL}\n'


def unsafe_in(text):
    return sorted({hex(ord(c)) for c in text if ord(c) in UNSAFE})


def strings_in(value):
    """Yields all strings of a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)


class Check:
    def __init__(self, program, server, folder):
        self.program = str(pathlib.Path(program).resolve())
        self.server = str(pathlib.Path(server).resolve())
        self.folder = pathlib.Path(folder)
        self.environment = {'HOME': folder,
                            'PATH': '/usr/local/bin:/usr/bin:/bin'}
        with open(self.folder / 'evil.csv', 'w', newline='',
                  encoding='utf-8') as file:
            writer = csv.writer(file)
            writer.writerow([*NAMES, TARGET, 'kind' + EVIL, 'sign' + EVIL])
            for i in range(60):
                row = [(i * k) % 17 + 1 for k in range(1, len(NAMES) + 1)]
                writer.writerow([*row, row[0] * 2 + row[1],
                                 ('left', 'right', 'up')[row[0] % 3] + EVIL,
                                 ('no', 'yes')[row[0] % 2] + EVIL])

    def call(self, *words, before=(), given=None):
        done = subprocess.run(
            [*before, self.program, *words], cwd=self.folder,
            env=self.environment, capture_output=True, timeout=120,
            input=given, check=False)
        return (done.returncode, done.stdout.decode(), done.stderr.decode())

    def safe(self, *words, code=0, before=(), given=None):
        """Runs a command; its output must be safe."""
        found, out, errors = self.call(*words, before=before, given=given)
        for name, text in (('stdout', out), ('stderr', errors)):
            if unsafe_in(text):
                sys.exit(f'{words}: {unsafe_in(text)} in {name}:\n{text!r}')
        if found != code:
            sys.exit(f'{words}: exit code {found}, want {code}\n{out}{errors}')
        return out

    def exact(self, *words, before=()):
        """Runs a command with --json, whose text must be exact."""
        _, out, errors = self.call(*words, '--json', before=before)
        if unsafe_in(errors):
            sys.exit(f'{words} --json: {unsafe_in(errors)} in stderr')
        if EVIL not in ''.join(strings_in(json.loads(out))):
            sys.exit(f'{words} --json does not have the exact text:\n{out}')

    def safe_file(self, name):
        text = (self.folder / name).read_text(encoding='utf-8')
        if unsafe_in(text):
            sys.exit(f'{name}: {unsafe_in(text)}')
        return text

    def on_terminal(self, *words):
        """Returns what the command writes to a terminal."""
        master, slave = pty.openpty()
        child = subprocess.Popen([self.program, *words], cwd=self.folder,
                                 env=self.environment, stdout=slave,
                                 stderr=subprocess.DEVNULL)
        os.close(slave)
        data = b''
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # The other side is closed.
                break
            if not chunk:
                break
            data += chunk
        os.close(master)
        child.wait(timeout=120)
        return data.decode().replace('\r\n', '\n')

    def check_laws(self):
        budget = ['--budget', '3000eval', '--seed', '1']
        self.safe('evolve', 'fn', 'evil.csv', '--target', TARGET, *budget,
                  '--out', 'law')
        self.exact('evolve', 'fn', 'evil.csv', '--target', TARGET, *budget,
                   '--out', 'law')
        self.safe('show', 'law')
        self.safe('replay', 'law')
        self.exact('replay', 'law')
        self.safe('export', 'law', '--python', 'law.py', '--latex', 'law.tex',
                  '--cpp', 'law.cc')
        for name in ('law/law.py', 'law/law.tex', 'law.py', 'law.tex',
                     'law.cc'):
            self.safe_file(name)
        compile(self.safe_file('law.py'), 'law.py', 'exec')

    def check_networks(self):
        for target in (TARGET, 'kind' + EVIL):
            self.safe('evolve', 'net', 'evil.csv', '--target', target,
                      '--budget', '2gen', '--seed', '1', '--out', 'net')
            self.safe('show', 'net/model.lmk')
            self.safe('show', 'net/model.lmk', '--dot', 'net.dot', '--svg',
                      'net.svg', '--text', '--force')
            self.safe('export', 'net/model.lmk', '--cpp', 'net.cc', '--dot',
                      'export.dot', '--onnx', 'net.onnx', '--force')
            for name in ('net.cc', 'net.dot', 'export.dot'):
                self.safe_file(name)
            table = self.on_terminal('predict', 'net/model.lmk', 'evil.csv')
            if unsafe_in(table) or 'prediction' not in table:
                sys.exit(f'predict on a terminal: {table[:500]!r}')
            self.safe('predict', 'net/model.lmk', 'evil.csv', '--out', 'p.csv',
                      '--force')
        piped = self.call('predict', 'net/model.lmk', 'evil.csv')[1]
        if EVIL not in piped:
            sys.exit('predict does not keep the text of classes in a pipe.')

    def check_errors(self):
        self.safe('evolve', 'fn', 'evil.csv', '--target', 'no' + EVIL, '--out',
                  'x', code=1 if self.not_found_code() == 1 else 2)
        self.safe('evolve', 'fn', 'evil.csv', '--target', 'kind' + EVIL,
                  '--out', 'x', code=2)
        self.safe('evolve', 'fn', 'evil.csv', '--target', 'sign' + EVIL,
                  '--budget', '2000eval', '--out', 'signs')
        self.safe_file('signs/law.py')
        self.safe('evolve', 'fn', 'evil.csv', '--target', TARGET,
                  '--seed-equation', 'x' + EVIL, '--out', 'x', code=2)
        self.safe('evolve', 'net', 'none' + EVIL + '.csv', '--target', 'y',
                  code=1)
        self.safe('evolve', 'net', 'evil.csv', '--target', TARGET, '--metric',
                  EVIL.replace('\x00', ''), '--out', 'x', code=2)
        self.safe('evil' + EVIL, code=2)
        self.safe('show', '--evil' + EVIL, code=2)
        self.safe('show', 'none' + EVIL, code=1)
        (self.folder / 'evil.toml').write_text(f'log_level = "{EVIL!r}"\n')
        self.safe('doctor', '--config', 'evil.toml', code=2)
        (self.folder / 'bad.csv').write_text(f'a,b\n1,"2"{EVIL}\n')
        self.safe('evolve', 'net', 'bad.csv', '--target', 'b', code=2)

    def not_found_code(self):
        return self.call('evolve', 'fn', 'evil.csv', '--target', 'no', '--out',
                         'x')[0]

    def check_thoughts(self):
        start = {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': {
            'name': 'think_session_start', 'arguments': {'goal': 'Look' + EVIL},
            '_meta': {
                'io.modelcontextprotocol/protocolVersion': '2026-07-28',
                'io.modelcontextprotocol/clientCapabilities': {}}}}
        self.call('mcp', '--db', 'one.db', given=(json.dumps(start) +
                                                  '\n').encode())
        listed = json.loads(self.call('think', 'list', '--json', '--db',
                                      'one.db')[1])
        session = listed['sessions'][0]['session']
        self.safe('think', 'list', '--db', 'one.db')
        for action in ('show', 'tail'):
            self.safe('think', action, session, '--db', 'one.db')
        for form in ('--mermaid', '--dot'):
            self.safe('think', 'export', session, form, '--db', 'one.db')
        text = self.on_terminal('think', 'export', session, '--svg', '--db',
                                'one.db')
        if unsafe_in(text):
            sys.exit(f'think export --svg on a terminal: {unsafe_in(text)}')

    def check_programs(self):
        folder = self.folder / 'line'
        folder.mkdir()
        (folder / 'program.py').write_text(PROGRAM)
        (folder / 'evaluate.py').write_text(
            EVALUATE.replace('EVIL', repr(EVIL)[1:-1]))
        (self.folder / 'reply.py').write_text(REPLY)
        model = (sys.executable, self.server, '--improve', 'reply.py', '--')
        words = ('evolve', 'program', 'line', '--budget', '6eval', '--islands',
                 '2', '--engine', 'llm', '--out', 'program')
        code, _, errors = self.call(*words, before=model)
        if code != 0:
            if 'sandbox' in errors.lower():
                print('No sandbox on this machine; programs are not checked.')
                return
            sys.exit(f'{words}: {errors}')
        self.safe('show', 'program')
        self.safe('replay', 'program')
        self.exact('replay', 'program')
        self.safe(*words[:-1], 'again', before=model)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check = Check(sys.argv[1], sys.argv[2], folder)
        check.check_laws()
        check.check_networks()
        check.check_errors()
        check.check_thoughts()
        check.check_programs()
    return 0


if __name__ == '__main__':
    sys.exit(main())
