#!/usr/bin/env python3
"""Checks that report pages are well-formed, load no external resources and contain
only expected tags."""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom

TAGS = {'html', 'head', 'meta', 'title', 'style', 'body', 'main', 'header',
        'h1', 'h2', 'p', 'section', 'div', 'span', 'b', 'i', 'table', 'thead',
        'tbody', 'tr', 'th', 'td', 'ul', 'li', 'footer', 'svg', 'g', 'path',
        'rect', 'circle', 'text', 'tspan'}
OUTSIDE = re.compile(r'\b(src|href|srcset)\s*=|url\(|@import|<script|javascript:')
NUMBERS = re.compile(r'\b(nan|inf)\b')
PLACES = {'d', 'x', 'y', 'cx', 'cy', 'r', 'width', 'height', 'viewBox', 'style'}


def complaints(path):
    text = path.read_text(encoding='utf-8')
    if OUTSIDE.search(text):
        yield f'loads an external resource: {OUTSIDE.search(text).group()}'
    for element in xml.dom.minidom.parseString(
            text.encode()).getElementsByTagName('*'):
        if element.tagName not in TAGS:
            yield f'has an unexpected tag <{element.tagName}>'
        for name, value in element.attributes.items():
            if name.startswith('on'):
                yield f'has an event handler {name}'
            if name in PLACES and NUMBERS.search(value):
                yield f'<{element.tagName} {name}="{value}"> is not finite'


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        pages = sorted(pathlib.Path(folder).glob('*.html'))
        wrong = [f'{page.name} {what}.' for page in pages
                 for what in complaints(page)]
    print('\n'.join(wrong) or f'{len(pages)} pages are well-formed.')
    return 1 if wrong or len(pages) < 6 else 0


if __name__ == '__main__':
    sys.exit(main())
