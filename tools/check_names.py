#!/usr/bin/env python3
"""Checks names and forbidden code: unique file names, no `utils`, ASCII names,
#pragma once, own header first, no commented-out code, sources of a folder that
can be compiled together, and nothing that makes a run differ between machines.
Takes the root of a tree, by default this repository.
"""
import collections
import pathlib
import re
import subprocess
import sys

SOURCE = {'.h', '.cc'}
# Names that may occur once in every folder.
REPEATABLE = {
    'README.md', 'CMakeLists.txt', '__init__.py', 'main.cc',
    'program.py', 'evaluate.py', 'problem.md',
}
MAX_FILES = 100  # Directly in one folder.
VAGUE = re.compile(r'(^|_)(utils?|helpers?|common|misc|stuff)(_|\.|$)')

# Code that is not allowed in lamarck/, and what to use instead.
FORBIDDEN = [
    (re.compile(r'\bstd::\w+_distribution\b'),
     'use Rng: standard distributions differ between implementations'),
    (re.compile(r'\bstd::(mt19937|default_random_engine|random_device|shuffle|'
                r'sample|rand)\b|\bs?rand\(\)'),
     'use Rng, so that a seed repeats the run'),
    (re.compile(r'\b(system_clock|steady_clock|high_resolution_clock)::now\b'),
     'take a Clock& as an argument'),
    (re.compile(r'\bstd::(exit|abort|quick_exit)\b|(?<![\w.:>])exit\('),
     'return a Result or throw: the library never exits'),
    (re.compile(r'\bstd::(cout|cerr|clog)\b|(?<![\w.:>])f?printf\('),
     'write to a stream of the caller, or log: the library never '
     'prints'),
]
# The files that wrap forbidden functions for the rest of the project.
ALLOWED = {
    'lamarck/base/clock.cc', 'lamarck/cli/main.cc',
}

COMMENT = re.compile(r'^\s*//(.*)$')
# A comment that ends like a statement and contains code rather than prose.
CODE = re.compile(r'(;|\{|\}|\)\s*\{?)\s*$')
CODE_MARK = re.compile(r'(\w\(.*\)\s*;|\w\s*=\s*[^=].*;|^\s*(if|for|while|return|'
                       r'#include|std::|auto|const)\b.*[;{]\s*$|^\s*[{}]\s*;?$)')

# A constant or a class at the start of a line.
DEFINITION = re.compile(r'(?:constexpr|const)\b[^=({]*?\b(k[A-Z]\w*)\b|'
                        r'(?:struct|class|enum class) (\w+)[^;]*$')


def tracked_files(root):
    listed = subprocess.run(
        ['git', '-C', str(root), 'ls-files', '-co', '--exclude-standard'],
        capture_output=True, text=True)
    if listed.returncode == 0:
        names = listed.stdout.split('\n')
        return sorted(root / name for name in names
                      if name and (root / name).is_file())
    return sorted(path for path in root.rglob('*') if path.is_file())


def check_file_names(root, files):
    seen = {}
    for path in files:
        where = path.relative_to(root)
        if not path.name.isascii() or ' ' in path.name:
            yield f'{where}: file names must be ASCII without spaces; rename it.'
        if path.suffix not in SOURCE:
            continue
        if VAGUE.search(path.name):
            yield (f'{where}: the name does not describe the content; name it '
                   'after its one concept, like broadcast.h.')
        if re.search(r'[^a-z0-9_.]', path.name):
            yield f'{where}: names of source files must be snake_case; rename it.'
        if path.name in REPEATABLE:
            continue
        if path.name in seen:
            yield (f'{where}: {seen[path.name]} has the same name; rename one, '
                   'because file names must be unique.')
        seen.setdefault(path.name, where)


def check_folder_sizes(root, files):
    counts = collections.Counter(path.parent.relative_to(root) for path in files)
    for folder, count in sorted(counts.items()):
        if count > MAX_FILES:
            yield (f'{folder}: {count} files lie directly in it, and at most {MAX_FILES} may; '
                   'split it by subject.')


