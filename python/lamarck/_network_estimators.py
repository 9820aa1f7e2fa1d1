"""Networks that classify and regress tables."""

import html
import json

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import (
    _check_sample_weight, _check_y, check_is_fitted)

from . import _core, _tables
from ._estimator import (TableEstimator, check_known, check_labels,
                         check_lengths, first_classes, row_weights,
                         text_or_file)


class _NetworkEstimator(TableEstimator):
    """Evolves networks on a table."""

    def __init__(self, *, budget="30gen", single=False, grain=None,
                 strategy=None, metric=None, goal=None, islands=None,
                 test_split=0.0, ignore=None, random_state=None, n_jobs=None,
                 callback=None):
        self.budget = budget
        self.single = single
        self.grain = grain
        self.strategy = strategy
        self.metric = metric
        self.goal = goal
        self.islands = islands
        self.test_split = test_split
        self.ignore = ignore
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback

    # ---- Learning.

    def _options(self):
        ignore = self.ignore
        if isinstance(ignore, str):  # As the program: "id,comment".
            ignore = ignore.split(",")
        return {
            "budget": str(self.budget), "single": self.single,
            "grain": self.grain, "strategy": self.strategy,
            "metric": self.metric, "goal": self.goal, "islands": self.islands,
            "test_split": self.test_split, "ignore": ignore,
            "seed": self._seed(), "threads": self._threads(),
        }

    def _learn(self, columns, target, name, weight, task, start=None):
        """Evolves; `target` are the cells of a column called `name`."""
        taken = [column[0] for column in columns] + [name]
        given = {"target": name, "task": task, "start": start}
        columns = columns + [(name, target, True)]
        if weight is not None:
            given["weight"] = _tables.free_name("weight", set(taken))
            columns.append((given["weight"], np.asarray(weight, np.float64)))
        options = self._options()
        if start is not None:
            options["single"] = True
        self.network_ = _core.evolve_table(
            _core.Table(columns), callback=self._watch("gen"), **options,
            **given)
        self.facts_ = json.loads(self.network_.facts_json)
        self._finish(self.network_.was_interrupted)
        return self

    def _predicted(self, X, level=None):
        check_is_fitted(self)
        table = _core.Table(self._inputs(X, is_fit=False))
        return self.network_.predict(table, level)

    # ---- Use.

    def save(self, path):
        """Writes the model file that `lamarck predict` and `load` read."""
        check_is_fitted(self)
        self.network_.save(str(path))

    def to_onnx(self, path=None):
        """The network, which takes encoded inputs, as ONNX bytes or a file."""
        check_is_fitted(self)
        content = self.network_.onnx()
        if path is None:
            return content
        with open(path, "wb") as file:
            file.write(content)

    def to_cpp(self):
        """The network as C++ source that needs the standard library only."""
        check_is_fitted(self)
        return self.network_.cpp()

    def report(self, path=None, *, data="the table"):
        """The evolution as an HTML page: its text, or written to a file."""
        check_is_fitted(self)
        return text_or_file(self.network_.report(data), path)

    def get_feature_names_out(self, input_features=None):
        """The names of the network's inputs, such as "colour=red"."""
        check_is_fitted(self)
        return np.asarray(self.network_.inputs, dtype=object)

    def _repr_svg_(self):
        return self.network_.svg() if hasattr(self, "network_") else None

    def _repr_html_(self):
        text = f"<pre>{html.escape(repr(self))}</pre>"
        if not hasattr(self, "network_"):
            return text
        return text + self.network_.svg()

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


