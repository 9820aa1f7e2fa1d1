"""Formulas that predict a column of numbers."""

import html

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import (
    _check_sample_weight, _check_y, check_is_fitted)

from . import _core, _tables
from ._estimator import (TableEstimator, check_known, check_labels,
                         check_lengths, first_classes, row_weights,
                         text_or_file)


class _LawEstimator(TableEstimator):
    """Searches for formulas."""

    _allows_missing = False

    def __init__(self, *, budget="20keval", functions=None, max_size=None,
                 seed_equation=None, islands=None, random_state=None,
                 n_jobs=None, callback=None):
        self.budget = budget
        self.functions = functions
        self.max_size = max_size
        self.seed_equation = seed_equation
        self.islands = islands
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback

    def _find(self, columns, target, name, seed, weight=None, start=None,
              budget=None):
        functions = self.functions
        if functions is not None and not isinstance(functions, str):
            functions = ",".join(functions)
        elif functions is not None:
            functions = ",".join(functions.replace(",", " ").split())
        return _core.find_laws(
            _core.Table(columns + [(name, np.asarray(target, np.float64))]),
            callback=self._watch("eval"), weights=weight, start=start,
            target=name,
            budget=str(budget or self.budget), functions=functions,
            max_size=self.max_size, seed_equation=self.seed_equation,
            islands=self.islands, parallel=self._threads() or None, seed=seed,
            units=self._units())

    def _units(self):
        return None

    def _law_inputs(self, X, findings):
        check_is_fitted(self)
        columns = dict(self._inputs(X, is_fit=False))
        for name in findings.columns:
            if not isinstance(columns[name], np.ndarray):
                raise ValueError(f"The column {name!r} contains text, but the "
                                 "law needs numbers; correct it.")
        return np.ascontiguousarray([columns[name]
                                     for name in findings.columns])


class LawRegressor(RegressorMixin, _LawEstimator):
    """Finds formulas for a column of numbers; recommends one.

    The options are those of `lamarck evolve fn`; `random_state` is its seed
    and `n_jobs` its number of threads, which does not affect results. `units`
    is a dict with the unit of each column and of the target.

    >>> import numpy as np
    >>> from lamarck import LawRegressor
    >>> X = np.random.default_rng(0).uniform(1, 5, (50, 2))
    >>> law = LawRegressor(random_state=1).fit(X, 2.5 * X[:, 0] / X[:, 1])
    >>> print(law.law_)
    5*x0/(2*x1)
    >>> law.equations_["complexity"].is_monotonic_increasing
    True
    """

    def __init__(self, *, budget="20keval", functions=None, max_size=None,
                 seed_equation=None, units=None, islands=None,
                 random_state=None, n_jobs=None, callback=None):
        super().__init__(
            budget=budget, functions=functions, max_size=max_size,
            seed_equation=seed_equation, islands=islands,
            random_state=random_state, n_jobs=n_jobs, callback=callback)
        self.units = units

    def _units(self):
        if self.units is None or isinstance(self.units, str):
            return self.units
        return ",".join(f"{name}={unit}" for name, unit in self.units.items())

    def fit(self, X, y, sample_weight=None):
        """Searches. `y` may be the name of a column of X.

        A row of weight 2 counts like two rows in the error, one of weight 0
        not at all.
        """
        X, y = self._split_frame(X, y)
        columns = self._inputs(X, is_fit=True)
        return self._search(X, columns, y, sample_weight, None)

    def partial_fit(self, X, y, sample_weight=None):
        """Searches further, with these rows, from the laws it found before."""
        X, y = self._split_frame(X, y)
        start = getattr(self, "findings_", None)
        columns = self._inputs(X, is_fit=start is None)
        return self._search(X, columns, y, sample_weight, start)

    def _search(self, X, columns, y, sample_weight, start):
        name = self._target_name(y) if start is None else self.target_name_
        y = _check_y(y, y_numeric=True, estimator=self)
        check_lengths(X, y)
        if len(y) < 2:
            raise ValueError("At least 2 samples are needed, got n_samples=1.")
        weight = sample_weight
        if weight is not None:
            weight = _check_sample_weight(weight, X, dtype=np.float64)
        self.target_name_ = name
        self.findings_ = self._find(columns, y, name, self._seed(), weight,
                                    start)
        self.laws_ = self.findings_.front
        self.best_index_ = self.findings_.best
        self._finish(self.findings_.was_interrupted)
        return self

    @property
    def law_(self):
        """The recommended law: the shortest description of the data."""
        check_is_fitted(self)
        return self.laws_[self.best_index_]

    def predict(self, X, index=None):
        """The values of the recommended law, or of another of `equations_`."""
        check_is_fitted(self)
        law = self.law_ if index is None else self.laws_[index]
        return law.values(self._law_inputs(X, self.findings_))

    @property
    def equations_(self):
        """The laws from small to large, each better than those before."""
        check_is_fitted(self)
        return _equations(self.laws_, self.best_index_)

    def sympy(self, index=None):
        """The law as an expression of SymPy."""
        return _sympy(self._chosen(index))

    def latex(self, index=None, digits=6):
        """The right side of the law in LaTeX."""
        return self._chosen(index).latex(digits)

    def python(self, index=None):
        """The law as a function in Python with NumPy."""
        return self._chosen(index).python()

    def cpp(self, index=None):
        """The law as a function in C++."""
        return self._chosen(index).cpp()

    def report(self, path=None):
        """The search as an HTML page: its text, or written to a file."""
        check_is_fitted(self)
        return text_or_file(self.findings_.report(), path)

    def _chosen(self, index):
        check_is_fitted(self)
        return self.law_ if index is None else self.laws_[index]

    def _repr_latex_(self):
        if not hasattr(self, "laws_"):
            return None
        return f"$\\displaystyle {self.law_.latex()}$"

    def _repr_html_(self):
        text = f"<pre>{html.escape(repr(self))}</pre>"
        if not hasattr(self, "laws_"):
            return text
        return text + self.law_.mathml(self.target_name_)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


