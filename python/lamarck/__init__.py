"""Evolves neural networks, laws, programs, thoughts and skills.

>>> import lamarck
>>> net = lamarck.NetworkClassifier(budget="4gen", random_state=1)
>>> net = net.fit([[0, 0], [1, 1], [0, 1], [1, 0]] * 5, ["no", "yes"] * 10)
>>> net.predict([[0, 0]]).shape
(1,)

Everything is imported when it is first used, so `import lamarck` is fast.
"""

# The module with each name. One list, from which imports, `dir` and
# `from lamarck import *` are made.
_MODULE_OF = {
    "Error": "_core",
    "NetworkClassifier": "_network_estimators",
    "NetworkRegressor": "_network_estimators",
    "NetworkForecaster": "_forecaster",
    "LawRegressor": "_law_estimators",
    "LawClassifier": "_law_estimators",
    "Graph": "_core",
    "Var": "_core",
    "concat": "_core",
    "stack": "_core",
    "Network": "_core",
    "Task": "_evolution",
    "EnvironmentTask": "_evolution",
    "Evolution": "_evolution",
    "ThoughtSession": "_thoughts",
    "Skills": "_skills",
    "Agent": "_agent",
    "serve": "_server",
    "evolve_function": "_functions",
    "evolve_program": "_functions",
    "load": "_network_estimators",
    "__version__": "_core",
}

_MODULES = ["nn", "optim", "runs"]

__all__ = sorted(_MODULES + [name for name in _MODULE_OF if not name.startswith("_")])


def __getattr__(name):
    import importlib

    if name in _MODULES:
        return importlib.import_module("lamarck." + name)
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'lamarck' has no attribute {name!r}")
    value = getattr(importlib.import_module("lamarck." + module), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_MODULE_OF) | set(_MODULES))