class NetworkClassifier(ClassifierMixin, _NetworkEstimator):
    """Evolves a network that predicts classes.

    The options are those of `lamarck evolve net`; `random_state` is its seed
    and `n_jobs` its number of threads, which does not affect results. Data
    frames may have words, dates and missing values.

    >>> from sklearn.datasets import load_iris
    >>> from lamarck import NetworkClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> net = NetworkClassifier(budget="5gen", random_state=1).fit(X, y)
    >>> net.score(X, y) > 0.9
    True
    >>> net.predict_proba(X[:2]).shape
    (2, 3)
    """

    def __init__(self, *, class_weight=None, budget="30gen", single=False,
                 grain=None, strategy=None, metric=None, goal=None,
                 islands=None, test_split=0.0, ignore=None, random_state=None,
                 n_jobs=None, callback=None):
        super().__init__(
            budget=budget, single=single, grain=grain, strategy=strategy,
            metric=metric, goal=goal, islands=islands, test_split=test_split,
            ignore=ignore, random_state=random_state, n_jobs=n_jobs,
            callback=callback)
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None):
        """Evolves from nothing. `y` may be the name of a column of X."""
        X, y = self._split_frame(X, y)
        columns = self._inputs(X, is_fit=True)
        y, name = self._labels(y)
        check_lengths(X, y)
        self.classes_ = np.unique(y)
        return self._learn_classes(X, columns, y, name, sample_weight, None)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Evolves further from what it learned before, with these rows.

        The first call must have rows of all classes.
        """
        X, y = self._split_frame(X, y)
        start = getattr(self, "network_", None)
        columns = self._inputs(X, is_fit=start is None)
        y, name = self._labels(y)
        check_lengths(X, y)
        if start is None:
            self.classes_ = first_classes(y, classes)
        else:
            check_known(y, self.classes_)
            name = self.target_name_
        return self._learn_classes(X, columns, y, name, sample_weight, start)

    def _labels(self, y):
        name = self._target_name(y)
        return check_labels(self, y), name

    def _learn_classes(self, X, columns, y, name, sample_weight, start):
        if start is None and len(self.classes_) < 2:
            raise ValueError("A classifier needs rows of at least two classes; "
                             f"there is one class, {self.classes_[0]!r}.")
        weight = row_weights(X, y, sample_weight, self.class_weight)
        self.target_name_ = name
        self._learn(columns, _tables.label_cells(y), name, weight, "classify",
                    start)
        return self

    def predict_proba(self, X):
        """The probability of each of `classes_`."""
        found = self._predicted(X)
        names = self.network_.classes
        shares = np.column_stack(
            [found["probability_" + name] for name in names])
        shares = shares[:, _tables.class_order(self.classes_, names)]
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The most likely class."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def predict_set(self, X, level=0.9):
        """For each row a list of classes that has the truth so often."""
        found = self._predicted(X, level)["prediction_set"]
        order = _tables.class_order(self.classes_, self.network_.classes)
        label = {self.network_.classes[place]: self.classes_[i]
                 for i, place in enumerate(order)}
        return [[label[name] for name in text.split("|")] for text in found]


class NetworkRegressor(RegressorMixin, _NetworkEstimator):
    """Evolves a network that predicts a number.

    >>> import numpy as np
    >>> from lamarck import NetworkRegressor
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> net = NetworkRegressor(budget="10gen", random_state=1).fit(X, X[:, 0]**2)
    >>> net.score(X, X[:, 0]**2) > 0.9
    True
    """

    def fit(self, X, y, sample_weight=None):
        """Evolves from nothing. `y` may be the name of a column of X."""
        X, y = self._split_frame(X, y)
        columns = self._inputs(X, is_fit=True)
        return self._learn_numbers(X, columns, y, sample_weight, None)

    def partial_fit(self, X, y, sample_weight=None):
        """Evolves further from what it learned before, with these rows."""
        X, y = self._split_frame(X, y)
        start = getattr(self, "network_", None)
        columns = self._inputs(X, is_fit=start is None)
        return self._learn_numbers(X, columns, y, sample_weight, start)

    def _learn_numbers(self, X, columns, y, sample_weight, start):
        name = self.target_name_ if start is not None else self._target_name(y)
        y = _check_y(y, y_numeric=True, estimator=self)
        check_lengths(X, y)
        if len(y) < 2:
            raise ValueError("At least 2 samples are needed, got n_samples=1.")
        weight = sample_weight
        if weight is not None:
            weight = _check_sample_weight(weight, X, dtype=np.float64)
        self.target_name_ = name
        return self._learn(columns, np.asarray(y, np.float64), name, weight,
                           "regress", start)

    def predict(self, X):
        """The number of each row."""
        return self._predicted(X)["prediction"]

    def predict_interval(self, X, level=0.9):
        """(low, high), which contain the truth so often."""
        found = self._predicted(X, level)
        return found["prediction_low"], found["prediction_high"]


def load(path):
    """The estimator of a model file of `save` or `lamarck evolve net`.

    It predicts from data frames or arrays with the columns of the file.

    >>> import os, tempfile, lamarck
    >>> X = [[0.0], [1.0], [2.0], [3.0]] * 5
    >>> net = lamarck.NetworkRegressor(budget="2gen", random_state=1)
    >>> path = os.path.join(tempfile.mkdtemp(), "net.lmk")
    >>> net.fit(X, [1.0, 3.0, 5.0, 7.0] * 5).save(path)
    >>> bool(lamarck.load(path).predict(X)[0] == net.predict(X)[0])
    True
    """
    network = _core.TableNetwork.load(str(path))
    if network.series_json:
        from ._forecaster import loaded_forecaster
        return loaded_forecaster(network)
    kind = NetworkClassifier if network.classes else NetworkRegressor
    estimator = kind()
    estimator.network_ = network
    estimator.facts_ = json.loads(network.facts_json)
    estimator.target_name_ = network.target
    columns = network.columns
    estimator.n_features_in_ = len(columns)
    estimator._frame_columns = columns
    estimator._is_loaded = True
    if network.classes:
        estimator.classes_ = np.asarray(network.classes)
    return estimator
