#!/usr/bin/env python3
"""Checks that composite modules list their members.

In each struct or class that derives from nn::Module, children() must mention
every member whose type is a layer of lamarck/nn or a module of the same file:
others are not trained, saved or switched by eval(). Takes the root of a tree,
by default this repository.
"""
import pathlib
import re
import sys

SUFFIXES = ('.h', '.cc', '.md')
FOLDERS = ('lamarck', 'examples', 'tests', 'bench', 'docs')
HEAD = re.compile(r'\b(?:struct|class)\s+(\w+)(?:\s+final)?\s*:\s*(?:public\s+)?'
                  r'(?:\w+::)*Module\s*\{')
CHILDREN = re.compile(r'\bchildren\(\)[^{;]*\{')


def closing(text, begin):
    """The place after the brace that closes the one before `begin`."""
    depth = 1
    for at in range(begin, len(text)):
        depth += {'{': 1, '}': -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


def without_comments(text):
    return re.sub(r'//[^\n]*', '', text)


def modules_of(text):
    """Yields the name, the place and the body of each module of a file."""
    for head in HEAD.finditer(text):
        yield head[1], head.start(), text[head.end():closing(text, head.end())]


def top_level(body):
    """The body without what is in braces, such as function bodies."""
    parts, at = [], 0
    while (brace := body.find('{', at)) >= 0:
        parts.append(body[at:brace])
        at = closing(body, brace + 1)
    return ';'.join(parts + [body[at:]])


def members_of(body, types):
    """The names of the data members whose type is a module."""
    pattern = re.compile(r'^\s*(?:(?:public|private|protected):)?\s*(?:const\s+)?'
                         r'(?:std::vector<)?(?:nn::)?(?:%s)>?\s+(\w+(?:\s*,\s*\w+)*)\s*$' %
                         '|'.join(sorted(types)))
    names = []
    for statement in top_level(body).split(';'):
        found = pattern.match(statement)
        if found:
            names += re.split(r'\s*,\s*', found[1])
    return names


def check_file(path, root, layers):
    text = without_comments(path.read_text(encoding='utf-8', errors='replace'))
    types = layers | {name for name, _, _ in modules_of(text)}
    complaints = []
    for name, place, body in modules_of(text):
        children = CHILDREN.search(body)
        listed = body[children.end():closing(body, children.end())] if children else ''
        # A layer may list the parameters of its cells itself.
        if not children and 'own_parameters' in body:
            continue
        line = text.count('\n', 0, place) + 1
        complaints += [
            f'{path.relative_to(root)}:{line}: {name} does not list its member '
            f'{member}; return &{member} from children().'
            for member in members_of(body, types)
            if not re.search(rf'\b{member}\b', listed)]
    return complaints


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        pathlib.Path(__file__).parent.parent).resolve()
    layers = {name for path in sorted((root / 'lamarck/nn').glob('*.h'))
              for name, _, _ in modules_of(without_comments(path.read_text()))}
    files = [path for folder in FOLDERS
             for path in sorted((root / folder).rglob('*')) if path.suffix in SUFFIXES]
    complaints = [each for path in files for each in check_file(path, root, layers)]
    print('\n'.join(complaints) or f'Modules: {len(layers)} layers; every module lists its members.')
    return int(bool(complaints))


if __name__ == '__main__':
    sys.exit(main())
