#!/usr/bin/env python3
"""Kills `lamarck mcp` at random times while it writes, and checks that every
acknowledged step is stored exactly once.

    kill_server_check.py LAMARCK COUNT
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading

META = {'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {}}


def message(number, tool, arguments):
    return json.dumps({'jsonrpc': '2.0', 'id': number, 'method': 'tools/call',
                       'params': {'name': tool, 'arguments': arguments,
                                  '_meta': META}}) + '\n'


class Server:
    def __init__(self, program, db):
        self.process = subprocess.Popen(
            [program, 'mcp', '--db', db], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def send(self, text):
        try:
            self.process.stdin.write(text)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def replies(self):
        for line in self.process.stdout:
            if line.endswith('\n'):
                yield json.loads(line)

    def start_session(self):
        self.send(message(0, 'think_session_start',
                          {'goal': 'Survive', 'token_budget': 100000000}))
        return next(self.replies())['result']['structuredContent']['session']

    def kill(self):
        self.process.kill()
        self.process.communicate()


def run_until_killed(server, session, first, rng):
    """Sends steps without waiting and kills the server after a random time.
    Returns the ids and events that were answered before."""
    answered = {}
    timer = threading.Timer(rng.uniform(0.002, 0.15), server.process.kill)
    waits_for_first = rng.random() < 0.7  # Otherwise it may die during startup.
    if not waits_for_first:
        timer.start()
    for number in range(first, first + 200):
        server.send(message(number, 'think_plan_step',
                            {'session': session, 'content': f'Step {number}',
                             'idempotency_key': f'key-{number}'}))
    for reply in server.replies():
        if waits_for_first and not timer.is_alive():
            waits_for_first = False
            timer.start()
        if 'result' in reply and not reply['result'].get('isError'):
            answered[reply['id']] = reply['result']['structuredContent']['event']
    server.kill()
    return answered


def events_of(program, db, session):
    out = subprocess.run([program, 'think', 'tail', session, '--db', db, '-n',
                          '1000000', '--json'], check=True, capture_output=True,
                         text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(count)
    answered = {}
    with tempfile.TemporaryDirectory() as folder:
        db = str(pathlib.Path(folder) / 'journal.db')
        server = Server(program, db)
        session = server.start_session()
        server.kill()
        for round_number in range(count):
            answered.update(run_until_killed(Server(program, db), session,
                                             1 + 200 * round_number, rng))
        events = events_of(program, db, session)
        verified = subprocess.run([program, 'think', 'verify', '--db', db])
    ids = [event['id'] for event in events]
    contents = [event['content'] for event in events]
    lost = [event for event in answered.values() if event not in set(ids)]
    print(f'{count} kills, {len(answered)} steps answered, {len(events)} events, '
          f'{len(lost)} lost, {len(contents) - len(set(contents))} duplicates.')
    sound = (verified.returncode == 0 and answered and not lost and
             len(set(contents)) == len(contents))
    return 0 if sound else 1


if __name__ == '__main__':
    sys.exit(main())
