#!/usr/bin/env python3
"""Checks the skill tools of `lamarck mcp` through a client on stdio.

  skills_check.py LAMARCK
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time


class Client:
    def __init__(self, program, folder):
        self.process = subprocess.Popen(
            [program, 'mcp', '--db', str(pathlib.Path(folder) / 'journal.db')],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = 0
        self.request('initialize', {
            'protocolVersion': '2025-11-25', 'capabilities': {},
            'clientInfo': {'name': 'check', 'version': '1'}})
        self.send({'jsonrpc': '2.0', 'method': 'notifications/initialized'})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + '\n')
        self.process.stdin.flush()

    def request(self, method, params):
        self.count += 1
        self.send({'jsonrpc': '2.0', 'id': self.count, 'method': method,
                   'params': params})
        while True:
            reply = json.loads(self.process.stdout.readline())
            if reply.get('id') == self.count:
                return reply['result']

    def tool(self, name, **arguments):
        result = self.request('tools/call',
                              {'name': name, 'arguments': arguments})
        return result.get('isError', False), result['structuredContent']

    def good(self, name, **arguments):
        failed, content = self.tool(name, **arguments)
        assert not failed, content
        return content

    def stop(self):
        self.process.stdin.close()
        return self.process.wait(60)


def calls(customer, order):
    return [
        {'tool': 'find_customer', 'arguments': {'name': customer},
         'result': {'id': f'c-{customer}'}},
        {'tool': 'find_order',
         'arguments': {'customer': f'c-{customer}', 'order': order},
         'result': {'total': 20, 'key': f'k-{order}'}},
        {'tool': 'get_refund_quote', 'arguments': {'key': f'k-{order}'},
         'result': {'state': 'ready'}}]


def learn(client):
    answer = client.good(
        'skill_learn', calls=calls('Ada', '1234'),
        request='Quote the refund of order 1234 of customer Ada')
    deadline = time.monotonic() + 60
    while answer['state'] in ('queued', 'running'):
        assert time.monotonic() < deadline, 'Timed out waiting for the job.'
        time.sleep(0.02)
        answer = client.good('skill_learn', job=answer['job'])
    assert answer['state'] == 'done', answer
    return answer['skill']


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        client = Client(program, folder)
        names = [tool['name'] for tool in client.request('tools/list', {})['tools']]
        for name in ('skill_search', 'skill_begin', 'skill_report', 'skill_learn'):
            assert name in names, names
        task = 'Quote the refund of order 5678 of customer Bob'
        assert not client.good('skill_search', task=task)['fits']
        skill = learn(client)
        # Not offered before a person approves it.
        assert not client.good('skill_search', task=task)['fits']
        subprocess.run([program, 'skills', 'review', skill, '--skills',
                        str(pathlib.Path(folder) / 'skills.db')], check=True)
        found = client.good('skill_search', task=task)
        assert found['fits'] and found['skills'][0]['id'] == skill, found
        assert len(found['skills'][0]['steps']) == 3, found
        for _ in range(3):
            use = client.good('skill_begin', skill=skill)['use']
            last = client.good('skill_report', use=use, success=False,
                               message='The order was not found')
        assert last['is_disabled'] and last['use_count'] == 3, last
        assert not client.good('skill_search', task=task)['fits']
        failed, content = client.tool('skill_begin', skill='018f')
        assert failed and content['error']['code'] == 'not_found', content
        assert client.stop() == 0
    print('The skill tools work.')


if __name__ == '__main__':
    main()
