#!/usr/bin/env python3
"""Checks that every include follows lamarck/LAYERS.

A folder may include itself and the folders listed after its colon; a line may
list only folders above it, and its folder must exist. Takes the root of a tree,
by default this repository.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]lamarck/([^/">]+)/([^">]+)[">]')


def read_layers(root):
    """Returns folder -> folders it may include, and complaints."""
    allowed, complaints = {}, []
    path = root / 'lamarck' / 'LAYERS'
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        line = line.split('#')[0].strip()
        if not line:
            continue
        folder, _, rest = line.partition(':')
        if not (root / 'lamarck' / folder).is_dir():
            complaints.append(
                f'lamarck/LAYERS:{number}: lamarck/{folder} does not exist; '
                'remove the line, or create the folder.')
        names = list(allowed) if rest.strip() == '*' else rest.split()
        for name in names:
            if name not in allowed:
                complaints.append(
                    f'lamarck/LAYERS:{number}: {folder} lists {name}, which is '
                    'not on a line above it; a folder may use only lower ones.')
        allowed[folder] = {folder, *names}
    return allowed, complaints


def check_file(path, root, folder, allowed):
    complaints = []
    text = path.read_text(encoding='utf-8', errors='replace')
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        where = f'{path.relative_to(root)}:{number}'
        if target not in allowed[folder]:
            complaints.append(
                f'{where}: {folder} may not include {target}. Move the shared '
                f'code down into a folder that {folder} may use '
                f'({", ".join(sorted(allowed[folder] - {folder})) or "none"}), '
                'or change lamarck/LAYERS and explain it in docs/decisions/.')
        elif 'internal/' in match.group(2) and target != folder:
            complaints.append(
                f'{where}: {match.group(2)} is private to {target}; use one of '
                'its public headers.')
    return complaints


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        pathlib.Path(__file__).resolve().parent.parent)
    allowed, complaints = read_layers(root)
    files = 0
    for path in sorted((root / 'lamarck').rglob('*')):
        if path.suffix not in ('.h', '.cc'):
            continue
        files += 1
        if path == root / 'lamarck' / 'lamarck.h':
            continue  # The umbrella header may include every folder.
        folder = path.relative_to(root / 'lamarck').parts[0]
        if folder not in allowed:
            complaints.append(
                f'lamarck/{folder} is not in lamarck/LAYERS; add a line for it.')
            continue
        complaints += check_file(path, root, folder, allowed)
    for complaint in dict.fromkeys(complaints):
        print(complaint)
    if complaints:
        return 1
    print(f'Layers: {files} files follow lamarck/LAYERS.')
    return 0


if __name__ == '__main__':
    sys.exit(main())
