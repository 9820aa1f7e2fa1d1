"""Networks that forecast a series."""

import json

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import _check_y, check_is_fitted

from . import _core, _tables
from ._estimator import check_lengths
from ._network_estimators import _NetworkEstimator


class NetworkForecaster(RegressorMixin, _NetworkEstimator):
    """Evolves a network that predicts a series `horizon` rows ahead.

    The rows are steps in time, oldest first. There are two forms:

    - `fit(series)` or `fit(df, "load")`: a forecast from the past of the
      series itself and of the other columns, as by `lamarck evolve net
      --series`. `predict` takes the same columns, with the target.
    - `fit(X, y)`, scikit-learn's form: a forecast of `y` from the rows of X
      alone, `lags` earlier ones included (None: none). `score` compares each
      forecast with the value `horizon` rows later.

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

    def _more_tags(self):
        # scikit-learn's checks shuffle the rows, so that nothing can be
        # forecast.
        return {"poor_score": True}

    def __sklearn_tags__(self):  # scikit-learn 1.6 and newer.
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def fit(self, X, y=None):
        """`y` names a column of X, or has a value for each row of X.

        Without `y`, X is a series.
        """
        self._has_series = y is None or isinstance(y, str)
        return self._fit_series(X, y) if self._has_series else (
            self._fit_rows(X, y))

    def predict(self, X):
        """For each row the target `horizon` rows later; the last row too."""
        return self._ahead(X, None)[0]

    def predict_interval(self, X, level=0.9):
        """(low, high), which contain the truth so often."""
        return tuple(self._ahead(X, level)[1:3])

    def score(self, X, y=None):
        """R² of the forecasts of all rows that have a row `horizon` later."""
        check_is_fitted(self)
        if self._has_series:
            columns = dict(self._series_columns(X))
            y = columns[self.target_name_]
        y = np.asarray(y, dtype=np.float64)
        return r2_score(y[self.horizon:], self.predict(X)[:-self.horizon])

    def _options(self):
        options = super()._options()
        options.pop("single")
        return options

    # ---- A series with its own past.

    def _fit_series(self, X, y):
        self.target_name_ = self._name(X, y)
        table = _core.Table(self._series_columns(X))
        self.network_ = _core.evolve_table(
            table, callback=self._watch("gen"), target=self.target_name_,
            series=True, horizon=self.horizon, lags=self.lags,
            **self._options())
        self.facts_ = json.loads(self.network_.facts_json)
        self.n_features_in_ = len(table.column_names)
        self._finish(self.network_.was_interrupted)
        return self

    def _name(self, X, y):
        if not _tables.is_frame(X):
            return "y"
        if y is None or y not in X.columns:
            raise ValueError("fit(X, y) needs the name of a column of X, such "
                             f"as {X.columns[-1]!r}, or a value for each row; "
                             f"got {y!r}.")
        return str(y)

    def _series_columns(self, X):
        if _tables.is_frame(X):
            return _tables.frame_columns(X)
        series = np.asarray(X, dtype=np.float64)
        if series.ndim != 1:
            raise ValueError(
                "A table requires y to be passed, but the target y is None; "
                "only a series of one dimension needs no y.")
        return [(self.target_name_, series)]

    # ---- A target beside the rows.

    def _fit_rows(self, X, y):
        columns = self._inputs(X, is_fit=True)
        name = self._target_name(y)
        y = _check_y(y, y_numeric=True, estimator=self)
        check_lengths(X, y)
        for option, least in (("horizon", 1), ("lags", 0)):
            number = getattr(self, option)
            if number is not None and (number != int(number) or number < least):
                raise _core.Error(f"{option} must be an integer of at least "
                                  f"{least}, got {number!r}.")
        count = len(y) - self.horizon
        if count < 2:
            raise ValueError(f"A horizon of {self.horizon} needs at least "
                             f"{self.horizon + 2} samples, got n_samples="
                             f"{len(y)}.")
        self.target_name_ = name
        known = [(column, values[:count])
                 for column, values in self._with_lags(columns)]
        return self._learn(known, np.asarray(y[self.horizon:], np.float64),
                           name, None, "regress")

    def _with_lags(self, columns):
        """The columns, and those of `lags` earlier rows."""
        first, columns = columns, list(columns)
        taken = {name for name, _ in first}
        for lag in range(1, (self.lags or 0) + 1):
            for name, values in first:
                earlier = _tables.free_name(f"{name} {lag} before", taken)
                taken.add(earlier)
                columns.append((earlier, _shifted(values, lag)))
        return columns

    def _ahead(self, X, level):
        check_is_fitted(self)
        if self._has_series:
            columns = self._series_columns(X)
        else:
            columns = self._with_lags(self._inputs(X, is_fit=False))
        found = self.network_.predict(_core.Table(columns), level)
        return list(found.values())


def _shifted(values, count):
    """The values `count` rows earlier, without one for the first rows."""
    if not isinstance(values, np.ndarray):
        return ([""] * count + values)[:len(values)]
    return np.concatenate([np.full(count, np.nan), values])[:len(values)]


def loaded_forecaster(network):
    """The estimator of a model file of a series."""
    note = json.loads(network.series_json)
    estimator = NetworkForecaster(horizon=note["horizon"], lags=note["lags"])
    estimator._has_series = True
    estimator.network_ = network
    estimator.facts_ = json.loads(network.facts_json)
    estimator.target_name_ = note["target"]
    estimator.n_features_in_ = len(network.columns)
    return estimator
