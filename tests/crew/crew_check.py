#!/usr/bin/env python3
"""Runs one command by crews of one engine, with members that are killed and that join
late: the result must have the same bytes as that of a single process.

    crew_check.py PROGRAM KIND mpi|postgres SCHEDULES [FIRST_SEED]

KIND is one of those in KINDS.
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
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
IRIS = str(ROOT / 'tests/data/iris.csv')
# Fields that say how long something took, and the hash of the lines of a journal, which
# covers them.
TIMES = {'seconds', 'seconds_mean', 'cpu_seconds', 'evaluations_per_cpu_s', 'chain'}


def without_times(value):
    if isinstance(value, list):
        return [without_times(each) for each in value]
    if isinstance(value, dict):
        return {name: without_times(each) for name, each in value.items()
                if name not in TIMES}
    return value


def file_bytes(*names):
    """The result is these files."""
    return lambda folder, _text: b''.join((folder / name).read_bytes()
                                          for name in names)


def journal_and(*names):
    """The result is these files and the journal of a search."""
    def read(folder, text):
        lines = (folder / 'journal.jsonl').read_text().splitlines()
        journal = [without_times(json.loads(line)) for line in lines]
        return json.dumps(journal).encode() + file_bytes(*names)(folder, text)
    return read


def printed(_folder, text):
    """The result is the JSON that the command prints."""
    line = next(line for line in text.splitlines() if line.startswith('{'))
    return json.dumps(without_times(json.loads(line)), sort_keys=True).encode()


class Kind:
    def __init__(self, words, result, has_folder=True, resumes=None):
        self.words = words
        self.result = result
        self.has_folder = has_folder
        self.resumes = resumes  # The file from which a killed run resumes.


NET = ['evolve', 'net', IRIS, '--target', 'species', '--single']
KINDS = {
    'net': Kind([*NET, '--islands', '6', '--budget', '60gen', '--seed', '5'],
                file_bytes('model.lmk'), resumes='checkpoint.lmk'),
    'net_seeds': Kind([*NET, '--seeds', '8', '--budget', '15gen', '--json'], printed,
                      has_folder=False),
    'neat': Kind(['neat', IRIS, '--target', 'species', '--goal', '1', '--population',
                  '200', '--evaluations', '20000', '--seed', '3', '--force'],
                 file_bytes('model.lmk')),
    'neat_seeds': Kind(['neat', 'double-pole', '--seeds', '32', '--evaluations', '60000',
                        '--json'], printed, has_folder=False),
    # Long enough for views.
    'fn': Kind(['evolve', 'fn', str(ROOT / 'tests/data/diabetes.csv'), '--target',
                'progression', '--islands', '6', '--budget', '40000eval', '--seed', '5'],
               journal_and('law.py', 'front.csv'), resumes='checkpoint.json'),
    'program': Kind(['evolve', 'program', str(ROOT / 'examples/programs/job_order'),
                     '--engine', 'gp', '--islands', '6', '--budget', '140eval',
                     '--seed', '5'],
                    journal_and('best.py'), resumes='checkpoint.json'),
}


class Check:
    def __init__(self, program, kind, folder):
        self.program = program
        self.kind = kind
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, 'HOME': folder, 'LAMARCK_PROGRESS': 'none',
                            'LAMARCK_RUNS_RECORD': 'off'}

    def start(self, words, before=()):
        return subprocess.Popen([*before, self.program, *words, '--threads', '1'],
                                cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)

    def run(self, out, more=(), before=()):
        where = ['--out', out] if self.kind.has_folder else []
        return self.start([*self.kind.words, *where, *more], before)

    def hash(self, out, text):
        return hashlib.sha256(self.kind.result(self.folder / out, text)).hexdigest()

    def expect(self, out, text, wanted):
        assert self.hash(out, text) == wanted, \
            f'{out}: the result differs from that of one process: {text}'

    def can_resume(self, out):
        return self.kind.resumes and (self.folder / out / self.kind.resumes).exists()

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
        text = check.finish(check.run(out, before=[*launcher, str(ranks)]))
        check.expect(out, text, wanted)
    resumed = 0
    for schedule in range(schedules):
        rng = random.Random(schedule)
        out = f'killed{schedule}'
        before = [*launcher, str(rng.randint(2, 4))]
        child = check.run(out, before=before)
        # Its first checkpoint is that of the first generation.
        if check.kind.resumes:
            wait_until(lambda: check.can_resume(out) or child.poll() is not None,
                       'the run has a checkpoint')
        time.sleep(rng.uniform(0, 0.5))
        ranks = ranks_of(child.pid)
        if ranks:
            os.kill(rng.choice(ranks), 9)
        child.communicate(timeout=DEADLINE)
        again = check.finish(check.run(out, before=before))
        resumed += 'Continuing the unfinished run' in again
        check.expect(out, again, wanted)
    assert not check.kind.resumes or schedules == 0 or resumed > 0, \
        'no killed run was resumed'
    print(f'{resumed} of {schedules} killed runs were resumed')


def run_schedule(check, server, rng, out):
    """Returns what was done to the members, and what the leader printed."""
    crew = ['--crew', server.url]
    leader = check.run(out, crew)
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
        elif event < 0.76 and check.can_resume(out):
            leader.kill()
            leader.communicate()
            leader = check.run(out, crew)
            done['leaders'] += 1
        elif event < 0.79 and done['servers'] == 0:
            time.sleep(2)  # Whoever has just started must be connected.
            server.stop()
            server.start()
            done['servers'] += 1
    text = check.finish(leader)
    for member in members:
        assert member.poll() is None, f'a member ended: {member.communicate()[0]}'
        member.kill()
        member.communicate()
    return done, text


def check_postgres(check, wanted, schedules, seed):
    with PostgresServer() as server:
        # Members that end by themselves.
        text = check.finish(check.run('alone', ['--crew', server.url]))
        check.expect('alone', text, wanted)
        for count in (1, 3, 6):
            members = [check.start(['join', server.url, '--idle', '3'])
                       for _ in range(count)]
            out = f'with{count}'
            text = check.finish(check.run(out, ['--crew', server.url]))
            for member in members:
                check.finish(member)
            check.expect(out, text, wanted)
        total = {}
        for schedule in range(schedules):
            rng = random.Random(seed + schedule)
            out = f'schedule{schedule}'
            done, text = run_schedule(check, server, rng, out)
            check.expect(out, text, wanted)
            for name, times in done.items():
                total[name] = total.get(name, 0) + times
        status = json.loads(check.finish(
            check.start(['crew', 'status', server.url, '--json'])))
        total['lost pieces'] = sum(run['lost_pieces'] for run in status)
        assert sum(each['pieces'] for run in status for each in run['members']) > 0, \
            'no member computed anything'
        print(f'{schedules} schedules gave one result: {total}')


def main():
    program, kind, engine, schedules = sys.argv[1:5]
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    with tempfile.TemporaryDirectory() as folder:
        check = Check(str(pathlib.Path(program).resolve()), KINDS[kind], folder)
        text = check.finish(check.run('plain'))
        wanted = check.hash('plain', text)
        engines = {'mpi': check_mpi, 'postgres': check_postgres}
        engines[engine](check, wanted, int(schedules), seed)


if __name__ == '__main__':
    main()
