"""Which files were found clean, so that they are not looked at again until they,
a header of ours that they reach, or the rules change. The record is kept outside
the build folder, so that it also serves a fresh clone."""
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
    # A batch names its sources by absolute paths, another clone by others.
    data = data.replace(str(ROOT).encode() + b'/', b'')
    names = INCLUDE.findall(data.decode(errors='replace'))
    reached = [folder / name for name in names for folder in (ROOT, path.parent)]
    name = str(path).replace(str(ROOT) + '/', '').encode()
    return hashlib.sha256(name + b'\0' + data).digest(), reached


def fingerprint(path, rules):
    """Of a file, the files of ours that it reaches, and the rules: files, or
    bytes such as a compiler's version."""
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
    """What the program says of itself, as a rule."""
    return subprocess.run([program, '--version'], check=True, capture_output=True).stdout


def unclean(name, files, rules, check):
    """Calls check(file), which returns complaints or '', for each file that is
    not on record as clean under `name`, on all cores. `rules(file)` is what
    beside the file decides. Returns the complaints."""
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
