#!/usr/bin/env python3
"""run_tools_check.py LAMARCK: a client of `lamarck mcp` finds a law and predicts with it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LAMARCK = sys.argv[1]


class Client:
    def __init__(self, folder):
        self.number = 0
        self.progress = []
        self.process = subprocess.Popen(
            [LAMARCK, 'mcp', '--db', str(folder / 'j.db'), '--skills', str(folder / 's.db')],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, 'HOME': str(folder)})
        self.request('initialize', {'protocolVersion': '2025-06-18', 'capabilities': {},
                                    'clientInfo': {'name': 'check', 'version': '1'}})
        self.send({'jsonrpc': '2.0', 'method': 'notifications/initialized'})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + '\n')
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({'jsonrpc': '2.0', 'id': self.number, 'method': method, 'params': params})
        while True:
            line = self.process.stdout.readline()
            assert line, 'The server ended.'
            message = json.loads(line)
            if message.get('method') == 'notifications/progress':
                self.progress.append(message['params'])
            if message.get('id') == self.number:
                return message['result']

    def call(self, name, arguments):
        result = self.request('tools/call', {'name': name, 'arguments': arguments,
                                             '_meta': {'progressToken': self.number + 1}})
        return result.get('structuredContent'), result


def main():
    with tempfile.TemporaryDirectory() as name:
        client = Client(pathlib.Path(name))
        tools = {tool['name'] for tool in client.request('tools/list', {})['tools']}
        assert {'evolve_network', 'evolve_function', 'run_status', 'predict'} <= tools, tools
        table = 'a,period\n' + ''.join(f'{a / 10},{(a / 10) ** 1.5}\n' for a in range(3, 60))
        found, whole = client.call('evolve_function', {'csv': table, 'target': 'period',
                                                       'budget': '40000eval'})
        assert found and found['state'] == 'done' and found['score'] < 1e-9, whole
        assert client.progress, 'no progress'
        answer, whole = client.call('predict', {'run': found['run'], 'rows': [{'a': 4}]})
        assert abs(answer['predictions'][0]['value'] - 8) < 1e-6, whole
        status, whole = client.call('run_status', {'run': found['run']})
        assert status['formula'] == found['formula'], whole
        net, whole = client.call('evolve_network', {'csv': table, 'target': 'period',
                                                    'budget': '10gen', 'wait': False})
        assert net['state'] in ('queued', 'running', 'done'), whole
        _, wrong = client.call('evolve_function', {'csv': table, 'target': 'nothing'})
        assert 'nothing' in json.dumps(wrong), wrong
        _, missing = client.call('predict', {'run': 'fn-none', 'rows': [{'a': 1}]})
        assert missing.get('isError'), missing
        # Clients check structured content against the schema, also of errors.
        assert 'structuredContent' not in missing, missing
        client.process.stdin.close()
        client.process.wait(timeout=60)
        client.process.stdout.close()
    print('A client found a law over MCP and predicted with it.')


if __name__ == '__main__':
    main()
