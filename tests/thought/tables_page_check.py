#!/usr/bin/env python3
"""Checks that docs/thoughts.md has every table as the code prints it.

    tables_page_check.py PROGRAM PAGE [--fix]

--fix replaces the tables of the page by those with the same header."""

import subprocess
import sys
from pathlib import Path


def tables(text):
    """Returns the runs of lines that start with a bar."""
    found, current = [], []
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            current.append(line)
        elif current:
            found.append("\n".join(current))
            current = []
    return found


def main():
    program, page = sys.argv[1], Path(sys.argv[2])
    text = page.read_text(encoding="utf-8")
    printed = subprocess.run([program], check=True, capture_output=True).stdout
    here = {table.split("\n")[0]: table for table in tables(text)}
    missing = 0
    for table in tables(printed.decode("utf-8")):
        old = here.get(table.split("\n")[0])
        if old == table:
            continue
        if "--fix" in sys.argv and old:
            text = text.replace(old, table)
            continue
        missing += 1
        print(f"{page.name} lacks this table; add it:\n{table}\n")
    if "--fix" in sys.argv:
        page.write_text(text, encoding="utf-8")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
