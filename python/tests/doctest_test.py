"""The examples in the docstrings; every public name has one."""

import doctest
import importlib
import inspect
import pkgutil

import lamarck
import pytest
from lamarck import nn, optim, runs

MODULES = sorted(module.name for module in pkgutil.iter_modules(lamarck.__path__)
                 if module.name not in ("_core", "__main__"))


def public():
    """(name, object) of everything that users import."""
    for name in lamarck.__all__:
        value = getattr(lamarck, name)
        if not inspect.ismodule(value):
            yield name, value
    for module in (nn, optim, runs):
        for name, value in vars(module).items():
            if not name.startswith("_") and callable(value) and (
                    name not in ("call", "call_lines")):
                yield f"{module.__name__.removeprefix('lamarck.')}.{name}", value


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples(name):
    module = importlib.import_module("lamarck" + (f".{name}" if name else ""))
    result = doctest.testmod(module)
    assert result.failed == 0


@pytest.mark.parametrize("name, value", public())
def test_every_public_name_has_an_example(name, value):
    finder = doctest.DocTestFinder(recurse=False)
    tests = finder.find(value, name, module=False, globs=vars(runs).copy())
    assert any(test.examples for test in tests), f"{name} has no example"
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test)
    assert runner.failures == 0
