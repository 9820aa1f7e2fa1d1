"""Networks that forecast a series."""

import json

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _core, _tables
from ._network_estimators import _NetworkEstimator


class NetworkForecaster(_NetworkEstimator, BaseEstimator):
    """Evolves a network that predicts a series `horizon` rows ahead.

    The rows are steps in time, oldest first. A forecast needs the past, so
    `predict` takes tables of the same form as `fit`: a series, or a data frame
    with the target among its columns. The options are those of
    `lamarck evolve net --series`.

    >>> import numpy as np
    >>> from lamarck import NetworkForecaster
    >>> series = np.sin(np.arange(200) / 5)
    >>> net = NetworkForecaster(budget="4gen", random_state=1).fit(series)
    >>> bool(abs(net.predict(series)[-1] - np.sin(200 / 5)) < 0.1)
    True
    """

    def __init__(self, *, horizon=1, lags=None, budget="30gen", grain=None,
                 strategy=None, metric=None, goal=None, islands=None,
                 test_split=0.0, ignore=None, random_state=None, n_jobs=None,
                 callback=None):
        super().__init__(
            budget=budget, grain=grain, strategy=strategy, metric=metric,
            goal=goal, islands=islands, test_split=test_split, ignore=ignore,
            random_state=random_state, n_jobs=n_jobs, callback=callback)
        self.horizon = horizon
        self.lags = lags

    def fit(self, X, y=None):
        """`X` is a series, or a data frame of which `y` names the target."""
        self.target_name_ = self._name(X, y)
        table = _core.Table(self._columns(X))
        options = self._options()
        options.pop("single")
        self.network_ = _core.evolve_table(
            table, callback=self._watch("gen"), target=self.target_name_,
            series=True, horizon=self.horizon, lags=self.lags, **options)
        self.facts_ = json.loads(self.network_.facts_json)
        self.n_features_in_ = len(table.column_names)
        self._finish(self.network_.was_interrupted)
        return self

    def predict(self, X):
        """For each row the target `horizon` rows later; the last row too."""
        return self._ahead(X, None)[0]

    def predict_interval(self, X, level=0.9):
        """(low, high), which contain the truth so often."""
        return tuple(self._ahead(X, level)[1:])

    def _ahead(self, X, level):
        check_is_fitted(self)
        found = self.network_.predict(_core.Table(self._columns(X)), level)
        return list(found.values())

    def _name(self, X, y):
        if not _tables.is_frame(X):
            return "y"
        if y is None or y not in X.columns:
            raise ValueError("fit(X, y) needs the name of a column of X, such "
                             f"as {X.columns[-1]!r}; got {y!r}.")
        return str(y)

    def _columns(self, X):
        if _tables.is_frame(X):
            return _tables.frame_columns(X)
        series = np.asarray(X, dtype=np.float64)
        if series.ndim != 1:
            raise ValueError("A series has one dimension, got "
                             f"{series.ndim}; give a data frame for several "
                             "columns.")
        return [(self.target_name_, series)]
