#!/usr/bin/env python3
"""Checks docs/features.md: every id appears once and in order, every feature that
is not planned names its source and a test, and every named test exists."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTS = {'G': 17, 'L': 7, 'N': 17, 'P': 13, 'T': 17, 'S': 13, 'X': 6}
STATUS = ('done', 'begun', 'planned')
TEST = re.compile(r'\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(\s*(\w+),\s*(\w+)')
SCRIPT_TEST = re.compile(r'add_(?:script|plain)_test\((\S+)|add_test\(NAME (\S+)')


def known_tests():
    names = set()
    for folder in ('lamarck', 'tests', 'bench', 'examples'):
        for path in (ROOT / folder).rglob('*.cc'):
            for suite, name in TEST.findall(path.read_text(encoding='utf-8', errors='replace')):
                names.add(f'{suite}.{name}')
    for path in ROOT.rglob('CMakeLists.txt'):
        if ROOT / 'build' not in path.parents:
            for match in SCRIPT_TEST.finditer(path.read_text(encoding='utf-8')):
                names.add(match.group(1) or match.group(2))
    names |= {f'examples.{path.stem}' for path in ROOT.glob('examples/*.cc')}
    return names


def main():
    text = (ROOT / 'docs' / 'features.md').read_text(encoding='utf-8')
    rows = [[cell.strip() for cell in line.strip('|').split('|')]
            for line in text.splitlines()
            if re.match(r'\| [A-Z]\d+ \|', line)]
    wanted = [f'{letter}{number}' for letter, count in COUNTS.items()
              for number in range(1, count + 1)]
    complaints = []
    if [row[0] for row in rows] != wanted:
        complaints.append('docs/features.md does not list every id once and in '
                          'order; see COUNTS in tools/check_features.py.')
    for identifier, _, status, where, shown in rows:
        if status not in STATUS:
            complaints.append(f'{identifier}: the status must be one of {STATUS}, '
                              f'got {status}.')
        if status != 'planned' and not ('](' in where and '`' in shown):
            complaints.append(f'{identifier} is {status}: add a link to its source '
                              'and the name of a test, `Suite.Name`.')
    tests = known_tests()
    for line in text.splitlines():
        if line.startswith('|'):
            for name in re.findall(r'`(\w+\.\w+)`', line.split('|')[-2]):
                if name not in tests:
                    complaints.append(f'docs/features.md names the test {name}, '
                                      'which does not exist.')
    print('\n'.join(complaints) or f'Features: {len(rows)} ids are complete and in order.')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
