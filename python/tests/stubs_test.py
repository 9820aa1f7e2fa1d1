"""The typed stubs are those of the package, and mypy accepts its use."""

import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

USE = """
import lamarck
from lamarck import nn, optim

graph = lamarck.Graph(seed=1)
x: lamarck.Var = graph.input([[1.0, 2.0]])
loss = nn.Linear(graph, 2, 1)(x).mean()
optim.Adam(graph.parameters(), 0.1).minimize(loss)
net = lamarck.NetworkClassifier(budget="1gen", random_state=1)
"""


def stubs(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".pyi"):
                path = os.path.join(place, name)
                with open(path, encoding="utf-8") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


def test_stubs_are_up_to_date(tmp_path):
    subprocess.run([sys.executable, os.path.join(ROOT, "write_stubs.py"),
                    str(tmp_path)], check=True)
    assert stubs(os.path.join(ROOT, "lamarck")) == stubs(tmp_path), (
        "run python/write_stubs.py")


def test_mypy_accepts_use_and_finds_a_mistake(tmp_path):
    path = tmp_path / "use.py"
    path.write_text(USE + "graph.input([[1.0]]).no_such_method()\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--ignore-missing-imports",
         "--cache-dir", str(tmp_path / "cache"), str(path)],
        env={**os.environ, "MYPYPATH": ROOT}, text=True, capture_output=True)
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(errors) == 1 and "no_such_method" in errors[0], done.stdout
