#!/usr/bin/env python3
"""Makes a release in a scratch clone, without building its packages."""
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGES = ['make', 'try_packages.py']  # What a release runs, in this order.


def run(clone, *words, **options):
    return subprocess.run(list(map(str, words)), cwd=clone, text=True,
                          capture_output=True, check=False, **options)


def git(clone, *words):
    done = run(clone, 'git', *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text('#!/bin/sh\n' + text)
    path.chmod(0o755)


def scratch_clone(folder):
    """A clone with the changes of the work tree, whose packages are stubs."""
    clone = folder / 'clone'
    git(folder, 'clone', '--quiet', '--shared', ROOT, clone)
    for name in ('tools/release', 'CMakeLists.txt'):
        (clone / name).write_bytes((ROOT / name).read_bytes())
    record = f'echo "$(basename "$0")" >>{folder}/ran\n'
    write_program(folder / 'bin' / 'make', record)
    write_program(clone / 'packaging' / 'try_packages.py', record)
    git(clone, 'config', 'user.name', 'A releaser')
    git(clone, 'config', 'user.email', 'releaser@example.org')
    git(clone, 'commit', '--quiet', '--all', '--message', 'tools: a change')
    return clone


def version_of(clone):
    text = (clone / 'CMakeLists.txt').read_text()
    return re.search(r'project\(lamarck VERSION ([\d.]+)', text)[1]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        clone = scratch_clone(folder)
        environment = {**os.environ, 'PATH': f'{folder}/bin:{os.environ["PATH"]}'}
        release = lambda *words: run(clone, 'tools/release', *words,
                                     env=environment)

        old = version_of(clone)
        refused = release(old)
        assert refused.returncode != 0 and 'above' in refused.stderr, refused
        (clone / 'README.md').write_text('changed')
        refused = release('98.0.0')
        assert 'uncommitted' in refused.stderr, refused
        git(clone, 'checkout', '--quiet', 'README.md')

        done = release('98.0.0')
        assert done.returncode == 0, done.stderr
        assert (folder / 'ran').read_text().split() == PACKAGES
        assert version_of(clone) == '98.0.0'
        assert '## 98.0.0' in (clone / 'CHANGELOG.md').read_text()
        assert git(clone, 'tag').split()[-1] == 'v98.0.0'
        assert not git(clone, 'status', '--porcelain')

        # The next changelog begins where this one ends.
        git(clone, 'commit', '--quiet', '--allow-empty', '--message',
            'graph: compute one thing faster')
        assert release('--changes').stdout == (
            '### graph\n\n- compute one thing faster\n')
        done = release('98.1.0')
        text = (clone / 'CHANGELOG.md').read_text()
        assert text.index('## 98.1.0') < text.index('## 98.0.0'), text

    # CMakeLists.txt is the one place with the version.
    found = run(ROOT, 'git', 'grep', '-lF', f'amarck {old}', '--', 'tests',
                'packaging', 'python', 'web', 'docs').stdout
    assert not found, f'the version is also in {found}'


if __name__ == '__main__':
    main()
