#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a compilation database, tests and
benchmarks excepted (they take longer to parse than all the rest).

    tools/check_tidy.py build/check [FILE...]

A file that was clean is not looked at again until it, a header of ours that it
includes, or .clang-tidy changes; the record is kept outside the build folder,
so that it also serves a fresh clone.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

TIDY = 'clang-tidy-14'
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
REMEDIES = [
    ('readability-identifier-naming',
     'Rename it: types and enumerators UpperCamel, functions and variables '
     'snake_case, private members with a trailing _, constants kUpperCamel '
     '(the table of names is in CONTRIBUTING.md).'),
    ('clang-diagnostic-error',
     'clang 14 cannot read this, though g++ can (std::views and '
     'std::source_location are beyond it): say it more plainly.'),
    ('', 'Mend it, or where the tool is wrong write // NOLINT(check-name) with '
         'the reason.'),
]


def database(folder):
    entries = json.loads((folder / 'compile_commands.json').read_text(encoding='utf-8'))
    return sorted({pathlib.Path(entry['file']) for entry in entries})


def record_folder():
    base = os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache'
    folder = pathlib.Path(base) / 'lamarck-tidy'
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fingerprint(path, root):
    """Of the file, the headers of ours that it reaches, and the rules."""
    @functools.cache
    def text(name):
        return name.read_bytes()

    seen, queue = set(), [path]
    while queue:
        current = queue.pop()
        if current in seen or not current.is_file():
            continue
        seen.add(current)
        names = INCLUDE.findall(text(current).decode(errors='replace'))
        queue += [root / name for name in names]
    digest = hashlib.sha256((root / '.clang-tidy').read_bytes())
    digest.update(pathlib.Path(__file__).read_bytes())
    for current in sorted(seen):
        digest.update(str(current.relative_to(root)).encode() + b'\0')
        digest.update(text(current))
    return digest.hexdigest()


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(sys.argv[1])
    if not shutil.which(TIDY):
        print(f'{TIDY} is missing; run tools/install-deps check.')
        return 1
    wanted = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    files = wanted or [path for path in database(build)
                       if root in path.parents
                       and root / 'build' not in path.parents
                       and not re.search(r'_(test|bench)\.cc$', path.name)]
    records = record_folder()

    def tidy(path):
        record = records / fingerprint(path, root)
        if record.exists():
            return ''
        # GCC's own flags mean nothing to clang.
        result = subprocess.run(
            [TIDY, '-p', str(build), '--quiet',
             '--extra-arg=-Wno-unknown-warning-option', str(path)],
            capture_output=True, text=True)
        if result.returncode == 0:
            record.touch()
            return ''
        return result.stdout + result.stderr

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = [text for text in pool.map(tidy, files) if text]
    # A mistake in a header is found by every source that includes it.
    findings = dict.fromkeys(
        finding for text in outputs
        for finding in re.split(r'\n(?=\S+:\d+:\d+: (?:error|warning))', text))
    for finding in findings:
        print(re.sub(r'\d+ warnings.*generated.*\n?', '',
                     finding.replace(str(root) + '/', '')).rstrip())
        print(next(remedy for mark, remedy in REMEDIES if mark in finding))
    if not outputs:
        print(f'clang-tidy: {len(files)} files are clean.')
    return 1 if outputs else 0


if __name__ == '__main__':
    sys.exit(main())
