#!/usr/bin/env python3
"""Checks that the code, output and links in the documents are correct.

    tools/run_doc_snippets.py PROGRAMS DOCUMENT...

Each ```console block is run as a transcript (tools/transcript.py). A ```cpp
block after a line `<!-- examples/NAME.cc -->` must be the text of that file from
its first line of code on, and a ```text block right after it must be the output
of the example. After `<!-- part of examples/NAME.cc -->`, the block must be
consecutive lines of that file, indented or not. After `<!-- rows of FILE -->`,
each row of a table has a line of PyTorch, which must be a comment `// torch: ...`
of that file, and our line, which must be in the code below that comment; every
such comment must have a row. Links to files of the repository must be valid.
"""
import pathlib
import re
import subprocess
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import transcript  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r'(?:<!-- (?P<part>part of )?(?P<source>\S+) -->\n)?```(?P<kind>\w+)\n'
                   r'(?P<body>.*?)```', re.S)
ROWS = re.compile(r'<!-- rows of (?P<source>\S+) -->\n(?P<table>(?:\|.*\n)+)')
LINK = re.compile(r'\]\((?!https?:|#|mailto:)([^)#]+)')


def check_console(document, body, programs):
    for command, expected, actual, is_same in transcript.run(
            body.splitlines(), programs):
        if not is_same:
            yield transcript.complaint(document, command, expected, actual)


def check_example(document, source, body, is_part):
    text = (ROOT / source).read_text(encoding='utf-8')
    parts = ['\n' + textwrap.indent(body, ' ' * deep) for deep in (0, 2, 4)]
    is_same = (any(part in '\n' + text for part in parts) if is_part
               else text.endswith(body))
    if not is_same:
        yield (f'{document}: the code block differs from {source}; make them '
               'identical.')


def check_output(document, source, body, programs):
    program = programs.parent / 'examples' / pathlib.Path(source).stem
    printed = subprocess.run([program], capture_output=True, text=True,
                             timeout=120).stdout
    if printed != body:
        yield transcript.complaint(document, program.name, body.splitlines(),
                                   printed.splitlines())


def squeezed(code):
    return re.sub(r'\s+', '', code)


def check_rows(document, source, rows):
    text = (ROOT / source).read_text(encoding='utf-8')
    tested = {line.strip(): squeezed(code) for line, code in re.findall(
        r'// torch: (.*)\n((?:(?!.*// torch:).*\n)*)', text)}
    for theirs, ours in rows:
        if theirs not in tested:
            yield (f'{document}: {source} has no comment "// torch: {theirs}"; '
                   'add it with a test, or remove the row.')
        elif squeezed(ours) not in tested.pop(theirs):
            yield (f'{document}: the code below "// torch: {theirs}" in '
                   f'{source} must contain {ours}.')
    for theirs in tested:
        yield f'{document}: add a row for "// torch: {theirs}" of {source}.'


def check_tables(document, text):
    tables = {}
    for table in ROWS.finditer(text):
        rows = [re.findall(r'`([^`]+)`', line)
                for line in table['table'].splitlines()[2:]]
        tables.setdefault(table['source'], []).extend(rows)
    for source, rows in tables.items():
        for row in rows:
            if len(row) != 2:
                yield (f'{document}: a row must have two pieces of code, got '
                       f'{row}.')
        yield from check_rows(document, source,
                              [row for row in rows if len(row) == 2])


def check_document(path, programs):
    document = path.relative_to(ROOT)
    text = path.read_text(encoding='utf-8')
    last_source = None
    for block in BLOCK.finditer(text):
        kind, body, source = block['kind'], block['body'], block['source']
        if kind == 'console':
            yield from check_console(document, body, programs)
        if kind == 'cpp' and source:
            yield from check_example(document, source, body,
                                     block['part'])
        if kind == 'text' and last_source:
            yield from check_output(document, last_source, body, programs)
        last_source = source if kind == 'cpp' else None
    yield from check_tables(document, text)
    for link in LINK.findall(BLOCK.sub('', text)):
        if not (path.parent / link).exists():
            yield f'{document}: the link to {link} is broken; fix its path.'


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    documents = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    complaints = [text for path in documents
                  for text in check_document(path, programs)]
    print('\n'.join(complaints) or f'{len(documents)} documents are correct.')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
