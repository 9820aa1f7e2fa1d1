#!/usr/bin/env python3
"""Drives `lamarck mcp` over stdio as a client with a model of its own would.

    thinking_check.py LAMARCK

Each scenario starts a server on a new journal. The client's model is scripted: it
answers sampling requests in a chosen order, refuses them, or stays silent.
"""
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading

DEADLINE = 60  # Seconds; only so that a hanging server fails the test.
PLAN = {
    'dry_run': True,
    'rollback': {'strategy': 'git_revert'},
    'limits': {'max_changes': 20, 'max_files': 2},
    'capabilities_required': ['edit_files'],
    'success_criteria': ['all tests pass'],
    'risk_estimate': {'test_coverage': 0.95},
    'context_sufficiency': {'unresolved_symbol_rate': 0.0,
                            'callgraph_coverage': 0.99},
}


class Client:
    """A client of protocol version 2025-11-25 that offers its model."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen(
            [program, 'mcp', '--no-sync', '--db', str(folder / 'journal.db')],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            encoding='utf-8')
        self.id = 0
        self.answers = {}       # By id of the request.
        self.asked = queue.Queue()      # Sampling requests of the server.
        self.withdrawn = queue.Queue()  # Ids of requests it cancelled.
        self.arrived = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        self.request('initialize', {
            'protocolVersion': '2025-11-25', 'capabilities': {'sampling': {}},
            'clientInfo': {'name': 'thinking_check', 'version': '1'}})
        self.send({'method': 'notifications/initialized'})

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get('method') == 'sampling/createMessage':
                self.asked.put(message)
            elif message.get('method') == 'notifications/cancelled':
                self.withdrawn.put(message['params']['requestId'])
            elif 'method' not in message:
                with self.arrived:
                    self.answers[message['id']] = message
                    self.arrived.notify_all()

    def send(self, message):
        self.process.stdin.write(json.dumps({'jsonrpc': '2.0', **message}) + '\n')
        self.process.stdin.flush()

    def begin(self, method, params):
        self.id += 1
        self.send({'id': self.id, 'method': method, 'params': params})
        return self.id

    def wait(self, number):
        with self.arrived:
            found = self.arrived.wait_for(lambda: number in self.answers, DEADLINE)
            expect(found, f'request {number} is answered')
            return self.answers.pop(number)

    def request(self, method, params):
        return self.wait(self.begin(method, params))

    def begin_tool(self, name, /, **arguments):
        return self.begin('tools/call', {'name': name, 'arguments': arguments})

    def result(self, number):
        reply = self.wait(number)
        expect('result' in reply, f'a result, got {reply}')
        return reply['result']

    def tool(self, name, /, **arguments):
        result = self.result(self.begin_tool(name, **arguments))
        expect(not result.get('isError'), f'{name} succeeds, got {result}')
        return result['structuredContent']

    def refused(self, name, /, **arguments):
        result = self.result(self.begin_tool(name, **arguments))
        expect(result.get('isError'), f'{name} is refused, got {result}')
        return result

    def next_asked(self):
        return self.asked.get(timeout=DEADLINE)

    def reply(self, asked, text):
        self.send({'id': asked['id'], 'result': {
            'role': 'assistant', 'model': 'scripted',
            'content': {'type': 'text', 'text': text}}})

    def refuse(self, asked):
        self.send({'id': asked['id'],
                   'error': {'code': -1, 'message': 'The user said no.'}})

    def close(self):
        self.process.stdin.close()
        expect(self.process.wait(timeout=DEADLINE) == 0, 'the server exits with 0')
        self.process.stdout.close()


def expect(condition, what):
    if not condition:
        raise AssertionError(f'expected: {what}')


def prompt_of(asked):
    return asked['params']['messages'][0]['content']['text']


def start(client, **more):
    return client.tool('think_session_start', goal='Rename the function',
                       **more)['session']


def fork(client, session, *names):
    answer = client.tool('think_branch', session=session, action='fork',
                         children=[{'name': name, 'content': f'Try {name}'}
                                   for name in names])
    return [branch['branch'] for branch in answer['branches']]


def asked_by_branch(client, names):
    """Returns the requests to the model by the name of the branch."""
    requests = {}
    for _ in names:
        asked = client.next_asked()
        text = prompt_of(asked)
        name = next(name for name in names if f'Approach: {name}\n' in text)
        requests[name] = asked
    return requests


def recalls_third_of_300_steps(client):
    """A thinker and a digest still know a fact after 300 steps."""
    session = start(client, token_budget=60000,
                    success_criteria=['all tests pass'])
    for i in range(1, 301):
        client.tool('think_plan_step', session=session, content=(
            'The staging database listens on port 54329.' if i == 3 else
            f'Step {i}: read another file and found nothing new in it.'))
    digest = client.tool('think_digest', session=session)
    expect(digest['tokens'] <= 200, f'at most 200 tokens, got {digest["tokens"]}')
    for part in ('Goal: Rename', '[open] all tests pass', 'Next: ', '54329'):
        expect(part in digest['digest'], f'{part} in {digest["digest"]}')
    event = client.tool('think_digest', session=session, format='event',
                        event=digest['references']['#4'])
    expect('54329' in event['event']['content'], 'the event has the fact')
    page = client.tool('think_digest', session=session, format='events', limit=5)
    expect(len(page['events']) == 5 and page['after_seq'] == 5, 'a page of five')

    fork(client, session, 'rename')
    path = client.tool('think_digest', session=session, format='path',
                       branch='rename', limit=200)
    expect('54329' in path['events'][2]['content'], 'the path starts on main')
    read = client.request('resources/read', {
        'uri': f'thought://session/{session}/event/4'})
    expect('54329' in read['result']['contents'][0]['text'], 'the resource')
    call = client.begin_tool('think_parallel_run', session=session)
    asked = client.next_asked()
    # The scripted model can only answer with what its prompt says.
    client.reply(asked, json.dumps(PLAN) if '54329' in prompt_of(asked) else '?')
    result = client.result(call)['structuredContent']
    expect(result['winner'] == 'branch_1', f'the thinker recalls it: {result}')


def status(client, session):
    return client.tool('think_session_control', session=session, action='status')


def first_valid_reply_wins_race(client):
    """The fastest branch wins although an earlier one never answers."""
    session = start(client)
    fork(client, session, 'a', 'b', 'c')
    call = client.begin_tool('think_parallel_run', session=session)
    asked = asked_by_branch(client, ['a', 'b', 'c'])
    client.reply(asked['c'], json.dumps(PLAN))
    result = client.result(call)['structuredContent']
    expect(result['winner'] == 'branch_3', f'c wins, got {result}')
    withdrawn = {client.withdrawn.get(timeout=DEADLINE) for _ in range(2)}
    expect(withdrawn == {asked['a']['id'], asked['b']['id']}, 'losers withdrawn')
    branches = {branch['branch_id']: branch for branch in result['branches']}
    for loser in ('branch_1', 'branch_2'):
        expect(branches[loser]['tokens'] > 20, 'the prompt of a loser is counted')
    # Nothing stays reserved.
    budgets = status(client, session)['budgets']
    expect(budgets['tokens_used'] + budgets['tokens_left'] == 20000, budgets)


def thinking_goes_on_until_a_plan_is_valid(client):
    """A reply without a plan only leads to the next request of its branch."""
    session = start(client)
    fork(client, session, 'a', 'b')
    call = client.begin_tool('think_parallel_run', session=session)
    asked = asked_by_branch(client, ['a', 'b'])
    client.reply(asked['b'], 'I am still thinking.')
    again = client.next_asked()
    expect('I am still thinking.' in prompt_of(again), 'b remembers its thought')
    client.reply(again, json.dumps(PLAN))
    result = client.result(call)['structuredContent']
    expect(result['winner'] == 'branch_2', f'b wins, got {result}')
    expect(client.withdrawn.get(timeout=DEADLINE) == asked['a']['id'], 'a')


def refusal_and_silence_cost_one_branch(client):
    """In a vote one request is refused and one stays unanswered."""
    session = start(client)
    fork(client, session, 'a', 'b', 'c')
    call = client.begin_tool('think_parallel_run', session=session,
                             strategy='vote', max_rounds=1,
                             reply_timeout_ms=500)
    asked = asked_by_branch(client, ['a', 'b', 'c'])
    client.refuse(asked['a'])
    client.reply(asked['c'], json.dumps(PLAN))
    result = client.result(call)['structuredContent']
    expect(result['winner'] == 'branch_3', f'c wins, got {result}')
    expect(client.withdrawn.get(timeout=DEADLINE) == asked['b']['id'], 'b is late')
    budgets = status(client, session)['budgets']
    expect(budgets['tokens_used'] + budgets['tokens_left'] == 20000, budgets)


def best_compares_all_replies(client):
    """The better plan wins although a good one arrives first."""
    session = start(client)
    fork(client, session, 'a', 'b')
    call = client.begin_tool('think_parallel_run', session=session,
                             strategy='best')
    asked = asked_by_branch(client, ['a', 'b'])
    weaker = {**PLAN, 'limits': {'max_changes': 150, 'max_files': 2}}
    client.reply(asked['a'], json.dumps(weaker))
    client.reply(asked['b'], json.dumps(PLAN))
    result = client.result(call)['structuredContent']
    expect(result['winner'] == 'branch_2', f'b is better, got {result}')


def names_of_the_seed_are_accepted(client):
    """session_id and branch_id work, errors are structured, limits are true."""
    started = client.tool('think_session_start', goal='Rename it',
                          success_criteria=['x'] * 50,
                          time_budget_ms=31536000000)
    session = started['session']
    client.tool('think_plan_step', session_id=session, branch_id='main',
                content='The idea')
    client.tool('think_validate_plan', session_id=session, branch_id='main',
                plan=PLAN)
    client.tool('think_export_plan', session_id=session, branch_id='main')
    refused = client.refused('think_receive_evidence', session_id=session,
                             execution_id='0', success=True,
                             healing_action='pray')
    error = refused['structuredContent']['error']
    expect(error['code'] == 'invalid_argument', error)
    expect('analyze_diff, ask_user' in error['message'], error)
    evidence = client.tool('think_receive_evidence', session_id=session,
                           branch_id='main', execution_id='1', success=False,
                           tool='pytest', tool_arguments={'path': 'tests'},
                           exit_code=2, stderr='AssertionError: 1 != 2',
                           tests_passed=41, tests_failed=1)
    expect(evidence['evidence_id'] == evidence['event'], evidence)
    expect(evidence['next_step'] == 'critic_review', evidence)
    chain = client.tool('think_digest', session_id=session,
                        format='metrics')['evidence_chain']
    expect([link['step'] for link in chain] ==
           ['plan', 'validate', 'export', 'execution', 'tests', 'evidence'], chain)
    expect(chain[1]['status'] == 'pass', chain)
    expect(chain[3]['tool'] == 'pytest' and chain[3]['exit_code'] == 2, chain)
    expect('1 != 2' in chain[3]['stderr_tail'], chain)
    expect(chain[4] == {'step': 'tests', 'passed': 41, 'failed': 1}, chain)
    for arguments, path in (({'session_id': session, 'session': 'sess_other'},
                             '/session_id'),
                            ({'session': session, 'content': 'x' * 401},
                             '/content')):
        refused = client.refused('think_plan_step',
                                 **{'content': 'x', **arguments})
        error = refused['structuredContent']['error']
        expect(error['violations'][0]['path'] == path, error)


def late_evidence_is_accepted(client):
    """Time stands still during an execution; evidence may come after the end."""
    session = start(client, time_budget_ms=60000)
    client.tool('think_validate_plan', session=session, plan=PLAN)
    client.tool('think_export_plan', session=session)
    first = status(client, session)['budgets']['time_left_ms']
    extended = client.tool('think_session_control', session=session,
                           action='extend', add_time_ms=5000)
    expect(extended['time_budget_ms'] == 65000, extended)
    expect(extended['budgets']['time_left_ms'] == first + 5000, 'a stopped clock')
    client.tool('think_session_control', session=session, action='fail')
    late = client.tool('think_receive_evidence', session=session,
                       execution_id='1', success=True)
    expect(late['late'] and late['session_state'] == 'failed', late)


def history_is_of_similar_plans(client):
    """Failures of one kind of plan do not count for another."""
    other = {**PLAN, 'capabilities_required': ['deploy'],
             'limits': {'max_changes': 400, 'max_files': 2}}
    for i in range(4):
        session = start(client)
        client.tool('think_validate_plan', session=session, plan=PLAN)
        client.tool('think_export_plan', session=session)
        client.tool('think_receive_evidence', session=session,
                    execution_id=str(i), success=False, stderr='AssertionError')
    session = start(client)

    def risk(plan, **more):
        fork(client, session, f'b{client.id}')
        answer = client.tool('think_validate_plan', session=session, plan=plan,
                             branch=f'b{client.id - 1}', **more)
        return answer['review']['risk']['history_risk']
    expect(risk(PLAN) > 0.8, 'similar plans failed')
    expect(risk(other) < 0.56, 'other plans did not')
    given = {'similar_operations': [{'success': True}] * 3 + [{'success': False}]}
    expect(risk(PLAN, context=given) == 0.25, 'the caller knows better')


SCENARIOS = [recalls_third_of_300_steps, first_valid_reply_wins_race,
             thinking_goes_on_until_a_plan_is_valid,
             refusal_and_silence_cost_one_branch, best_compares_all_replies,
             names_of_the_seed_are_accepted, late_evidence_is_accepted,
             history_is_of_similar_plans]


def main():
    for scenario in SCENARIOS:
        with tempfile.TemporaryDirectory() as folder:
            client = Client(sys.argv[1], pathlib.Path(folder))
            try:
                scenario(client)
                client.close()
            except AssertionError as failure:
                client.process.kill()
                print(f'{scenario.__name__}: {failure}')
                return 1
    print(f'{len(SCENARIOS)} scenarios passed.')
    return 0


if __name__ == '__main__':
    sys.exit(main())
