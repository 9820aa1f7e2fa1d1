#!/usr/bin/env python3
"""Kills programs that write to a journal at random times, again and again, and
checks that every acknowledged event is stored exactly once.

    kill_check.py APPEND_FOREVER TIMES

Two programs with several threads each write to one file at the same time. Each
round kills one of them or both.
"""
import collections
import pathlib
import random
import subprocess
import sys
import tempfile
import time

THREADS = '4'


class Writer:
    def __init__(self, program, file, name, out):
        self.log = open(out, 'ab')
        self.child = subprocess.Popen([program, file, name, THREADS],
                                      stdout=self.log)

    def kill(self):
        self.child.kill()
        code = self.child.wait(timeout=60)
        self.log.close()
        assert code == -9, f'The writer must run until it is killed, but exited with {code}.'


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def check(program, file, logs, count):
    acknowledged = [line for log in logs for line in lines(log)]
    wrong = [line for line in acknowledged if not line.startswith('evt_')]
    assert not wrong, f'after {count} kills: {wrong[:3]}'
    shown = subprocess.run([program, file], capture_output=True, text=True,
                           timeout=250)
    assert shown.returncode == 0, shown.stdout[-500:]
    stored = collections.Counter(shown.stdout.splitlines())
    wrong = [line for line in stored if not line.startswith('evt_')]
    assert not wrong, f'after {count} kills: {wrong[:3]}'
    lost = [line for line in acknowledged if line not in stored]
    twice = [line for line, times in stored.items() if times > 1]
    assert not lost, f'after {count} kills, {len(lost)} events are lost: {lost[:3]}'
    assert not twice, f'after {count} kills, {len(twice)} events are stored twice'
    return len(acknowledged), len(stored)


def main():
    program, times = sys.argv[1], int(sys.argv[2])
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / 'journal.db')
        logs = {name: pathlib.Path(folder) / f'{name}.log' for name in 'ab'}
        writers = {}
        kills = 0
        while kills < times:
            for name, log in logs.items():
                if name not in writers:
                    writers[name] = Writer(program, file, name, log)
            time.sleep(chance.uniform(0, 0.15))
            for name in chance.choice(('a', 'b', 'ab')):
                writers.pop(name).kill()
                kills += 1
            if kills % 20 < 2:
                check(program, file, logs.values(), kills)
        for writer in writers.values():
            writer.kill()
        acknowledged, stored = check(program, file, logs.values(), kills)
    assert acknowledged > 0, 'No event was acknowledged.'
    print(f'{kills} kills: {acknowledged} events acknowledged, {stored} stored, '
          'none lost, none duplicated')
    return 0


if __name__ == '__main__':
    sys.exit(main())
