#!/usr/bin/env python3
"""Runs each fuzzer in build/fuzz, or only the named ones, for FUZZ_SECONDS (60).

    tools/run_fuzzers.py [NAME...]       # such as json_schema_fuzz

The corpus of a fuzzer is stored in build/fuzz/corpus/NAME, inputs that make it
fail in build/fuzz/NAME-...; it starts from inputs made of the files in tests/.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / 'build/fuzz'
MODERN = {'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {'roots': {}}}
# Methods of both protocol eras; arguments of tools come from the transcripts.
METHODS = ['initialize', 'ping', 'server/discover', 'tools/list',
           'resources/list', 'resources/templates/list', 'prompts/list',
           'notifications/initialized', 'notifications/cancelled',
           'logging/setLevel', 'subscriptions/listen', 'tasks/list']
CALLS = {
    'tools/call': {'name': 't', 'arguments': {'a': 1, 'b': []}},
    'prompts/get': {'name': 'p', 'arguments': {'x': 'y'}},
    'resources/read': {'uri': 'a://1/b'},
    'resources/subscribe': {'uri': 'a://1/b'},
    'tasks/get': {'taskId': '1'},
    'completion/complete': {'ref': {'type': 'ref/prompt', 'name': 'p'},
                            'argument': {'name': 'x', 'value': 'y'}},
}


def schema_seeds():
    for path in sorted((ROOT / 'tests/data/json-schema-2020-12').glob('*.json')):
        for group in json.loads(path.read_text(encoding='utf-8')):
            for test in group['tests']:
                yield f'{json.dumps(group["schema"])}\0{json.dumps(test["data"])}'


def message(method, params):
    request = {'jsonrpc': '2.0', 'method': method, 'params': params}
    if not method.startswith('notifications/'):
        request['id'] = 1
    return json.dumps(request)


def message_seeds():
    calls = [(method, {}) for method in METHODS] + list(CALLS.items())
    for path in sorted((ROOT / 'tests/mcp').glob('*.think')):
        for found in re.finditer(r'^> (\w+) (\{.*\})$',
                                 path.read_text(encoding='utf-8'), re.M):
            calls.append(('tools/call', {'name': 't', 'arguments':
                                         json.loads(found.group(2))}))
    for method, params in calls:
        legacy = message(method, params)
        modern = message(method, {**params, '_meta': MODERN})
        yield '\x01' + legacy
        yield '\x02' + modern
        yield '!' + legacy + '\n' + modern  # Over stdio.
    yield '\x1e' + message('tools/call', {**CALLS['tools/call'],
                                          '_meta': MODERN})


def session_seeds():
    for path in sorted((ROOT / 'tests/data/events').glob('v*/*.json')):
        sample = json.loads(path.read_text(encoding='utf-8'))
        lines = [f'{event["type"]} {json.dumps(event.get("constraints", {}))}'
                 for event in sample['events'][1:]]
        yield '\n'.join(['', *lines])
        yield json.dumps(sample['session'])


def formula_seeds():
    return ['x * (y + 2.5)', 'sin(x) / exp(-y)', '-x ^ 2', 'sqrt(abs(x))']


def expression_seeds():
    yield from formula_seeds()
    # Each line doubles the size of the expression as a tree.
    for form in ('x * x', 'x - (b - x * 3)', '(x + 1) / (x - a)',
                 'np.where(x > b, x, -x) + x', 'np.sqrt(x) ** 3 * x',
                 'np.sin(x) * params[0] + x', 'np.minimum(x, b) % (x + 2)'):
        lines = '    x = a + a\n' + f'    x = {form}\n' * 40
        yield f'def equation(a, b, params):\n{lines}    return x\n'


def request_seeds():
    for text in ['GET / HTTP/1.1\nHost: a\n\n',
                 '\n\nPOST /mcp?q HTTP/1.1\nHost: a\nContent-Length: 2\n\n{}',
                 'POST http://a/%41 HTTP/1.1\nHost: b\n'
                 'Transfer-Encoding: chunked\n\n3;x=y\nabc\n0\nT: u\n\n',
                 'HEAD * HTTP/1.0\nConnection: keep-alive\n\n'
                 'GET / HTTP/1.1\nHost: a\nExpect: 100-continue\n\n']:
        yield '\x07' + text.replace('\n', '\r\n')


SEEDS = {'json_schema_fuzz': schema_seeds, 'mcp_message_fuzz': message_seeds,
         'session_fuzz': session_seeds, 'formula_fuzz': formula_seeds,
         'expression_fuzz': expression_seeds,
         'http_request_parser_fuzz': request_seeds}


def corpus(name):
    """Returns the folder with the seeds and the corpus of earlier runs."""
    folder = BUILD / 'corpus' / name
    folder.mkdir(parents=True, exist_ok=True)
    for seed in SEEDS.get(name, list)():
        data = seed.encode()
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
    return folder


def run(program):
    seconds = os.environ.get('FUZZ_SECONDS', '60')
    print(f'== {program.name}, {seconds} s', flush=True)
    return subprocess.run(
        [program, f'-max_total_time={seconds}', '-rss_limit_mb=2048',
         '-timeout=10', '-max_len=65536', '-print_final_stats=1',
         f'-artifact_prefix={BUILD}/{program.name}-', corpus(program.name)],
        check=False).returncode


def main():
    programs = sorted((BUILD / 'bin').glob('*_fuzz'))
    if sys.argv[1:]:
        programs = [BUILD / 'bin' / name for name in sys.argv[1:]]
    failed = [program.name for program in programs if run(program) != 0]
    if failed:
        print(f'Failed: {", ".join(failed)}; the inputs are in build/fuzz/NAME-...')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
