#!/usr/bin/env python3
"""examples_check.py PROGRAM DOCUMENT...: the files that examples read exist.

Looks at the examples of every command's --help, and at the `lamarck` lines of
```text and ```sh blocks. A file must be in the repository or in examples/data,
or an earlier example of the same help or document must have written it.
"""
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r'```(?:text|sh)\n(.*?)```', re.S)
# The number of arguments that each command reads, all of them files or folders.
READ_BY = {'evolve net': 1, 'evolve fn': 1, 'evolve program': 1, 'predict': 2,
           'show': 1, 'export': 1, 'replay': 1, 'neat': 1}
SWITCHES = {'--json', '--series', '--force', '--text', '--safe-csv', '--svg',
            '--mermaid', '--dot', '--follow', '--measure', '--with-private'}
TASKS = {'xor', 'cartpole', 'double-pole', 'double-pole-no-velocity'}


def command_lines(text):
    joined = text.replace('\\\n', ' ')
    for line in joined.splitlines():
        found = re.match(r'(?:\$ |\s*)(lamarck .*)', line)
        if found:
            yield found[1]


def split(line):
    """Returns the command, its arguments, and its flags."""
    words = shlex.split(re.split(r'  +|\s#', line)[0])[1:]
    size = 2 if words and words[0] == 'evolve' else 1
    command, rest = ' '.join(words[:size]), words[size:]
    takes_file = {'--svg', '--dot'} if command in ('show', 'export') else set()
    arguments, flags = [], {}
    while rest:
        word = rest.pop(0)
        if not word.startswith('--'):
            arguments.append(word)
        elif word in SWITCHES - takes_file:
            flags[word] = ''
        else:
            flags[word] = rest.pop(0) if rest else ''
    return command, arguments, flags


def written_by(command, arguments, flags):
    files = {flags[flag] for flag in ('--out', '--onnx', '--cpp', '--python',
                                      '--latex', '--jsonl', '--safetensors')
             if flags.get(flag)}
    if command.startswith('evolve') and arguments and '--out' not in flags:
        stem = pathlib.Path(arguments[0]).name.split('.')[0]
        files.add(f'{stem}-{command.split()[1]}')
    return files


def exists(name, written):
    return (name in ('-', '/dev/stdin') or name in written
            or name.split('/')[0] in written or (ROOT / name).exists()
            or (ROOT / 'examples/data' / name).exists())


def check(where, lines):
    written = set()
    count = 0
    for line in lines:
        command, arguments, flags = split(line)
        count += 1
        inputs = arguments[:READ_BY.get(command, 0)]
        inputs += [flags[flag] for flag in ('--test', '--resume') if flag in flags]
        if command == 'neat':
            inputs = [name for name in inputs if name not in TASKS]
        for name in inputs:
            # Words in capitals, as in DATA.csv, stand for any file.
            if not re.match(r'[A-Z]{3,}', name) and not exists(name, written):
                yield (f'{where}: `{line}` reads {name}, which does not exist; put '
                       'it into examples/data, or show how it is made.')
        written |= written_by(command, arguments, flags)
    if count == 0 and where.startswith('lamarck'):
        yield f'{where}: the help has no example.'


def help_lines(program):
    def run(*words):
        return subprocess.run([program, *words, '--help'], check=True, text=True,
                              capture_output=True).stdout
    whole = run()
    lines = list(command_lines(whole.split('First steps')[1]))
    for name in re.findall(r'^  ([a-z]+) {2,}', whole.split('Options:')[0], re.M):
        kinds = [(name, kind) for kind in ('net', 'fn', 'program')]
        for words in [(name,), *(kinds if name == 'evolve' else [])]:
            lines += command_lines(run(*words).split('Example:')[1])
    return lines


def main():
    program, *documents = sys.argv[1:]
    lines = help_lines(pathlib.Path(program).resolve())
    problems = list(check('lamarck --help', lines))
    assert len(lines) > 15, lines
    for name in documents:
        text = pathlib.Path(name).read_text(encoding='utf-8')
        blocks = '\n'.join(BLOCK.findall(text))
        problems += check(str(pathlib.Path(name).relative_to(ROOT)),
                          command_lines(blocks))
    print('\n'.join(problems) or f'{len(lines)} examples of the help.')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
