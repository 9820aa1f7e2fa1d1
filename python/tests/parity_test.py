"""Python and the program evolve the same models, bit for bit."""

import json
import os
import subprocess

import numpy as np
import pandas as pd
import pytest

import lamarck
from lamarck import _core

DATA = os.path.join(os.path.dirname(__file__), "../../tests/data")


def read_csv(path):
    """Reads numbers exactly; pandas' usual parser may miss the last bit."""
    return pd.read_csv(path, float_precision="round_trip")


def run(program, *words):
    subprocess.run([program, *map(str, words)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def program():
    """The program of the same build."""
    folder = os.path.dirname(_core.__file__)
    return os.path.join(folder, "../../bin/lamarck")


def network_bytes(path):
    return _core.TableNetwork.load(str(path)).network_bytes()


def test_network_is_that_of_the_program(program, tmp_path):
    run(program, "evolve", "net", f"{DATA}/iris.csv", "--target", "species",
        "--budget", "3gen", "--seed", 7, "--out", tmp_path / "net")

    frame = read_csv(f"{DATA}/iris.csv")
    net = lamarck.NetworkClassifier(budget="3gen", random_state=7,
                                    test_split=0.2).fit(frame, "species")

    assert net.network_.network_bytes() == network_bytes(
        tmp_path / "net" / "model.lmk")
    facts = json.loads(
        _core.TableNetwork.load(str(tmp_path / "net/model.lmk")).facts_json)
    assert net.facts_["test_score"] == facts["test_score"]


def test_predictions_are_those_of_the_program(program, tmp_path):
    frame = read_csv(f"{DATA}/iris.csv")
    net = lamarck.NetworkClassifier(budget="2gen", random_state=1)
    net.fit(frame, "species").save(tmp_path / "model.lmk")

    run(program, "predict", tmp_path / "model.lmk", f"{DATA}/iris.csv",
        "--out", tmp_path / "out.csv")

    inputs = frame.drop(columns="species")
    out = pd.read_csv(tmp_path / "out.csv")
    assert list(out["prediction"]) == list(net.predict(inputs))
    loaded = lamarck.load(tmp_path / "model.lmk")
    assert list(loaded.predict(inputs)) == list(net.predict(inputs))
    assert list(loaded.predict(frame)) == list(net.predict(inputs))


def test_law_is_that_of_the_program(program, tmp_path):
    run(program, "evolve", "fn", f"{DATA}/planets.csv", "--target", "period",
        "--budget", "5keval", "--seed", 3, "--out", tmp_path / "fn")

    frame = read_csv(f"{DATA}/planets.csv")
    law = lamarck.LawRegressor(budget="5keval", random_state=3)
    law.fit(frame, "period")

    front = read_csv(tmp_path / "fn" / "front.csv")
    assert list(front["size"]) == list(law.equations_["complexity"])
    assert list(front["nmse"]) == list(law.equations_["nmse"])


def test_threads_change_nothing():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    one, many = (lamarck.NetworkClassifier(budget="3gen", random_state=1,
                                           n_jobs=jobs).fit(X, y)
                 for jobs in (1, 3))
    assert one.network_.network_bytes() == many.network_.network_bytes()
