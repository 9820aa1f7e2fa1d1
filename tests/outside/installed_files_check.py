#!/usr/bin/env python3
"""Checks the installed files and the library paths of programs.

    installed_files_check.py PREFIX PROGRAM...

- Only public headers are installed: none of internal/ and none of the tests. All
  Lamarck headers that they include are installed as well. Every macro begins
  with LAMARCK_.
- No installed file and no PROGRAM looks for libraries in an empty or relative
  folder, which would depend on the current directory.
"""
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"(lamarck/[^"]+)"', re.M)
MACRO = re.compile(r'^\s*#\s*define\s+(\w+)', re.M)
PRIVATE = re.compile(r'(^|/)internal/|_(fixture|test|bench|fuzz)\.h$|base/(ensure|macros)\.h$|/cli/')


def header_complaints(include):
    headers = {str(path.relative_to(include)): path.read_text(encoding='utf-8')
               for path in include.rglob('*.h')}
    if 'lamarck/lamarck.h' not in headers:
        yield 'lamarck/lamarck.h is not installed.'
    for name, text in sorted(headers.items()):
        if PRIVATE.search(name):
            yield f'{name} is installed, but is not part of the public API.'
        for included in INCLUDE.findall(text):
            if included not in headers:
                yield f'{name} includes {included}, which is not installed.'
        for macro in MACRO.findall(text):
            if not macro.startswith('LAMARCK_'):
                yield f'{name} defines {macro}; its name must begin with LAMARCK_.'


def is_elf(path):
    with open(path, 'rb') as file:
        return file.read(4) == b'\x7fELF'


def library_path_complaints(path):
    output = subprocess.run(['readelf', '-dW', path], check=True, text=True,
                            capture_output=True).stdout
    for folders in re.findall(r'\((?:RUNPATH|RPATH)\).*\[(.*)\]', output):
        for folder in folders.split(':'):
            if not folder.startswith(('/', '$ORIGIN')):
                yield f'{path} looks for libraries in "{folder}" of "{folders}".'


def main():
    prefix = pathlib.Path(sys.argv[1])
    complaints = list(header_complaints(prefix / 'include'))
    programs = [path for path in prefix.rglob('*')
                if path.is_file() and not path.is_symlink() and is_elf(path)]
    if not programs:
        complaints.append(f'{prefix} contains no program.')
    for program in [*programs, *sys.argv[2:]]:
        complaints += library_path_complaints(program)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
