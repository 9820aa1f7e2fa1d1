#!/usr/bin/env python3
"""Reads journals on a read-only mount, with and without a writer elsewhere.

    read_only_check.py LAMARCK
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

META = {'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {}}
# Mounts the folder read-only for one command.
MOUNT = ('mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && '
         'shift && exec "$@"')
UNSHARE = ['unshare', '--mount'] + (
    [] if os.geteuid() == 0 else ['--user', '--map-root-user'])


def read_only(folder, *command):
    return subprocess.run([*UNSHARE, 'sh', '-c', MOUNT, 'sh', str(folder),
                           *map(str, command)], capture_output=True, text=True)


def require(condition, what, run=None):
    if condition:
        return
    detail = f'\n{run.args}\n{run.stdout}{run.stderr}' if run else ''
    sys.exit(f'Failed: {what}{detail}')


class Writer:
    """`lamarck mcp`, which keeps the journal open until it is closed."""

    def __init__(self, program, db):
        self.process = subprocess.Popen(
            [program, 'mcp', '--db', str(db)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def start_session(self, goal):
        self.process.stdin.write(json.dumps(
            {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call',
             'params': {'name': 'think_session_start',
                        'arguments': {'goal': goal}, '_meta': META}}) + '\n')
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        return reply['result']['structuredContent']['session']

    def close(self):
        self.process.communicate()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


def check_reading(program, folder, db, sessions):
    """All commands that only read work and show all sessions."""
    before = sorted(os.listdir(folder))
    listed = read_only(folder, program, 'think', 'list', '--db', db, '--json')
    require(listed.returncode == 0, 'think list works', listed)
    found = {entry['session'] for entry in json.loads(listed.stdout)['sessions']}
    require(found == set(sessions), f'the list has {sessions}', listed)
    for command in (['list'], ['verify'], ['show', sessions[-1]],
                    ['tail', sessions[-1]], ['replay', sessions[-1]],
                    ['export', sessions[-1], '--mermaid'],
                    ['export', sessions[-1], '--json']):
        run = read_only(folder, program, 'think', *command, '--db', db)
        require(run.returncode == 0, f'think {command[0]} works', run)
    require(sorted(os.listdir(folder)) == before, 'no file is created')


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / 'journal #1?'
        folder.mkdir()
        db = folder / 'thoughts 100%.db'
        if read_only(folder, 'true').returncode != 0:
            print('Skipped: this user cannot mount folders.')
            return 77
        writer = Writer(program, db)
        sessions = [writer.start_session('Closed')]
        writer.close()
        require(not pathlib.Path(f'{db}-wal').exists(), 'the log is gone')
        check_reading(program, folder, db, sessions)

        pruned = read_only(folder, program, 'think', 'prune', sessions[0],
                           '--db', db, '--out', '/dev/null/x')
        require(pruned.returncode != 0, 'prune is refused', pruned)

        writer = Writer(program, db)
        sessions.append(writer.start_session('Still open'))
        check_reading(program, folder, db, sessions)
        sessions.append(writer.start_session('Open for longer'))
        check_reading(program, folder, db, sessions)
        writer.kill()
        check_reading(program, folder, db, sessions)

        # Without the -shm file SQLite cannot use the log, and without the log
        # the newest sessions would be missing.
        copy = pathlib.Path(name) / 'copy'
        copy.mkdir()
        shutil.copy(db, copy / 'j.db')
        shutil.copy(f'{db}-wal', copy / 'j.db-wal')
        run = read_only(copy, program, 'think', 'list', '--db', copy / 'j.db')
        require(run.returncode == 1 and 'copy both files' in run.stderr,
                'a log that cannot be read is reported', run)
    print('All commands that only read work on a read-only mount.')
    return 0


if __name__ == '__main__':
    sys.exit(main())
