"""Remembers which files passed a check, so that they are checked again only if
they, one of our headers that they include, or the rules change. The record is
stored outside the build folder, so that a fresh clone can use it, too."""
import concurrent.futures
import functools
import hashlib
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


@functools.cache
def _digest_and_includes(path):
    data = path.read_bytes()
    names = INCLUDE.findall(data.decode(errors='replace'))
    reached = [folder / name for name in names for folder in (ROOT, path.parent)]
    name = str(path).replace(str(ROOT) + '/', '').encode()
    return hashlib.sha256(name + b'\0' + data).digest(), reached


def fingerprint(path, rules):
    """A hash of a file, our files that it includes, and the rules, which are
    files or bytes such as the version of a compiler."""
    seen, queue = {}, [pathlib.Path(path)]
    while queue:
        current = queue.pop()
        if current in seen or not current.is_file():
            continue
        seen[current], includes = _digest_and_includes(current)
        queue += includes
    total = hashlib.sha256(pathlib.Path(__file__).read_bytes())
    for rule in rules:
        total.update(rule if isinstance(rule, bytes) else pathlib.Path(rule).read_bytes())
    for digest in sorted(seen.values()):
        total.update(digest)
    return total.hexdigest()


def version(program):
    """The version text of a program, to be used as a rule."""
    return subprocess.run([program, '--version'], check=True, capture_output=True).stdout


def unclean(name, files, rules, check):
    """Runs check(file), which returns complaints or '', on all cores for each
    file that is not recorded as clean under `name`. `rules(file)` returns what
    the result depends on besides the file. Returns the complaints."""
    base = os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache'
    folder = pathlib.Path(base) / 'lamarck-checks' / name
    folder.mkdir(parents=True, exist_ok=True)

    def check_one(path):
        record = folder / fingerprint(path, rules(path))
        if record.exists():
            return ''
        complaints = check(path)
        if not complaints:
            record.touch()
        return complaints

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [text for text in pool.map(check_one, files) if text]
