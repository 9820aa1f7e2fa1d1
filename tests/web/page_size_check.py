#!/usr/bin/env python3
"""Checks the size of the page as it is embedded: what the first view loads, and
everything.

  page_size_check.py BUILD/page
"""
import pathlib
import re
import sys

MAX_SCRIPT = 70_000  # Compressed, at first load.
MAX_STYLE = 8_000
MAX_ALL = 300_000
SKIPPED = 77


def first_load(assets, name, seen):
    """The scripts that `name` imports statically, and itself."""
    if name in seen:
        return
    seen.add(name)
    text = (assets / name).read_text(encoding='utf-8')
    for imported in re.findall(r'(?:from|import)"\./([^"]+)"', text):
        first_load(assets, imported, seen)


def main():
    files = pathlib.Path(sys.argv[1]) / 'files'
    if not files.exists():
        print('The program is built without the page.')
        return SKIPPED
    index = (files / 'index.html').read_text(encoding='utf-8')
    scripts = set()
    for name in re.findall(r'src="/assets/([^"]+)"', index):
        first_load(files / 'assets', name, scripts)
    styles = re.findall(r'href="/assets/([^"]+\.css)"', index)
    assert scripts and styles, 'index.html loads no script or no style sheet.'

    def size(names):
        return sum((files / 'assets' / f'{name}.gz').stat().st_size for name in names)
    total = sum(path.stat().st_size for path in files.rglob('*.gz'))
    problems = []
    for what, found, limit in (('script at first load', size(scripts), MAX_SCRIPT),
                               ('style at first load', size(styles), MAX_STYLE),
                               ('the whole page', total, MAX_ALL)):
        print(f'{what}: {found} bytes compressed, at most {limit}')
        if found > limit:
            problems.append(f'The {what} has {found} bytes compressed, and at most {limit} are allowed.')
    print('\n'.join(problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
