"""Laws with weights of rows and classes, searched further, and interrupted."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import lamarck

RNG = np.random.default_rng(3)


def contradicting():
    """Rows of y = x**2 + 1, then rows of y = 5/x for the same x."""
    x = RNG.uniform(0.5, 3, 40)
    X = np.r_[x, x][:, None]
    return X, np.r_[x**2 + 1, 5 / x], np.r_[np.ones(40), np.zeros(40)]


def regressor(**options):
    return lamarck.LawRegressor(budget="3keval", islands=2, max_size=20,
                                random_state=1, **options)


def test_weights_decide_between_contradicting_rows():
    X, y, first = contradicting()
    law = regressor().fit(X, y, sample_weight=first + 1e-9)
    assert law.predict([[2.0]])[0] == pytest.approx(5, abs=1e-3)
    law = regressor().fit(X, y, sample_weight=1 - first)
    assert law.predict([[2.0]])[0] == pytest.approx(2.5, abs=1e-6)


def test_rows_of_weight_0_are_as_good_as_left_out_in_any_order():
    X = RNG.normal(size=(60, 2))
    y = X[:, 0] * X[:, 1] + 0.1 * RNG.normal(size=60)
    weight = RNG.integers(0, 4, 60).astype(float)
    order = RNG.permutation(np.flatnonzero(weight))
    law = regressor().fit(X, y, sample_weight=weight)
    other = regressor().fit(X[order], y[order], sample_weight=7 * weight[order])
    assert list(law.equations_["equation"]) == list(other.equations_["equation"])


def test_error_is_that_of_repeated_rows():
    X = RNG.uniform(1, 2, size=(30, 1))
    y = np.sin(3 * X[:, 0]) + 0.3 * RNG.normal(size=30)
    weight = RNG.integers(1, 5, 30)
    law = regressor().fit(X, y, sample_weight=weight)
    X, y = np.repeat(X, weight, axis=0), np.repeat(y, weight)
    error = np.mean((law.predict(X) - y)**2) / np.var(y)
    assert law.law_.nmse == pytest.approx(error, rel=1e-6)


@pytest.mark.parametrize("weight, message", [
    ([-1] + [1] * 9, "at least 0, got -1"), ([0] * 9 + [1], "at least 2 rows")])
def test_wrong_weights_are_explained(weight, message):
    X = np.arange(10.0)[:, None]
    with pytest.raises(lamarck.Error, match=message) as raised:
        regressor().fit(X, X[:, 0], sample_weight=np.array(weight, float))
    assert raised.value.code == "invalid_argument"


def test_classes_have_weights():
    X = RNG.normal(size=(120, 2))
    y = np.where(X[:, 0] + RNG.normal(size=120) > 0, "b", "a")
    plain = lamarck.LawClassifier(budget="500eval", islands=1, random_state=1)
    heavy = clone(plain).set_params(class_weight={"a": 1, "b": 30})
    assert (heavy.fit(X, y).predict(X) == "b").mean() > (
        plain.fit(X, y).predict(X) == "b").mean() + 0.2
    same = clone(plain).fit(X, y, sample_weight=np.where(y == "b", 30.0, 1.0))
    assert np.allclose(same.predict_proba(X), heavy.predict_proba(X))


def test_partial_fit_goes_on_from_the_laws_it_found():
    X = RNG.uniform(1, 3, size=(60, 2))
    y = X[:, 0]**2 / X[:, 1] + np.sin(X[:, 0])
    law = lamarck.LawRegressor(budget="20keval", random_state=1)
    law.partial_fit(X[:40], y[:40])
    assert law.law_.nmse < 1e-9
    # One evaluation finds nothing from scratch.
    law.set_params(budget="1eval").partial_fit(X[40:], y[40:])
    assert law.score(X, y) > 1 - 1e-9
    assert clone(law).fit(X[40:], y[40:]).score(X, y) < 0.99


def test_partial_fit_keeps_the_law_of_a_class_without_rows():
    X = RNG.normal(size=(90, 2))
    y = np.argmax(np.c_[X, -X.sum(axis=1)], axis=1)
    law = lamarck.LawClassifier(budget="1keval", islands=1, random_state=1)
    with pytest.raises(ValueError, match="none has the class 3"):
        law.partial_fit(X, y, classes=[0, 1, 2, 3])
    law.partial_fit(X, y, classes=[0, 1, 2])
    before = str(law.laws_[2])
    law.partial_fit(X[y < 2], y[y < 2])
    assert list(law.classes_) == [0, 1, 2]
    assert str(law.laws_[2]) == before
    assert law.score(X, y) > 0.8
    with pytest.raises(ValueError, match="7 is new"):
        law.partial_fit(X, np.where(y == 0, 7, y))


def test_cross_validation_with_weights():
    X = RNG.uniform(1, 2, size=(60, 1))
    scores = cross_val_score(
        lamarck.LawRegressor(budget="500eval", islands=1, random_state=1), X,
        2 * X[:, 0] + 1, cv=3, n_jobs=2,
        fit_params={"sample_weight": np.arange(60.0)})
    assert scores.min() > 0.99


def test_ctrl_c_ends_the_searches_of_all_classes():
    """After it, no class gets a whole search."""
    X = RNG.normal(size=(90, 2))
    y = np.argmax(np.c_[X, -X.sum(axis=1)], axis=1)
    evaluations = []

    def press(event):
        evaluations.append(event["evaluations"])
        if len(evaluations) == 1:
            raise KeyboardInterrupt

    law = lamarck.LawClassifier(budget="10min", random_state=1, callback=press)
    with pytest.raises(KeyboardInterrupt):
        law.fit(X, y)
    assert max(evaluations) < 100_000
    assert law.predict_proba(X).shape == (90, 3)


def test_units_decide_what_may_be_added():
    table = pd.DataFrame({"x": RNG.uniform(1, 5, 60),
                          "t": RNG.uniform(1, 5, 60)})
    table["v"] = table.x / table.t * (1 + 0.01 * RNG.normal(size=60))
    units = {"x": "m", "t": "s", "v": "m/s"}
    law = regressor(units=units).fit(table, "v")
    assert law.law_.used_inputs() == [0, 1]
    with pytest.raises(lamarck.Error, match="units"):
        regressor(units={"x": "m", "t": "s"}).fit(table, "v")


def test_reports_and_forms_of_each_class(tmp_path):
    X = RNG.uniform(1, 3, size=(50, 2))
    law = regressor().fit(X, X[:, 0] * X[:, 1])
    law.report(tmp_path / "law.html")
    page = (tmp_path / "law.html").read_text()
    assert "<html" in page and "x0*x1" in page
    with pytest.raises(lamarck.Error, match="report needs") as raised:
        pickle.loads(pickle.dumps(law)).report()
    assert raised.value.code == "failed_precondition"
    y = np.where(X[:, 0] > X[:, 1], "more", "less")
    law = lamarck.LawClassifier(budget="500eval", islands=1, random_state=1)
    law.fit(X, y)
    for form in (law.latex(), law.python(), law.cpp(), law.report()):
        assert list(form) == ["more"]
    assert "def equation" in law.python()["more"]
