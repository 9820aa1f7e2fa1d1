#!/usr/bin/env python3
"""agent_kill_check.py LAMARCK: kills runs of an agent with SIGKILL and resumes them.

A run that is resumed gives the same answer, and a call that is not idempotent
happens at most once.
"""
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

LAMARCK = sys.argv[1]
ROUNDS = 6
received = []


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        received.append(json.loads(body)['n'])
        time.sleep(0.05)  # Widens the window in which a kill hits the call.
        try:
            self.send_response(200)
            self.send_header('Content-Length', '0')
            self.end_headers()
        except OSError:
            pass

    def log_message(self, *args):
        pass


def runs(folder):
    shown = subprocess.run([LAMARCK, 'agent', 'show', 'default', '--data-dir', folder / 'data'],
                           capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in shown.splitlines() if 'agent_' in line]


def main():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f'127.0.0.1:{server.server_port}'
    killed = 0
    for number in range(ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            steps = [{'tool': 'http_post',
                      'arguments': {'url': f'http://{host}/', 'body': {'n': n}}}
                     for n in range(8)]
            (folder / 'plan.json').write_text(json.dumps({'steps': steps}))
            received.clear()
            flags = ['--yes', '--no-python', '--allow-host', host, '--allow-private',
                     '--workspace', name, '--data-dir', str(folder / 'data')]
            process = subprocess.Popen(
                [LAMARCK, 'agent', 'run', 'Post', '--plan', str(folder / 'plan.json'), *flags],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.time() + 60
            while len(received) <= number and process.poll() is None and time.time() < deadline:
                time.sleep(0.002)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                killed += 1
            process.wait()
            found = runs(folder)
            assert len(found) == 1, found
            done = subprocess.run([LAMARCK, 'agent', 'run', '--resume', found[0], '--json', *flags],
                                  capture_output=True, text=True, check=False)
            run = json.loads(done.stdout)
            assert run['state'] == 'END', run
            assert len(received) == len(set(received)), f'repeated: {received}'
            calls = [call for call in run['calls'] if call['succeeded']]
            assert run['success'] == (len(calls) == 8), run
            again = subprocess.run([LAMARCK, 'agent', 'run', '--resume', found[0], '--json', *flags],
                                   capture_output=True, text=True, check=False)
            assert json.loads(again.stdout) == run, 'a finished run changed'
    assert killed > 0
    print(f'{ROUNDS} runs, {killed} killed; no call was repeated.')


if __name__ == '__main__':
    main()
