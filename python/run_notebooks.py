#!/usr/bin/python3
"""Executes the notebooks in docs/notebooks.

    PYTHONPATH=build/release/python python/run_notebooks.py [--write] [NAME ...]

--write stores the outputs, such as the pictures, in the notebooks.
"""

import glob
import os
import sys

import nbformat
from nbclient import NotebookClient

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../docs/notebooks")


def names():
    return sorted(os.path.basename(path).removesuffix(".ipynb")
                  for path in glob.glob(FOLDER + "/*.ipynb"))


def execute(name):
    """The executed notebook; raises the error of a cell that fails."""
    book = nbformat.read(f"{FOLDER}/{name}.ipynb", as_version=4)
    NotebookClient(book, timeout=120, kernel_name="python3",
                   record_timing=False).execute()
    return book


def pictures(book):
    """How many outputs have a picture or mathematics."""
    found = 0
    for cell in book.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            text = data.get("text/html", "")
            found += ("image/png" in data or "image/svg+xml" in data
                      or "<svg" in text or "<math" in text)
    return found


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    for name in words or names():
        book = execute(name)
        print(f"{name}: {pictures(book)} pictures")
        if "--write" in sys.argv:
            nbformat.write(book, f"{FOLDER}/{name}.ipynb")


if __name__ == "__main__":
    main()
