"""Forecasts of a series, alone and beside a table."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lamarck


def test_forecaster():
    steps = np.arange(240)
    table = pd.DataFrame({"load": 10 + np.sin(steps / 4),
                          "warm": np.cos(steps / 9)})
    net = lamarck.NetworkForecaster(horizon=2, budget="3gen", random_state=1)
    net.fit(table, "load")
    ahead = net.predict(table)
    assert len(ahead) == 240
    assert abs(ahead[-1] - (10 + np.sin(241 / 4))) < 0.3
    low, high = net.predict_interval(table)
    assert low[-1] < ahead[-1] < high[-1]
    with pytest.raises(ValueError, match="name of a column"):
        net.fit(table)


def wave(rows=240):
    """`load` follows `warm` three rows later."""
    warm = np.sin(np.arange(rows) / 4)
    return warm, 10 + np.r_[np.zeros(3), warm[:-3]]


def test_a_target_beside_the_rows():
    warm, load = wave()
    X = np.c_[warm, np.cos(np.arange(240) / 4)]
    net = lamarck.NetworkForecaster(horizon=3, budget="5gen", random_state=1)
    net.fit(X, load)
    # The last row tells what comes after the table.
    assert net.predict(X)[-1] == pytest.approx(10 + warm[-1], abs=0.1)
    assert net.score(X, load) > 0.95
    low, high = net.predict_interval(X)
    assert low[-1] < 10 + warm[-1] < high[-1]
    again = pickle.loads(pickle.dumps(net))
    assert np.array_equal(again.predict(X), net.predict(X))


def test_earlier_rows_are_inputs():
    warm, load = wave()
    frame = pd.DataFrame({"warm": warm, "day": ["Mon", "Tue"] * 120})
    net = lamarck.NetworkForecaster(horizon=1, lags=2, budget="5gen",
                                    random_state=1)
    net.fit(frame, load)
    assert "warm 2 before" in net.get_feature_names_out()
    assert net.score(frame, load) > 0.95
    net.set_params(lags=None).fit(frame, load)
    assert "warm 2 before" not in net.get_feature_names_out()
    assert net.score(frame, load) < 0.95


def test_tools_of_scikit_learn():
    warm, load = wave()
    X = np.c_[warm, np.cos(np.arange(240) / 4)]
    net = lamarck.NetworkForecaster(horizon=2, budget="4gen", random_state=1)
    scores = cross_val_score(make_pipeline(StandardScaler(), net), X, load,
                             cv=TimeSeriesSplit(3), n_jobs=2)
    assert scores[-1] > 0.9


def test_wrong_options_are_explained():
    X = np.arange(20.0)[:, None]
    with pytest.raises(lamarck.Error, match="horizon must be .* got 0"):
        lamarck.NetworkForecaster(horizon=0).fit(X, X[:, 0])
    with pytest.raises(lamarck.Error, match="lags must be .* got -1"):
        lamarck.NetworkForecaster(lags=-1).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="needs at least 21 samples"):
        lamarck.NetworkForecaster(horizon=19).fit(X, X[:, 0])


def test_a_saved_forecaster_is_loaded(tmp_path):
    warm, load = wave()
    frame = pd.DataFrame({"warm": warm, "load": load})
    net = lamarck.NetworkForecaster(horizon=2, budget="2gen", random_state=1)
    net.fit(frame, "load").save(tmp_path / "net.lmk")
    again = lamarck.load(tmp_path / "net.lmk")
    assert isinstance(again, lamarck.NetworkForecaster)
    assert again.horizon == 2
    assert np.array_equal(again.predict(frame), net.predict(frame))
    assert again.score(frame) == net.score(frame)
