#!/usr/bin/env python3
"""chat_check.py LAMARCK SERVER: a conversation on a terminal.

The agent asks before a dangerous call, the model sees the conversation so far, and
Ctrl-C ends it cleanly, so that it can be continued.
"""
import json
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import chat_scenes  # noqa: E402

LAMARCK, SERVER = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
SECONDS = 120


class Model:
    """The scripted server, in a process of its own, which Ctrl-C does not reach."""

    def __init__(self, folder):
        scenes = [*chat_scenes.conversation(), chat_scenes.finish('You are welcome.')]
        (folder / 'scenes.json').write_text(json.dumps(scenes))
        self.process = subprocess.Popen(
            [sys.executable, SERVER, '--script', str(folder / 'scenes.json'), '--log',
             str(folder / 'log')], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True)
        os.environ['LAMARCK_LLM_BASE_URL'] = self.process.stdout.readline().strip()
        os.environ['LAMARCK_LLM_MODEL'] = 'scripted'

    def stop(self):
        self.process.stdin.close()
        self.process.wait(SECONDS)


class Terminal:
    """The program on a terminal of its own."""

    def __init__(self, words, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvp(words[0], words)
        self.seen = ''

    def expect(self, text):
        end = time.monotonic() + SECONDS
        while text not in self.seen:
            assert time.monotonic() < end, f'{text!r} did not appear in {self.seen!r}'
            ready, _, _ = select.select([self.fd], [], [], 1)
            if not ready:
                continue
            try:
                piece = os.read(self.fd, 4096).decode(errors='replace')
            except OSError:
                piece = ''
            assert piece, f'{text!r} did not appear in {self.seen!r}'
            self.seen += piece
        self.seen = self.seen.split(text, 1)[1]

    def write(self, text):
        os.write(self.fd, text.encode())

    def wait(self):
        try:
            while piece := os.read(self.fd, 4096):
                self.seen += piece.decode(errors='replace')
        except OSError:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'work').mkdir()
        (folder / 'work' / 'note.txt').write_text('buy bread')
        words = [LAMARCK, 'agent', 'chat', '--workspace', 'work', '--data-dir', 'data',
                 '--no-python']
        model = Model(folder)
        terminal = Terminal(words, folder)
        terminal.expect('> ')
        terminal.write('What does note.txt say?\n')
        terminal.expect('ok     file_read')
        terminal.expect('The note says: buy bread.')
        terminal.expect('> ')
        terminal.write('What was it about?\n')
        terminal.expect('It was about bread.')
        terminal.expect('> ')
        terminal.write('Remove it.\n')
        terminal.expect('"path": "note.txt"')
        terminal.expect('[n]ever: ')
        terminal.write('o\n')
        terminal.expect('The note is handled.')
        assert not (folder / 'work' / 'note.txt').exists()
        terminal.expect('> ')
        terminal.write('/usage\n')
        terminal.expect('3 requests, 2 steps, 550 tokens')
        terminal.expect('> ')
        terminal.write('\x03')  # Ctrl-C.
        status = terminal.wait()
        assert status == 130, (status, terminal.seen)
        last = re.search(r'--resume (agent_[-0-9a-f]+)', terminal.seen)
        assert last, terminal.seen

        sent = [json.loads(line)['body']['messages']
                for line in (folder / 'log').read_text().splitlines()]
        assert [m['content'] for m in sent[2][1:]] == [
            'What does note.txt say?', 'The note says: buy bread.', 'What was it about?'], sent[2]

        done = subprocess.run([*words, '--resume', last[1], '--json'], cwd=folder, text=True,
                              input='Thanks.\n', capture_output=True, check=True, timeout=SECONDS)
        run = json.loads(done.stdout)
        assert run['answer'] == 'You are welcome.' and run['previous'] == last[1], run
        context = subprocess.run([LAMARCK, 'agent', 'show', run['id'], '--context', '--data-dir',
                                  'data'], cwd=folder, text=True, capture_output=True, check=True)
        assert 'It was about bread.' in context.stdout, context.stdout
        model.stop()
    print('A conversation on a terminal: questions, memory, Ctrl-C and resuming work.')


if __name__ == '__main__':
    main()
