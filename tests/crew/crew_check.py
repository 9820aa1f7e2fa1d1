#!/usr/bin/env python3
"""Evolves one network by crews of one engine, with members that are killed and that
join late: every model file must have the same bytes as that of a single process.

    crew_check.py PROGRAM DATA.csv mpi|postgres SCHEDULES [FIRST_SEED]
"""
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from postgres_server import PostgresServer

DEADLINE = 300


class Check:
    def __init__(self, program, data, folder):
        self.program = program
        self.data = str(pathlib.Path(data).resolve())
        self.folder = pathlib.Path(folder)
        self.flags = ['--target', 'species', '--islands', '6', '--budget', '60gen',
                      '--seed', '5', '--single']
        self.environment = {**os.environ, 'HOME': folder, 'LAMARCK_PROGRESS': 'none',
                            'LAMARCK_RUNS_RECORD': 'off'}

    def start(self, words, before=()):
        return subprocess.Popen([*before, self.program, *words, '--threads', '1'],
                                cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)

    def evolve(self, out, more=(), before=()):
        return self.start(['evolve', 'net', self.data, *self.flags, '--out', out,
                           *more], before)

    def expect(self, out, wanted):
        found = self.hash(out)
        assert found == wanted, f'{out}: the model differs from that of one process'

    def hash(self, out):
        return hashlib.sha256((self.folder / out / 'model.lmk').read_bytes()).hexdigest()

    def finish(self, child):
        text = child.communicate(timeout=DEADLINE)[0]
        assert child.returncode == 0, f'exit code {child.returncode}: {text}'
        return text


def wait_until(condition, what):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, f'timed out waiting until {what}'
        time.sleep(0.02)


def ranks_of(parent):
    """The processes that a launcher started."""
    listed = pathlib.Path(f'/proc/{parent}/task/{parent}/children').read_text()
    return [int(each) for each in listed.split()]


def check_mpi(check, wanted, schedules, _seed):
    launcher = ['mpirun', '--allow-run-as-root', '--oversubscribe', '-n']
    for ranks in (1, 2, 4, 8):
        out = f'mpi{ranks}'
        check.finish(check.evolve(out, before=[*launcher, str(ranks)]))
        check.expect(out, wanted)
    resumed = 0
    for schedule in range(schedules):
        rng = random.Random(schedule)
        out = f'killed{schedule}'
        before = [*launcher, str(rng.randint(2, 4))]
        child = check.evolve(out, before=before)
        # Its first checkpoint is that of the first generation.
        wait_until(lambda: (check.folder / out / 'checkpoint.lmk').exists()
                   or child.poll() is not None, 'the run has a checkpoint')
        time.sleep(rng.uniform(0, 0.5))
        ranks = ranks_of(child.pid)
        if ranks:
            os.kill(rng.choice(ranks), 9)
        child.communicate(timeout=DEADLINE)
        again = check.finish(check.evolve(out, before=before))
        resumed += 'Continuing the unfinished run' in again
        check.expect(out, wanted)
    assert schedules == 0 or resumed > 0, 'no killed run was resumed'
    print(f'{resumed} of {schedules} killed runs were resumed')


def run_schedule(check, server, rng, out):
    """Returns what was done to the members."""
    crew = ['--crew', server.url]
    leader = check.evolve(out, crew)
    members = [check.start(['join', server.url]) for _ in range(rng.randint(0, 3))]
    done = {'killed': 0, 'joined': len(members), 'leaders': 0, 'servers': 0}
    while leader.poll() is None:
        time.sleep(rng.uniform(0.05, 0.5))
        event = rng.random()
        if event < 0.4 and len(members) < 6:
            members.append(check.start(['join', server.url]))
            done['joined'] += 1
        elif event < 0.7 and members:
            victim = members.pop(rng.randrange(len(members)))
            victim.kill()
            victim.communicate()
            done['killed'] += 1
        elif event < 0.76 and (check.folder / out / 'checkpoint.lmk').exists():
            leader.kill()
            leader.communicate()
            leader = check.evolve(out, crew)
            done['leaders'] += 1
        elif event < 0.79 and done['servers'] == 0:
            time.sleep(2)  # Whoever has just started must be connected.
            server.stop()
            server.start()
            done['servers'] += 1
    check.finish(leader)
    for member in members:
        assert member.poll() is None, f'a member ended: {member.communicate()[0]}'
        member.kill()
        member.communicate()
    return done


def check_postgres(check, wanted, schedules, seed):
    with PostgresServer() as server:
        # Members that end by themselves.
        check.finish(check.evolve('alone', ['--crew', server.url]))
        check.expect('alone', wanted)
        for count in (1, 3, 6):
            members = [check.start(['join', server.url, '--idle', '3'])
                       for _ in range(count)]
            out = f'with{count}'
            check.finish(check.evolve(out, ['--crew', server.url]))
            for member in members:
                check.finish(member)
            check.expect(out, wanted)
        total = {}
        for schedule in range(schedules):
            rng = random.Random(seed + schedule)
            out = f'schedule{schedule}'
            done = run_schedule(check, server, rng, out)
            check.expect(out, wanted)
            for name, times in done.items():
                total[name] = total.get(name, 0) + times
        status = json.loads(check.finish(
            check.start(['crew', 'status', server.url, '--json'])))
        total['lost pieces'] = sum(run['lost_pieces'] for run in status)
        assert sum(each['pieces'] for run in status for each in run['members']) > 0, \
            'no member computed anything'
        print(f'{schedules} schedules gave one model: {total}')


def main():
    program, data, engine, schedules = sys.argv[1:5]
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    with tempfile.TemporaryDirectory() as folder:
        check = Check(str(pathlib.Path(program).resolve()), data, folder)
        check.finish(check.evolve('plain'))
        wanted = check.hash('plain')
        engines = {'mpi': check_mpi, 'postgres': check_postgres}
        engines[engine](check, wanted, int(schedules), seed)


if __name__ == '__main__':
    main()
