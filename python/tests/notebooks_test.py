"""The notebooks run and draw their pictures."""

import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import run_notebooks  # noqa: E402


@pytest.mark.parametrize("name", run_notebooks.names())
def test_notebook(name):
    book = run_notebooks.execute(name)
    assert run_notebooks.pictures(book) >= 1