def check_header_form(root, path, lines):
    where = path.relative_to(root)
    if path.suffix == '.h':
        if '#pragma once' not in lines:
            yield f'{where}: #pragma once is missing; add it.'
        return
    header = path.with_name(
        re.sub(r'(_test|_bench|_fixture|_fuzz)?\.cc$', '.h', path.name))
    includes = [line for line in lines if line.startswith('#include')]
    if header.exists() and includes:
        wanted = f'#include "{header.relative_to(root)}"'
        if includes[0] != wanted:
            yield (f'{where}: its own header comes first, which proves that the '
                   f'header is self-contained; start with {wanted}')


def check_words(root, path, lines):
    where = path.relative_to(root)
    is_free = str(where) in ALLOWED or re.search(
        r'_(test|bench|fixture|fuzz)\.cc$', path.name)
    for number, line in enumerate(lines, 1):
        code = re.sub(r'"(\\.|[^"\\])*"', '""', line.split('//')[0])
        if not is_free and where.parts[0] == 'lamarck':
            for pattern, remedy in FORBIDDEN:
                if pattern.search(code):
                    yield f'{where}:{number}: {line.strip()}: {remedy}.'


def check_dead_code(root, path, lines):
    """Finds two consecutive comment lines that are code. The comment at the top of
    a file may show how it is used."""
    where = path.relative_to(root)
    run = 0
    opening = True
    for number, line in enumerate(lines, 1):
        match = COMMENT.match(line)
        if line.strip() and not match:
            opening = False
        is_code = match and CODE.search(match.group(1)) and CODE_MARK.search(
            match.group(1))
        run = run + 1 if is_code and not opening else 0
        if run == 2:
            yield (f'{where}:{number}: commented-out code; delete it, git '
                   'keeps it.')


def check_batches(root, files):
    """Finds names that clash in a unity build: sources of a folder are compiled
    together, so they share their unnamed namespaces. Tests are compiled
    separately from the other sources."""
    seen = {}
    for path in files:
        where = path.relative_to(root)
        if where.parts[0] != 'lamarck' or path.suffix != '.cc' or re.search(
                r'_(bench|fuzz)\.cc$', path.name):
            continue
        is_test = bool(re.search(r'_(test|fixture)\.cc$', path.name))
        text = path.read_text(encoding='utf-8', errors='replace')
        if 'hwy/foreach_target.h' in text:
            continue
        spaces = []
        for number, line in enumerate(text.splitlines(), 1):
            if opened := re.match(r'namespace ?([\w:]*) ?\{$', line):
                spaces.append(opened.group(1))
            elif line.startswith('}  // namespace') and spaces:
                spaces.pop()
            elif re.match(r'using (enum|namespace) (?!.*_literals;)', line):
                yield (f'{where}:{number}: {line.strip()} also affects other '
                       'sources of the folder; move it into a function.')
            elif '' in spaces and (found := DEFINITION.match(line)):
                name = found.group(1) or found.group(2)
                key = (where.parts[1], is_test, *spaces, name)
                if seen.setdefault(key, where) != where:
                    yield (f'{where}:{number}: {seen[key]} also defines {name}; '
                           'share it in a header, or rename one.')


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        pathlib.Path(__file__).resolve().parent.parent)
    files = tracked_files(root)
    complaints = list(check_file_names(root, files))
    complaints += check_folder_sizes(root, files)
    complaints += check_batches(root, files)
    for path in files:
        if path.suffix not in SOURCE:
            continue
        lines = path.read_text(encoding='utf-8', errors='replace').splitlines()
        complaints += check_header_form(root, path, lines)
        complaints += check_words(root, path, lines)
        complaints += check_dead_code(root, path, lines)
    for complaint in complaints:
        print(complaint)
    if complaints:
        return 1
    print(f'Names: {len(files)} files pass.')
    return 0


if __name__ == '__main__':
    sys.exit(main())
