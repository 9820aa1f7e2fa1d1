"""An OpenAI-compatible model server that plays a small agent by rules.

It reads the task and the functions of a request. If a skill for the family of the
task is offered, it calls the skill; otherwise it calls one tool after the other.
Tokens are counted from the bytes of the request and of the reply.
"""
import http.server
import json
import re
import threading

# Family -> (pattern of the task, word of the skill's description).
FAMILIES = {
    'average': re.compile(r'Average the column (?P<column>\w+) of the table (?P<table>\S+) '
                          r'and save it as (?P<out>\S+)'),
    'scale': re.compile(r'Scale the number in the settings (?P<file>\S+) '
                        r'by the factor (?P<factor>\d+) into (?P<out>\S+)'),
    'copy': re.compile(r'Duplicate the note (?P<file>\S+) under the name (?P<out>\S+) '
                       r'and verify the folder (?P<folder>\S+)'),
    'law': re.compile(r'Here is a CSV (?P<table>\S+): find the law of (?P<target>\w+), predict '
                      r'the next values in (?P<next>\S+) and save them as (?P<out>\S+)'),
    'fetch': re.compile(r'Download the item (?P<url>\S+) and archive it at (?P<out>\S+)'),
}


def family_of(task):
    for name, pattern in FAMILIES.items():
        if match := pattern.search(task):
            return name, match.groupdict()
    return None, {}


def planned_call(family, values, results):
    """The next tool call of a task, given the results so far; None at its end."""
    step = len(results)
    if family == 'average':
        return [lambda: ('csv_statistics', {'path': values['table'],
                                            'columns': [values['column']]}),
                lambda: ('formula_evaluate', {
                    'formula': 'total / count',
                    'values': {
                        'total': results[0]['columns'][values['column']]['sum'],
                        'count': results[0]['columns'][values['column']]['count']}}),
                lambda: ('file_write', {'path': values['out'],
                                        'content': results[1]})][step]() if step < 3 else None
    if family == 'scale':
        return [lambda: ('file_read', {'path': values['file'], 'format': 'json'}),
                lambda: ('formula_evaluate', {
                    'formula': 'number * factor',
                    'values': {'number': results[0]['value']['number'],
                               'factor': int(values['factor'])}}),
                lambda: ('file_write', {'path': values['out'],
                                        'content': results[1]})][step]() if step < 3 else None
    if family == 'copy':
        return [lambda: ('file_read', {'path': values['file']}),
                lambda: ('file_write', {'path': values['out'], 'content': results[0]['text']}),
                lambda: ('file_list', {'path': values['folder']})][step]() if step < 3 else None
    if family == 'law':
        return [lambda: ('evolve_function', {'path': values['table'],
                                             'target': values['target'],
                                             'budget': '40000eval'}),
                lambda: ('predict', {'run': results[0]['run'], 'path': values['next']}),
                lambda: ('file_write', {'path': values['out'],
                                        'content': results[1]})][step]() if step < 3 else None
    if family == 'fetch':
        return [lambda: ('http_get', {'url': values['url']}),
                lambda: ('file_write', {'path': values['out'], 'content': results[0]['json']}),
                lambda: ('file_read', {'path': values['out'], 'format': 'json'})
                ][step]() if step < 3 else None
    return None


FAMILY_WORDS = {'law': 'law', 'average': 'average', 'scale': 'scale', 'copy': 'duplicate', 'fetch': 'download'}


def argument(schema, values):
    """The value of a skill's parameter, by its description."""
    words = schema.get('description', '')
    for phrase, key in (('path of csv', 'table'), ('path of file_read', 'file'),
                        ('path of evolve_function', 'table'), ('path of predict', 'next'),
                        ('target', 'target'), ('path of file_write', 'out'), ('path of file_list', 'folder'),
                        ('columns', 'column'), ('factor', 'factor'), ('url', 'url')):
        if phrase in words and key in values:
            return int(values[key]) if schema.get('type') == 'integer' else values[key]
    return 'json' if 'format' in words else None


def fitting_skill(functions, family, values):
    """A skill with the family's word in its description, and its arguments."""
    for function in functions:
        words = function['description'].lower()
        if not function['name'].startswith('skill_') or FAMILY_WORDS[family] not in words:
            continue
        arguments = {name: argument(schema, values)
                     for name, schema in function['parameters']['properties'].items()}
        if None not in arguments.values():
            return function['name'], arguments
    return None


def reply_to(request):
    task = next(m['content'] for m in request['messages'] if m['role'] == 'user')
    functions = [tool['function'] for tool in request.get('tools', [])]
    family, values = family_of(task)
    finish = {'success': True, 'summary': f'Solved a task of the kind {family}.',
              'reusability': 0.9, 'answer': 'done'}
    turns = []  # (calls, outcomes) of the conversation.
    for message in request['messages']:
        if message['role'] == 'assistant':
            turns.append((message.get('tool_calls', []), []))
        elif message['role'] == 'tool':
            turns[-1][1].append(json.loads(message['content'])['untrusted_result'])
    used_skill = any(call['function']['name'].startswith('skill_')
                     for calls, _ in turns for call in calls)
    if not turns and (skill := fitting_skill(functions, family, values)):
        return skill
    if used_skill and not (isinstance(turns[0][1][0], dict) and 'error' in turns[0][1][0]):
        return 'finish', finish
    results = [outcome for calls, outcomes in turns[1 if used_skill else 0:]
               for outcome in outcomes]
    for outcome in results:
        if isinstance(outcome, dict) and 'error' in outcome:
            return repaired(family, values, results, finish)
    call = planned_call(family, values, results)
    return call if call else ('finish', finish)


def repaired(family, values, results, finish):
    """After a failure of the changed service: the new address has /v2/ in it."""
    if family == 'fetch' and '/v1/' in values['url']:
        good = [one for one in results if not (isinstance(one, dict) and 'error' in one)]
        call = planned_call(family, {**values, 'url': values['url'].replace('/v1/', '/v2/')}, good)
        return call if call else ('finish', finish)
    return 'finish', {**finish, 'success': False}


class ModelServer:
    """Counts calls and tokens. Use as a context manager."""

    def __init__(self):
        outer = self
        self.calls = self.tokens = 0
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                request = json.loads(body)
                name, arguments = reply_to(request)
                message = {'role': 'assistant', 'content': '', 'tool_calls': [
                    {'id': f'call_{outer.calls}', 'type': 'function',
                     'function': {'name': name, 'arguments': json.dumps(arguments)}}]}
                usage = {'prompt_tokens': len(body) // 4,
                         'completion_tokens': len(json.dumps(message)) // 4}
                outer.calls += 1
                outer.tokens += sum(usage.values())
                outer.requests.append((request, name, arguments))
                reply = json.dumps({'choices': [{'message': message,
                                                 'finish_reason': 'tool_calls'}],
                                    'usage': usage}).encode()
                self.send_response(200)
                self.send_header('Content-Type', 'application/json')
                self.send_header('Content-Length', str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.url = f'http://127.0.0.1:{self.server.server_port}/v1'

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args):
        self.server.shutdown()
