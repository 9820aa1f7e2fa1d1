#!/usr/bin/env python3
"""Checks the words of the sources: messages of REQUIRE, names for limits, and
phrases that plain technical English does without. Takes the root of a tree, this
one by default.
"""
import pathlib
import re
import subprocess
import sys

SOURCE = {'.h', '.cc', '.inc'}
READ = SOURCE | {'.md', '.py', '.sh', '.txt', '.cmake', '.transcript', '.think'}

# Whole words in names, and what to use instead.
NAMES = [
    (re.compile(r'\bkMost[A-Z]\w*|\bkMost\b|(?<!\w)most_\w+'), 'max_ or kMax'),
    (re.compile(r'\bkLeast[A-Z]\w*|\bkLeast\b|(?<!\w)least_(?!squares)\w+'), 'min_ or kMin'),
]

# Phrases that read like a translation, and what to write.
PHRASES = [
    (re.compile(r'\bis required, and was not so\b', re.I), 'say what must hold and what was given'),
    (re.compile(r'\bgone on with\b|\bgoes on with\b|\bgo on with\b', re.I), 'resume, or continue'),
    (re.compile(r'\bbegins? anew\b', re.I), 'restart'),
    (re.compile(r'\b(is|are|was|were) told of\b', re.I), 'is reported'),
    (re.compile(r'\bkept apart\b|\bkeep apart\b', re.I), 'held out, or separate'),
    (re.compile(r'\bset right\b|\bmended\b', re.I), 'fixed'),
    (re.compile(r'(?<!there )\bis no (number|integer|file|folder|column|formula|name)\b', re.I), 'is not a ...'),
    (re.compile(r'\bnothing that (evolves|is)\b', re.I), 'name the thing'),
]
# This list itself, and words of others.
EXEMPT = {'tools/check_words.py', 'tests/tools/checks_check.py'}
EXEMPT_FOLDERS = ('tests/data/', 'tests/reference/', 'build/')

# A condition that compares values: its message must show them.
COMPARES = re.compile(r'[^-<>=!]([<>]=?|[=!]=)[^<>=]')

# What stands for a value: a remedy, or a call at the wrong time.
REMEDY = re.compile(r'; |must not be (called|null)|\bonly once\b|of this graph')


def tracked_files(root):
    listed = subprocess.run(
        ['git', '-C', str(root), 'ls-files', '-co', '--exclude-standard'],
        capture_output=True, text=True)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split('\n') if name]
        return sorted(root / name for name in names if (root / name).is_file())
    return sorted(path for path in root.rglob('*') if path.is_file())


def call_arguments(text, start):
    """The arguments of the call whose parenthesis opens at `start`."""
    depth, parts, begin, i = 0, [], start + 1, start
    while i < len(text):
        c = text[i]
        if c == '"':
            i += 1
            while text[i] != '"':
                i += 2 if text[i] == '\\' else 1
        elif c in '([{':
            depth += 1
        elif c in ')]}':
            depth -= 1
            if depth == 0:
                return parts + [text[begin:i].strip()]
        elif c == ',' and depth == 1:
            parts.append(text[begin:i].strip())
            begin = i + 1
        i += 1
    return parts


def check_requires(where, text):
    for match in re.finditer(r'\bREQUIRE(?=\()', text):
        line = text.count('\n', 0, match.start()) + 1
        if text[text.rfind('\n', 0, match.start()) + 1:match.start()].strip().startswith(('//', '#')):
            continue
        arguments = call_arguments(text, match.end())
        if len(arguments) < 2:
            continue
        message = ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', arguments[1]))
        if not message:
            yield f'{where}:{line}: write the message of REQUIRE as a literal, here.'
            continue
        if not re.match(r'[A-Za-z{][\w:<>{}() ]*: ', message) or not message.endswith('.'):
            yield (f'{where}:{line}: "{message}": a message of REQUIRE is a sentence that begins '
                   'with the operation: "Type::call: what must hold, got {}."')
        elif COMPARES.search(arguments[0]) and '{' not in message and not REMEDY.search(message):
            yield (f'{where}:{line}: "{message}": the condition compares values; show what was '
                   'given: REQUIRE(n > 0, "f: n must be at least 1, got {}.", n).')


def check_text(where, text, is_source):
    for number, line in enumerate(text.split('\n'), 1):
        if is_source:
            code = re.sub(r'"(\\.|[^"\\])*"', '""', line.split('//')[0])
            for pattern, remedy in NAMES:
                for found in pattern.finditer(code):
                    yield f'{where}:{number}: {found.group()}: use {remedy}.'
        for pattern, remedy in PHRASES:
            for found in pattern.finditer(line):
                yield f'{where}:{number}: "{found.group()}": use plainer words: {remedy}.'


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    if len(sys.argv) <= 1:
        root = root.parent.parent
    complaints, count = [], 0
    for path in tracked_files(root):
        where = str(path.relative_to(root))
        if path.suffix not in READ or where in EXEMPT or where.startswith(EXEMPT_FOLDERS):
            continue
        count += 1
        text = path.read_text(encoding='utf-8', errors='replace')
        complaints += check_text(where, text, path.suffix in SOURCE)
        if path.suffix in SOURCE and where.startswith('lamarck/'):
            complaints += check_requires(where, text)
    for complaint in complaints:
        print(complaint)
    if complaints:
        print(f'{len(complaints)} places to rewrite; see "Words" in CONTRIBUTING.md.')
        return 1
    print(f'Words: {count} files read well.')
    return 0


if __name__ == '__main__':
    sys.exit(main())
