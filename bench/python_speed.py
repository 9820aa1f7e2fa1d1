#!/usr/bin/python3
"""Times what a user of the Python package waits for, the best of several runs.

    PYTHONPATH=build/release/python bench/python_speed.py

A training step is `adam.minimize(loss)` of the XOR network with 2 inputs, 8
hidden neurons and 1 output on its 4 rows. A call of Python that does nothing is
timed too, because such figures depend on the machine.
"""

import subprocess
import sys
import time
import timeit

import lamarck

IMPORTS = {
    "python3 alone": "pass",
    "import lamarck": "import lamarck",
    "with its native part": "import lamarck; lamarck.Graph",
    "with numpy": "import numpy, lamarck; lamarck.Graph",
    "with scikit-learn": "import lamarck; lamarck.NetworkClassifier",
}


def microseconds(function, number=20_000):
    return min(timeit.repeat(function, number=number, repeat=7)) / number * 1e6


def make_step():
    graph = lamarck.Graph(seed=1)
    x = graph.input([[0, 0], [0, 1], [1, 0], [1, 1]])
    y = graph.input([[0], [1], [1], [0]])
    hidden = lamarck.nn.Linear(graph, 2, 8)(x).tanh()
    loss = lamarck.nn.Linear(graph, 8, 1)(hidden).bce_with_logits(y)
    adam = lamarck.optim.Adam(graph.parameters(), 0.05)
    return lambda: adam.minimize(loss), x


def seconds_to_run(script):
    def once():
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", script], check=True)
        return time.perf_counter() - begin
    return min(once() for _ in range(7))


def main():
    import numpy as np

    step, x = make_step()
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
    print(f"{'an empty call':24} {microseconds(lambda: None):8.2f} us")
    print(f"{'a training step':24} {microseconds(step):8.2f} us")
    print(f"{'setting 4 rows':24} {microseconds(lambda: x.set(rows)):8.2f} us")
    alone = None
    for name, script in IMPORTS.items():
        seconds = seconds_to_run(script)
        alone = seconds if alone is None else alone
        print(f"{name:24} {1000 * (seconds - alone):8.1f} ms more than Python"
              if seconds != alone else f"{name:24} {1000 * seconds:8.1f} ms")


if __name__ == "__main__":
    main()
