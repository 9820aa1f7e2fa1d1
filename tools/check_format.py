#!/usr/bin/env python3
"""Checks that all sources are formatted by clang-format; --fix formats them."""
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys

FORMATTER = 'clang-format-14'


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    if not shutil.which(FORMATTER):
        print(f'{FORMATTER} is missing; run tools/install-deps check.')
        return 1
    listed = subprocess.run(
        ['git', '-C', str(root), 'ls-files', '-co', '--exclude-standard',
         '*.cc', '*.h'], capture_output=True, text=True)
    if listed.returncode != 0:
        print('This is not a git checkout; the list of files to check comes from git.')
        return 1
    files = [root / name for name in listed.stdout.split()
             if (root / name).is_file()]

    def changed(path):
        before = path.read_bytes()
        after = subprocess.run([FORMATTER, '--style=file', str(path)],
                               capture_output=True, check=True).stdout
        if '--fix' in sys.argv and before != after:
            path.write_bytes(after)
            return False
        return before != after

    with concurrent.futures.ThreadPoolExecutor() as pool:
        wrong = [path for path, is_changed in
                 zip(files, pool.map(changed, files)) if is_changed]
    for path in wrong:
        print(f'{path.relative_to(root)}: not formatted; run `make format`.')
    if not wrong:
        print(f'Format: {len(files)} files are formatted.')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
