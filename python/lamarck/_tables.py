"""Arrays and data frames as tables of the library."""

import numpy as np


def is_frame(X):
    """Whether X is a pandas DataFrame, without importing pandas."""
    return hasattr(X, "columns") and hasattr(X, "iloc")


def array_columns(X, names):
    """(name, values) of each column of a matrix of numbers."""
    return [(name, np.ascontiguousarray(X[:, i]))
            for i, name in enumerate(names)]


def frame_columns(X):
    """(name, values) of each column of a DataFrame, as in its CSV file."""
    return [(str(name), _cells(X.iloc[:, i]))
            for i, name in enumerate(X.columns)]


def _cells(column):
    """The numbers of a column, or the texts that its CSV file has."""
    kind = getattr(column.dtype, "kind", "O")
    if kind in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == "M":
        return _time_texts(column)
    if kind == "c":
        raise ValueError("Complex data not supported: column "
                         f"{column.name!r} has complex numbers.")
    missing = column.isna().to_numpy()
    return ["" if is_missing else _text(value)
            for value, is_missing in zip(column, missing)]


def _time_texts(column):
    """Dates as 2024-02-29, or with the time if one of them has a time."""
    times = column.dt.tz_localize(None)
    has_time = bool((times.dropna() != times.dropna().dt.normalize()).any())
    texts = times.dt.strftime("%Y-%m-%d %H:%M:%S" if has_time else "%Y-%m-%d")
    return ["" if is_missing else text
            for text, is_missing in zip(texts, column.isna())]


def _text(value):
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def label_cells(labels):
    """The cells of a target column with the classes `labels`."""
    labels = np.asarray(labels)
    if labels.dtype.kind in "iuf":
        return labels.astype(np.float64)
    return [str(label) for label in labels]


def class_order(classes, names):
    """For each of `classes`, its place in `names`, the library's classes."""
    if classes.dtype.kind in "iuf":
        place = {float(name): i for i, name in enumerate(names)}
        return [place[float(label)] for label in classes]
    place = {name: i for i, name in enumerate(names)}
    return [place[str(label)] for label in classes]


def free_name(wanted, taken):
    """`wanted`, with underscores until no column has that name."""
    while wanted in taken:
        wanted += "_"
    return wanted
