"""Functions and programs that evolve."""

import inspect
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
    text = first if isinstance(first, str) else textwrap.dedent(
        inspect.getsource(first))
    function, reason, evaluations = _core.evolve_function(
        text, evaluate, _progress.watch(callback, budget, "eval"), str(budget),
        goal, islands, max_size, seed)
    return Record(function=function, score=function.score, reason=reason,
                  evaluations=evaluations)


def evolve_program(folder, *, out=None, budget=None, islands=None,
                   max_size=None, goal=None, seed=None, functions=None,
                   parallel=None, engine=None, problem=None, time_limit=None,
                   memory_limit=None, force=False):
    """Evolves program.py of a folder; evaluate.py scores it in a sandbox.

    The options are those of `lamarck evolve program`, and the answer is its
    JSON.
    """
    return call("evolve", "program", str(folder), out=out, budget=budget,
                islands=islands, max_size=max_size, goal=goal, seed=seed,
                functions=functions, parallel=parallel, engine=engine,
                problem=problem, time_limit=time_limit,
                memory_limit=memory_limit, force=force)
