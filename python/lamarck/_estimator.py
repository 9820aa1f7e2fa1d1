"""What the estimators share: checks of inputs, seeds, progress."""

import numbers

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight, _check_y, _get_feature_names, _num_samples)

from . import _progress, _tables


class TableEstimator(BaseEstimator):
    """Takes arrays, or data frames with numbers, words, dates and gaps."""

    _allows_missing = True

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_features_in_")

    def _more_tags(self):
        return {"allow_nan": self._allows_missing}

    def __sklearn_tags__(self):  # scikit-learn 1.6 and newer.
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_missing
        return tags

    def _seed(self):
        """The seed of the run; None draws one, as in scikit-learn."""
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _threads(self):
        """0 stands for all cores; the number does not affect results."""
        jobs = self.n_jobs
        return 0 if jobs is None or jobs < 1 else int(jobs)

    def _inputs(self, X, *, is_fit):
        """Checks X; returns the columns of its table."""
        names = _get_feature_names(X)
        if _tables.is_frame(X):
            columns = _tables.frame_columns(X)
            self._check_frame(X, columns)
        else:
            X = check_array(
                X, dtype=np.float64, estimator=self,
                force_all_finite="allow-nan" if self._allows_missing else True)
            columns = None
        if is_fit:
            self._remember_columns(X, names)
        else:
            self._compare_columns(X, names)
        if columns is None:
            columns = _tables.array_columns(X, self._column_names())
        return columns

    def _check_frame(self, X, columns):
        if X.shape[0] == 0 or X.shape[1] == 0:
            what = "sample(s)" if X.shape[0] == 0 else "feature(s)"
            raise ValueError(f"Found array with 0 {what} (shape={X.shape}) "
                             "while a minimum of 1 is required.")
        for name, values in columns:
            if not isinstance(values, np.ndarray):
                continue
            if np.isinf(values).any():
                raise ValueError(f"Input X contains infinity, in column "
                                 f"{name!r}.")
            if not self._allows_missing and np.isnan(values).any():
                raise ValueError(f"Input X contains NaN, in column {name!r}.")

    def _remember_columns(self, X, names):
        self._is_loaded = False
        self.n_features_in_ = X.shape[1]
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if _tables.is_frame(X):
            self._frame_columns = [str(name) for name in X.columns]
        elif hasattr(self, "_frame_columns"):
            del self._frame_columns

    def _compare_columns(self, X, names):
        if getattr(self, "_is_loaded", False) and _tables.is_frame(X):
            return  # The library names a column that is missing.
        checks = self if hasattr(self, "_check_feature_names") else None
        if checks is not None:
            checks._check_feature_names(X, reset=False)
        else:  # scikit-learn 1.6 and newer.
            from sklearn.utils.validation import _check_feature_names
            _check_feature_names(self, X, reset=False)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is "
                f"expecting {self.n_features_in_} features as input.")

    def _column_names(self):
        """The names of the columns of an array's table."""
        if hasattr(self, "_frame_columns"):
            return self._frame_columns
        return [f"x{i}" for i in range(self.n_features_in_)]

    def _target_name(self, y):
        name = getattr(y, "name", None)
        wanted = "y" if name is None else str(name)
        return _tables.free_name(wanted, set(self._column_names()))

    def _split_frame(self, X, y):
        """(df, "column") becomes (the other columns, the column)."""
        if not isinstance(y, str):
            return X, y
        if not _tables.is_frame(X):
            raise ValueError("A target can be named only if X is a DataFrame; "
                             f"give the values of {y!r}.")
        if y not in X.columns:
            raise ValueError(f"X has no column {y!r}; its columns are "
                             f"{', '.join(map(str, X.columns))}.")
        return X.drop(columns=[y]), X[y]

    def _finish(self, was_interrupted):
        """After Ctrl-C the estimator is fitted with the best so far."""
        if was_interrupted:
            raise KeyboardInterrupt

    def _watch(self, unit):
        return _progress.watch(self.callback, self.budget, unit)


def check_lengths(*arrays):
    lengths = {_num_samples(a) for a in arrays if a is not None}
    if len(lengths) > 1:
        raise ValueError("Found input variables with inconsistent numbers of "
                         f"samples: {[_num_samples(a) for a in arrays if a is not None]}")


def check_labels(estimator, y):
    """The classes of the rows, as an array."""
    y = _check_y(y, estimator=estimator)
    check_classification_targets(y)
    return y


def first_classes(y, classes):
    """The classes of the first rows, which must be all that are expected."""
    found = np.unique(y)
    missing = np.setdiff1d([] if classes is None else classes, found)
    if len(missing) > 0:
        raise ValueError("The first rows must have all classes, but none has "
                         f"the class {missing[0]!r}.")
    return found


def check_known(y, classes):
    unknown = np.setdiff1d(y, classes)
    if len(unknown) > 0:
        raise ValueError(f"The class {unknown[0]!r} is new; fit again with "
                         "rows of all classes.")


def row_weights(X, y, sample_weight, class_weight):
    """The weight of each row, or None if all weigh the same."""
    weight = sample_weight
    if weight is not None:
        weight = _check_sample_weight(weight, X, dtype=np.float64)
    if class_weight is not None:
        of_class = compute_sample_weight(class_weight, y)
        weight = of_class if weight is None else weight * of_class
    return weight


def text_or_file(text, path):
    """The text, or nothing after it was written to a file."""
    if path is None:
        return text
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return None
