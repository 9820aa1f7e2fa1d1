#!/usr/bin/env python3
"""Runs clang-tidy on the library and the program, batch by batch as they are
compiled, so that headers are parsed once for many sources. Tests and benchmarks
are left out; they take longer to parse than everything else.

    tools/check_tidy.py build/dev [FILE...]

A batch that passed is checked again only if one of its sources, one of our
headers that it includes, or .clang-tidy changes.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import clean_record

TIDY = 'clang-tidy-14'
REMEDIES = [
    ('readability-identifier-naming',
     'Rename it: types and enumerators UpperCamel, functions and variables '
     'snake_case, private members with a trailing _, constants kUpperCamel '
     '(the table of names is in CONTRIBUTING.md).'),
    ('clang-diagnostic-error',
     'clang 14 does not support this, though g++ does (for example std::views '
     'and std::source_location): use a simpler construct.'),
    ('', 'Fix it, or if the tool is wrong, add // NOLINT(check-name) with the '
         'reason.'),
]


def units(build):
    """Returns the batches of the library and the program, and the sources that
    are compiled alone."""
    entries = json.loads((build / 'compile_commands.json').read_text(encoding='utf-8'))
    files = {pathlib.Path(entry['file']) for entry in entries}
    return sorted(path for path in files
                  if re.search(r'/batches/lamarck(_cli|_knowledge)?/', str(path))
                  or is_single(path))


def is_single(path):
    """Whether the source is compiled alone, and is not a test or benchmark."""
    if clean_record.ROOT / 'lamarck' not in path.parents:
        return False
    if re.search(r'_(test|bench|fixture)\.cc$', path.name):
        return False
    return path.name == 'main.cc' or 'hwy/foreach_target.h' in path.read_text(
        encoding='utf-8')


def main():
    root = clean_record.ROOT
    build = pathlib.Path(sys.argv[1])
    if not shutil.which(TIDY):
        print(f'{TIDY} is missing; run tools/install-deps check.')
        return 1
    wanted = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    files = wanted or units(build)
    if not wanted and not any('/batches/' in str(path) for path in files):
        print(f'{build} has no batches: run cmake --preset dev.')
        return 1

    def tidy(path):
        # clang does not know all warning flags of g++.
        result = subprocess.run(
            [TIDY, '-p', str(build), '--quiet',
             '--extra-arg=-Wno-unknown-warning-option', str(path)],
            capture_output=True, text=True)
        return '' if result.returncode == 0 else result.stdout + result.stderr

    rules = [root / '.clang-tidy', __file__, clean_record.version(TIDY)]
    outputs = clean_record.unclean('tidy', files, lambda _: rules, tidy)
    # A mistake in a header is reported for every source that includes it.
    findings = dict.fromkeys(
        finding for text in outputs
        for finding in re.split(r'\n(?=\S+:\d+:\d+: (?:error|warning))', text))
    for finding in findings:
        print(re.sub(r'\d+ warnings.*generated.*\n?', '',
                     finding.replace(str(root) + '/', '')).rstrip())
        print(next(remedy for mark, remedy in REMEDIES if mark in finding))
    if not outputs:
        print(f'clang-tidy: {len(files)} batches and files are clean.')
    return 1 if outputs else 0


if __name__ == '__main__':
    sys.exit(main())
