"""Which files were found clean, so that they are not looked at again until they,
a header of ours that they reach, or the rules change. The record is kept outside
the build folder, so that it also serves a fresh clone."""
import concurrent.futures
import functools
import hashlib
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


@functools.cache
def _digest_and_includes(path):
    data = path.read_bytes()
    # A batch names its sources by absolute paths, another clone by others.
    data = data.replace(str(ROOT).encode() + b'/', b'')
    names = INCLUDE.findall(data.decode(errors='replace'))
    return hashlib.sha256(data).digest(), [ROOT / name for name in names]


def fingerprint(path, rules):
    """Of a file, the files of ours that it reaches, and the rules' own files."""
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


def unclean(name, files, rules, check):
    """Calls check(file), which returns complaints or '', for each file that is
    not on record as clean under `name`, on all cores. Returns the complaints."""
    base = os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache'
    folder = pathlib.Path(base) / 'lamarck-checks' / name
    folder.mkdir(parents=True, exist_ok=True)

    def check_one(path):
        record = folder / fingerprint(path, rules)
        if record.exists():
            return ''
        complaints = check(path)
        if not complaints:
            record.touch()
        return complaints

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [text for text in pool.map(check_one, files) if text]