class LawClassifier(ClassifierMixin, _LawEstimator):
    """Finds a law for each class; a logistic link makes it a probability.

    For two classes there is one law, which is larger for the second class.

    >>> import numpy as np
    >>> from lamarck import LawClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (80, 2))
    >>> y = np.where(X[:, 0]**2 + X[:, 1]**2 < 0.5, "in", "out")
    >>> law = LawClassifier(budget="5keval", random_state=1).fit(X, y)
    >>> law.score(X, y) > 0.9
    True
    """

    def __init__(self, *, class_weight=None, budget="20keval", functions=None,
                 max_size=None, seed_equation=None, islands=None,
                 random_state=None, n_jobs=None, callback=None):
        super().__init__(
            budget=budget, functions=functions, max_size=max_size,
            seed_equation=seed_equation, islands=islands,
            random_state=random_state, n_jobs=n_jobs, callback=callback)
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None):
        """Searches. `y` may be the name of a column of X."""
        X, y = self._split_frame(X, y)
        columns = self._inputs(X, is_fit=True)
        name = self._target_name(y)
        y = check_labels(self, y)
        check_lengths(X, y)
        self.classes_ = np.unique(y)
        self.target_name_ = name
        return self._search(X, columns, y, sample_weight, None)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Searches further, with these rows, from the laws it found before.

        The first call must have rows of all classes. Later, a class without
        rows keeps its law.
        """
        X, y = self._split_frame(X, y)
        start = getattr(self, "findings_", None)
        columns = self._inputs(X, is_fit=start is None)
        name = self._target_name(y) if start is None else self.target_name_
        y = check_labels(self, y)
        check_lengths(X, y)
        if start is None:
            self.classes_ = first_classes(y, classes)
        else:
            check_known(y, self.classes_)
        self.target_name_ = name
        return self._search(X, columns, y, sample_weight, start)

    def _search(self, X, columns, y, sample_weight, start):
        if len(self.classes_) < 2:
            raise ValueError("A classifier needs rows of at least two classes; "
                             f"there is one class, {self.classes_[0]!r}.")
        weight = row_weights(X, y, sample_weight, self.class_weight)
        rows = slice(None) if weight is None else weight > 0
        if start is None and len(np.unique(y[rows])) < 2:
            raise ValueError("Rows of at least two classes must have a weight "
                             "above 0.")
        of_link = [] if weight is None else weight[rows] / weight[rows].mean()
        seed = self._seed()
        links = [] if start is None else self.links_
        findings, self.findings_, self.links_ = start, [], []
        was_interrupted = False
        for i, label in enumerate(self._labels_with_law()):
            with_label = y == label
            before = None if findings is None else findings[i]
            if before is not None and len(set(with_label[rows])) == 1:
                self.findings_.append(before)
                self.links_.append(links[i])
                continue
            # After Ctrl-C the other classes get the simplest law.
            found = self._find(columns, with_label.astype(float),
                               self.target_name_, seed, weight, before,
                               "1eval" if was_interrupted else None)
            self.findings_.append(found)
            values = self._values(columns, found)
            self.links_.append(_core.fit_class_link(
                values[rows], with_label[rows].tolist(), of_link))
            was_interrupted |= found.was_interrupted
        self._finish(was_interrupted)
        return self

    def _labels_with_law(self):
        return self.classes_[1:] if len(self.classes_) == 2 else self.classes_

    @property
    def laws_(self):
        """The recommended law of each class that has one."""
        return [found.front[found.best] for found in self.findings_]

    @property
    def equations_(self):
        """The laws of all classes, with the class of each."""
        import pandas

        check_is_fitted(self)
        labels = self._labels_with_law()
        return pandas.concat([
            _equations(found.front, found.best).assign(**{"class": label})
            for label, found in zip(labels, self.findings_)],
            ignore_index=True)

    def _values(self, columns, found):
        columns = dict(columns)
        inputs = np.ascontiguousarray([columns[name]
                                       for name in found.columns])
        return found.front[found.best].values(inputs)

    def decision_function(self, X):
        """The logit of each class; of two classes, that of the second."""
        check_is_fitted(self)
        columns = self._inputs(X, is_fit=False)
        logits = np.column_stack([
            slope * np.nan_to_num(self._values(columns, found)) + offset
            for found, (slope, offset) in zip(self.findings_, self.links_)])
        return logits[:, 0] if len(self.classes_) == 2 else logits

    def predict_proba(self, X):
        """The probability of each of `classes_`."""
        logits = np.clip(self.decision_function(X), -700, 700)
        shares = 1 / (1 + np.exp(-logits))
        if len(self.classes_) == 2:
            return np.column_stack([1 - shares, shares])
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The most likely class."""
        logits = self.decision_function(X)
        if len(self.classes_) == 2:
            return self.classes_[(logits > 0).astype(int)]
        return self.classes_[np.argmax(logits, axis=1)]

    def sympy(self):
        """The laws as expressions of SymPy, by class."""
        return self._by_class(_sympy)

    def latex(self, digits=6):
        """The right sides of the laws in LaTeX, by class."""
        return self._by_class(lambda law: law.latex(digits))

    def python(self):
        """The laws as functions in Python with NumPy, by class."""
        return self._by_class(lambda law: law.python())

    def cpp(self):
        """The laws as functions in C++, by class."""
        return self._by_class(lambda law: law.cpp())

    def report(self):
        """The searches as HTML pages, by class."""
        check_is_fitted(self)
        return {label: found.report() for label, found in zip(
            self._labels_with_law(), self.findings_)}

    def _by_class(self, form):
        check_is_fitted(self)
        return dict(zip(self._labels_with_law(), map(form, self.laws_)))

    def _repr_latex_(self):
        if not hasattr(self, "findings_"):
            return None
        return "\n".join(f"$\\displaystyle {law.latex()}$"
                         for law in self.laws_)

    def _repr_html_(self):
        text = f"<pre>{html.escape(repr(self))}</pre>"
        if not hasattr(self, "findings_"):
            return text
        labels = self._labels_with_law()
        return text + "<br>".join(
            law.mathml(f"{self.target_name_} is {label}")
            for label, law in zip(labels, self.laws_))

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _equations(laws, best):
    import pandas

    return pandas.DataFrame({
        "complexity": [law.size for law in laws],
        "nmse": [law.nmse for law in laws],
        "equation": [str(law) for law in laws],
        "latex": [law.latex() for law in laws],
        "chosen": [i == best for i in range(len(laws))],
    })


# Functions of formulas with another name in SymPy.
_SYMPY_NAMES = {"abs": "Abs", "max": "Max", "min": "Min"}


def _sympy(law):
    import sympy

    names = {name: sympy.Symbol(name) for name in law.inputs}
    names.update({ours: getattr(sympy, theirs)
                  for ours, theirs in _SYMPY_NAMES.items()})
    return sympy.sympify(law.infix(17), locals=names)
