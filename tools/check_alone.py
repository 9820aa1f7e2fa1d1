#!/usr/bin/env python3
"""Compiles each source of the library alone, without writing an object, and each
header that no source of the same name includes first. Unity builds compile many
sources as one, which hides missing includes.

    tools/check_alone.py build/check [FILE...]

A file that passed is checked again only if it or a header that it includes
changes.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

import clean_record

ROOT = clean_record.ROOT


def commands(build):
    """Returns the compiler arguments of each source, without the output."""
    entries = json.loads((build / 'compile_commands.json').read_text(encoding='utf-8'))
    found = {}
    for entry in entries:
        words = shlex.split(entry['command'])
        while not re.search(r'(c|g|clang)\+\+[-\d.]*$', words[0]):
            words.pop(0)  # Drops ccache and its environment.
        output = words.index('-o')
        found[pathlib.Path(entry['file'])] = [
            word for word in words[:output] if not re.fullmatch(r'-O\d|-g\d?', word)]
    return found


def main():
    build = pathlib.Path(sys.argv[1])
    known = commands(build)
    sources = [path for path in known if ROOT / 'lamarck' in path.parents
               and not re.search(r'_(test|bench|fuzz)\.cc$', path.name)]
    headers = [path for path in (ROOT / 'lamarck').rglob('*.h')
               if path.with_suffix('.cc') not in known]
    files = [pathlib.Path(name).resolve() for name in sys.argv[2:]] or sources + headers

    def near(path):
        """Returns the command of the source that is nearest to a header."""
        folder = path.parent
        while True:
            for source, command in known.items():
                if folder in source.parents:
                    return command
            folder = folder.parent

    def compile_alone(path):
        command = known.get(path) or near(path)
        language = ['-x', 'c++'] if path.suffix == '.h' else []
        result = subprocess.run(
            [*command, '-fsyntax-only', '-w', *language, str(path)],
            cwd=build, capture_output=True, text=True)
        return result.stderr if result.returncode else ''

    compiler = clean_record.version(next(iter(known.values()))[0])

    def rules(path):
        command = ' '.join(known.get(path) or near(path)).replace(str(ROOT), '')
        return [__file__, compiler, command.encode()]

    complaints = clean_record.unclean('alone', files, rules, compile_alone)
    for text in complaints:
        print(text.replace(str(ROOT) + '/', ''))
    if complaints:
        print('These files do not compile alone: add the missing #include lines to them.')
        return 1
    print(f'Alone: {len(files)} sources and headers compile on their own.')
    return 0


if __name__ == '__main__':
    sys.exit(main())
