"""Functions and programs that evolve."""

import inspect
import os
import tempfile
import textwrap

from . import _core, _progress
from ._command import Record, call


def evolve_function(first, evaluate, *, budget="2keval", goal=None, islands=4,
                    max_size=40, seed=1, callback=None):
    """Evolves a function of numbers by what `evaluate` thinks of it.

    `first` is a function in a safe part of Python and NumPy, or its text.
    `evaluate(function)` returns a score, higher is better; it may call the
    function with arrays. One that raises an error counts as failed.

    >>> import numpy as np
    >>> from lamarck import evolve_function
    >>> x = np.linspace(-2, 2, 41)
    >>> def near_square(function):
    ...     return -np.abs(function(x) - x * x).max()
    >>> found = evolve_function("def f(x):\\n    return x", near_square,
    ...                         budget="3keval", goal=-1e-9)
    >>> bool(abs(found.function(3.0)[0] - 9) < 1e-6)
    True
    """
    function, reason, evaluations = _core.evolve_function(
        _source(first), evaluate, _progress.watch(callback, budget, "eval"), str(budget),
        goal, islands, max_size, seed)
    return Record(function=function, score=function.score, reason=reason,
                  evaluations=evaluations)


def evolve_program(program, evaluate=None, *, out=None, budget=None,
                   islands=None, max_size=None, goal=None, seed=None,
                   functions=None, parallel=None, engine=None, problem=None,
                   time_limit=None, memory_limit=None, force=False):
    """Evolves the marked functions of a program, scored in a sandbox.

    `program` is a folder with program.py and evaluate.py, or the text of a
    program. Then `evaluate` is a function, or a text that defines it; it runs
    in the sandbox, so it imports what it needs itself. The options are those of
    `lamarck evolve program`, and the answer is its JSON.

    >>> from lamarck import evolve_program
    >>> program = '''
    ... # lamarck: evolve
    ... def f(x):
    ...     return x
    ... '''
    >>> evaluate = '''
    ... def evaluate(program):
    ...     return -sum(abs(program.f(x) - 3 * x) for x in range(9))
    ... '''
    >>> found = evolve_program(program, evaluate, budget="100eval", islands=1,
    ...                        functions="exp", seed=1)
    >>> found.best.score > found.first_score
    True
    """
    options = {"budget": budget, "islands": islands, "max_size": max_size,
               "goal": goal, "seed": seed, "functions": functions,
               "parallel": parallel, "engine": engine, "problem": problem,
               "time_limit": time_limit, "memory_limit": memory_limit,
               "force": force}
    if evaluate is None:
        return call("evolve", "program", str(program), out=out, **options)
    with tempfile.TemporaryDirectory() as folder:
        for name, part in (("program.py", program), ("evaluate.py", evaluate)):
            with open(os.path.join(folder, name), "w",
                      encoding="utf-8") as file:
                file.write(_source(part))
        return call("evolve", "program", folder,
                    out=out or os.path.join(folder, "out"), **options)


def _source(function):
    """The text of a function, or the text itself."""
    if isinstance(function, str):
        return function
    return textwrap.dedent(inspect.getsource(function))
