"""The examples in the docstrings."""

import doctest
import importlib
import pkgutil

import lamarck
import pytest

MODULES = sorted(module.name for module in pkgutil.iter_modules(lamarck.__path__)
                 if module.name not in ("_core", "__main__"))


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples(name):
    module = importlib.import_module("lamarck" + (f".{name}" if name else ""))
    result = doctest.testmod(module)
    assert result.failed == 0
