#!/usr/bin/env python3
"""Writes the scenes of a conversation for tests/llm/scripted_server.py."""
import json


def calls(*pairs):
    """A reply with tool calls: (name, arguments) each."""
    message = {'content': '', 'tool_calls': [
        {'id': f'call_{number}', 'type': 'function',
         'function': {'name': name, 'arguments': json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(pairs)]}
    body = {'choices': [{'message': message, 'finish_reason': 'tool_calls'}],
            'usage': {'prompt_tokens': 100, 'completion_tokens': 10}}
    return {'status': 200, 'body': json.dumps(body),
            'headers': {'Content-Type': 'application/json'}}


def finish(answer):
    return calls(('finish', {'answer': answer, 'success': True, 'summary': 'Answered.'}))


def conversation():
    return [calls(('file_read', {'path': 'note.txt'})), finish('The note says: buy bread.'),
            finish('It was about bread.'), calls(('file_delete', {'path': 'note.txt'})),
            finish('The note is handled.')]


if __name__ == '__main__':
    print(json.dumps(conversation()))
