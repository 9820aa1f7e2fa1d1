"""The estimators in scikit-learn's tools, with data frames, and interrupted."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lamarck


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def frame(rows=80):
    """Words, dates, gaps and truth values; `late` follows from them."""
    rng = np.random.default_rng(1)
    colour = rng.choice(["red", "green", "blue"], rows)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(
        rng.integers(0, 300, rows), "D")
    size = rng.normal(size=rows)
    late = np.where((colour == "red") | (size > 1), "yes", "no")
    table = pd.DataFrame({"colour": colour, "day": days, "size": size,
                          "old": rng.random(rows) > 0.5, "late": late})
    table.loc[::9, "size"] = np.nan
    table.loc[::11, "colour"] = None
    return table


def test_pipeline_search_and_workers(iris):
    X, y = iris
    net = lamarck.NetworkClassifier(budget="2gen", random_state=1, n_jobs=1)
    scores = cross_val_score(make_pipeline(StandardScaler(), net), X, y, cv=3,
                             n_jobs=2)
    search = GridSearchCV(net, {"budget": ["1gen", "2gen"]}, cv=3, n_jobs=2)
    search.fit(X, y)
    assert scores.mean() > 0.9
    assert search.best_score_ > 0.9


@pytest.mark.parametrize("estimator", [
    lamarck.NetworkClassifier(budget="2gen", random_state=1),
    lamarck.LawClassifier(budget="500eval", islands=1, max_size=15,
                          random_state=1)])
def test_pickle_joblib_and_clone_keep_predictions(estimator, iris, tmp_path):
    X, y = iris
    fitted = clone(estimator).fit(X, y)
    joblib.dump(fitted, tmp_path / "model")
    for copy in (pickle.loads(pickle.dumps(fitted)),
                 joblib.load(tmp_path / "model"),
                 clone(estimator).fit(X, y)):
        assert np.array_equal(copy.predict_proba(X), fitted.predict_proba(X))


def test_data_frame_is_read_like_its_csv_file(tmp_path):
    table = frame()
    table.to_csv(tmp_path / "table.csv", index=False)
    net = lamarck.NetworkClassifier(budget="2gen", random_state=1)
    net.fit(table, "late")
    from lamarck import _core
    read = _core.Table.read_csv(str(tmp_path / "table.csv"))
    same = _core.evolve_table(read, target="late", budget="2gen", seed=1,
                              test_split=0.0)
    assert net.network_.inputs == same.inputs
    assert "colour=red" in net.get_feature_names_out()
    assert "day: weekday (sine)" in net.get_feature_names_out()
    assert net.network_.network_bytes() == same.network_bytes()
    assert net.score(table.drop(columns="late"), table["late"]) > 0.8


def test_columns_must_be_those_of_fit():
    table = frame()
    net = lamarck.NetworkClassifier(budget="1gen").fit(table, "late")
    with pytest.raises(ValueError, match="size"):
        net.predict(table.drop(columns=["late", "size"]))
    with pytest.raises(ValueError, match="no column 'nothing'"):
        net.fit(table, "nothing")


def test_weights_decide_between_contradicting_rows():
    X = np.tile([[0.0], [1.0]], (40, 1))
    y = np.array([0, 1] * 20 + [1, 0] * 20)
    weight = np.r_[np.ones(40), np.full(40, 50.0)]
    net = lamarck.NetworkClassifier(budget="5gen", random_state=1)
    assert list(net.fit(X, y, sample_weight=weight).predict([[0], [1]])) == [1, 0]
    assert list(net.fit(X, y, sample_weight=1 / weight).predict([[0], [1]])) == [0, 1]


def test_class_weight_favours_a_class(iris):
    X, y = np.random.default_rng(0).normal(size=(90, 2)), [0, 1, 2] * 30
    net = lamarck.NetworkClassifier(budget="3gen", random_state=1,
                                    class_weight={0: 1, 1: 1, 2: 100})
    assert (net.fit(X, y).predict(X) == 2).mean() > 0.8


def test_partial_fit_goes_on_from_what_it_learned(iris):
    X, y = iris
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    net = lamarck.NetworkClassifier(budget="2gen", random_state=1)
    net.partial_fit(X[:75], y[:75], classes=[0, 1, 2])
    before = net.network_
    net.partial_fit(X[75:], y[75:])
    assert net.network_.inputs == before.inputs
    assert net.network_.network_bytes() != before.network_bytes()
    assert net.score(X, y) > 0.9
    # Two classes are enough once the network knows all.
    few = y[:75] < 2
    net.partial_fit(X[:75][few], y[:75][few])
    assert list(net.classes_) == [0, 1, 2]
    assert net.score(X[:75][few], y[:75][few]) > 0.9
    with pytest.raises(ValueError, match="7 is new"):
        net.partial_fit(X, np.where(y == 0, 7, y))


def test_intervals_and_sets_contain_the_truth(iris):
    X, y = iris
    net = lamarck.NetworkClassifier(budget="3gen", random_state=1).fit(X, y)
    sets = net.predict_set(X, level=0.9)
    assert np.mean([label in labels for label, labels in zip(y, sets)]) > 0.8
    reg = lamarck.NetworkRegressor(budget="3gen", random_state=1)
    low, high = reg.fit(X[:, :3], X[:, 3]).predict_interval(X[:, :3])
    assert np.mean((low <= X[:, 3]) & (X[:, 3] <= high)) > 0.8


def test_exports(iris, tmp_path):
    X, y = iris
    net = lamarck.NetworkClassifier(budget="2gen", random_state=1).fit(X, y)
    net.to_onnx(tmp_path / "net.onnx")
    assert (tmp_path / "net.onnx").stat().st_size > 100
    assert "double" in net.to_cpp() or "float" in net.to_cpp()
    assert net._repr_svg_().startswith("<svg")
    assert "<svg" in net._repr_mimebundle_()["text/html"]
    assert "<html" in net.report()
    with pytest.raises(lamarck.Error, match="report needs") as raised:
        pickle.loads(pickle.dumps(net)).report()
    assert raised.value.code == "failed_precondition"


def test_law_in_every_form():
    X = np.random.default_rng(0).uniform(1, 5, (40, 2))
    law = lamarck.LawRegressor(random_state=1).fit(
        pd.DataFrame(X, columns=["mass", "height"]), 9.81 * X[:, 0] * X[:, 1])
    import sympy
    mass, height = sympy.symbols("mass height")
    difference = law.sympy() / (mass * height) - 9.81
    assert abs(float(sympy.simplify(difference))) < 1e-6
    space = {}
    exec(law.python(), space)
    function = next(v for k, v in space.items() if k == "equation")
    assert np.allclose(function(X[:, 0], X[:, 1]), law.predict(
        pd.DataFrame(X, columns=["mass", "height"])))
    assert "mass" in law.latex()
    assert "<math" in law._repr_html_()
    assert law.equations_["chosen"].sum() == 1


def test_errors_have_code_and_fields(iris):
    with pytest.raises(lamarck.Error) as raised:
        lamarck.NetworkClassifier(budget="5 parsecs").fit(*iris)
    assert raised.value.code == "invalid_argument"
    assert raised.value.fields == {}
    assert "budget must be" in str(raised.value)
    assert isinstance(raised.value, ValueError)
    assert isinstance(pickle.loads(pickle.dumps(raised.value)), lamarck.Error)


def test_callback_hears_and_ends_the_run(iris):
    events = []

    def listen(event):
        events.append(event)
        return event["generation"] < 3

    net = lamarck.NetworkClassifier(budget="1000gen", single=True,
                                    callback=listen)
    net.fit(*iris)
    assert len(events) >= 3 and events[0]["generation"] == 1
    assert net.facts_["generations"] < 1000

    def fail(event):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        net.set_params(callback=fail).fit(*iris)


@pytest.mark.parametrize("estimator", [
    "NetworkClassifier(budget='10min', single=True)",
    "LawRegressor(budget='10min')"])
def test_ctrl_c_keeps_the_best_so_far(estimator, tmp_path):
    script = textwrap.dedent(f"""
        import lamarck, numpy, os, signal, threading
        X = numpy.random.default_rng(0).normal(size=(200, 3))
        y = (X.sum(axis=1) + 0.5 * numpy.sin(9 * X[:, 0] * X[:, 1]) > 0.3) * 1
        model = lamarck.{estimator}
        seen = threading.Event()
        model.set_params(callback=lambda event: seen.set())
        threading.Thread(target=lambda: (
            seen.wait(), os.kill(os.getpid(), signal.SIGINT))).start()
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            print("interrupted", model.score(X, y) > 0.0)
        """)
    done = subprocess.run([sys.executable, "-c", script], timeout=60,
                          capture_output=True, text=True)
    assert done.stdout == "interrupted True\n", done.stderr


def test_python_runs_while_a_fit_works(iris):
    turns = []
    net = lamarck.NetworkClassifier(budget="20gen", single=True)
    worker = threading.Thread(target=net.fit, args=iris)
    worker.start()
    while worker.is_alive():
        turns.append(time.monotonic())
        time.sleep(0.001)
    assert len(turns) > 3


def test_fork_after_a_fit(iris):
    net = lamarck.NetworkClassifier(budget="2gen", random_state=1).fit(*iris)
    child = os.fork()
    if child == 0:
        again = clone(net).fit(*iris)
        same = np.array_equal(again.predict_proba(iris[0]),
                              net.predict_proba(iris[0]))
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("order", ["numpy, lamarck", "lamarck, numpy",
                                   "numpy, sklearn, lamarck",
                                   "lamarck, sklearn, numpy"])
def test_computes_right_for_any_order_of_imports(order):
    script = textwrap.dedent(f"""
        import {order}
        from lamarck import _core
        a = numpy.random.default_rng(0).normal(size=(300, 300))
        assert numpy.allclose(a @ numpy.linalg.inv(a), numpy.eye(300))
        X = numpy.linspace(-1, 1, 50)[:, None]
        net = lamarck.NetworkRegressor(budget="5gen", random_state=1)
        assert net.fit(X, 3 * X[:, 0]).score(X, 3 * X[:, 0]) > 0.99
        """)
    subprocess.run([sys.executable, "-c", script], check=True, timeout=100)


def test_import_is_lazy():
    script = ("import sys, lamarck; "
              "assert 'numpy' not in sys.modules; "
              "assert 'sklearn' not in sys.modules; "
              "assert 'NetworkClassifier' in dir(lamarck)")
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("estimator, message", [
    (lamarck.NetworkClassifier(islands="two"), "islands must be an integer"),
    (lamarck.NetworkClassifier(goal="high"), "goal must be a number"),
    (lamarck.NetworkClassifier(ignore=7), "ignore must be a list of texts"),
    (lamarck.NetworkClassifier(test_split="x"), "test_split must be a number"),
    (lamarck.NetworkClassifier(grain=[1]), "grain must be a text"),
    (lamarck.LawRegressor(max_size="big"), "max_size must be an integer"),
    (lamarck.LawRegressor(seed_equation=5), "seed_equation must be a text")])
def test_options_of_a_wrong_type_are_explained(estimator, message, iris):
    with pytest.raises(lamarck.Error, match=message) as raised:
        estimator.fit(*iris)
    assert raised.value.code == "invalid_argument"


def test_ignored_columns_are_a_list_or_a_text_as_in_the_program():
    table = frame()
    net = lamarck.NetworkClassifier(budget="1gen", random_state=1)
    for ignore in ("day,old", ["day", "old"]):
        net.set_params(ignore=ignore).fit(table, "late")
        assert not any("day" in name or "old" in name
                       for name in net.get_feature_names_out())
