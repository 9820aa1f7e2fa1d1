"""Evolution with tasks and functions in Python."""

import concurrent.futures

import numpy as np
import pytest

import lamarck


class Xor(lamarck.Task):
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])

    def evaluate(self, network, rng):
        errors = np.abs(network(self.rows)[:, 0] - [0, 1, 1, 0])
        # Chance must be the same in any process.
        return (4 - errors.sum())**2 + 1e-9 * rng.random()


class Box:
    def __init__(self, low, high):
        self.low, self.high = np.array([low]), np.array([high])


class Walk:
    """An environment of Gymnasium's interface: stay near 0."""

    action_space = Box(-1.0, 1.0)

    def reset(self, seed=None):
        self.place = np.random.default_rng(seed).uniform(-1, 1)
        self.steps = 0
        return np.array([self.place]), {}

    def step(self, action):
        self.place += 0.3 * float(np.ravel(action)[0])
        self.steps += 1
        return (np.array([self.place]), 1 - min(1.0, abs(self.place)), False,
                self.steps >= 20, {})


def run(executor=None):
    evolution = lamarck.Evolution(Xor(), inputs=2, outputs=1, seed=3,
                                  population=60, executor=executor)
    return evolution.run(budget="8gen")


def test_any_executor_gives_the_same_result():
    import pickle

    alone = run()
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        assert pickle.dumps(run(threads).network) == pickle.dumps(alone.network)
    with concurrent.futures.ProcessPoolExecutor(2) as processes:
        assert pickle.dumps(run(processes).network) == pickle.dumps(
            alone.network)


def test_network_steps_and_is_saved(tmp_path):
    result = run()
    result.network.save(str(tmp_path / "net.lmk"))
    again = lamarck.Network.load(str(tmp_path / "net.lmk"))
    rows = Xor.rows.astype(np.float32)
    stepped = [again.step(row)[0] for row in rows]
    assert np.allclose(stepped, result.network(rows)[:, 0], atol=1e-6)
    assert result._repr_svg_().startswith("<svg")
    with pytest.raises(lamarck.Error, match="2 inputs, got 3"):
        again.step([1, 2, 3])


def test_environment_of_gymnasium():
    task = lamarck.EnvironmentTask(Walk, episodes=4)
    result = lamarck.Evolution(task, inputs=1, outputs=1, seed=1,
                               population=50).run(budget="20gen", goal=16)
    assert result.solved


def test_scores_must_be_fitness():
    class Bad(lamarck.Task):
        def evaluate(self, network, rng):
            return -1

    with pytest.raises(lamarck.Error, match="at least 0"):
        lamarck.Evolution(Bad(), inputs=1, outputs=1).run(budget="1gen")
    with pytest.raises(lamarck.Error, match="budget must be"):
        lamarck.Evolution(Xor(), inputs=2, outputs=1).run(budget="soon")


def test_a_run_goes_on():
    evolution = lamarck.Evolution(Xor(), inputs=2, outputs=1, seed=3,
                                  population=60)
    evolution.run(budget="4gen")
    assert evolution.run(budget="4gen").score == run().score


def test_function_evolves_with_an_evaluator_in_python():
    x = np.linspace(0.1, 4, 30)
    calls = []

    def score(function):
        calls.append(str(function))
        if len(calls) % 7 == 0:
            raise RuntimeError("a failed evaluation")
        return -float(np.abs(function(x, 2 * x) - (x + 2 * x)).max())

    found = lamarck.evolve_function("def f(a, b):\n    return a", score,
                                    budget="2keval", goal=-1e-9, seed=1)
    assert found.score >= -1e-9
    assert np.allclose(found.function(1.5, 2.5), 4)
    same = lamarck.evolve_function(
        "def f(a, b):\n    return a",
        lambda f: -float(np.abs(f(x, 2 * x) - 3 * x).max()),
        budget="2keval", goal=-1e-9, seed=1)
    assert "def f(a, b)" in same.function.python()


def test_graph_and_optimizers():
    graph = lamarck.Graph(seed=1)
    x = graph.input(np.random.default_rng(0).normal(size=(64, 3)), name="x")
    y = graph.input(np.asarray(x) @ [[1.0], [-2.0], [0.5]])
    out = lamarck.nn.Linear(graph, 3, 1)(x)
    loss = out.mse(y)
    optimizer = lamarck.optim.Adam(graph.parameters(), 0.1)
    for _ in range(200):
        last = optimizer.minimize(loss)
    assert last < 1e-4
    weight = graph.parameters()[0].numpy()
    assert np.allclose(weight[:, 0], [1, -2, 0.5], atol=0.05)
    assert np.from_dlpack(out).shape == (64, 1)
    with pytest.raises(lamarck.Error, match="matmul"):
        x.matmul(x)


def test_gradients_agree_with_finite_differences():
    graph = lamarck.Graph()
    first = np.array([[0.3, -0.7]])
    a = graph.parameter(first, "a")
    total = (a.tanh() * a).sum()

    def value(numbers):
        a.set(numbers)
        total.forward()
        return total.item()

    step = 1e-2 * np.eye(2)
    slopes = [(value(first + each) - value(first - each)) / 2e-2
              for each in step]
    a.set(first)
    total.backward()
    assert np.allclose(a.grad()[0], slopes, atol=1e-2)


class OnlyDlpack:
    """A tensor of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_graph_takes_tensors_of_other_libraries():
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    graph = lamarck.Graph()
    x = graph.input(OnlyDlpack(rows))
    assert np.array_equal(x.numpy(), rows)
    x.set(OnlyDlpack(rows[:, ::-1]))
    assert np.array_equal(np.from_dlpack(x), rows[:, ::-1])
    assert np.array_equal(graph.constant(OnlyDlpack(rows)).numpy(), rows)


def test_graph_keeps_its_values_when_an_array_changes():
    rows = np.ones((2, 3), np.float32)
    graph = lamarck.Graph()
    x = graph.input(rows)
    rows[:] = 5
    assert x.numpy().max() == 1
    x.set(rows)
    x.numpy()[:] = 7
    assert x.numpy().max() == 5


@pytest.mark.parametrize("wrong", ["words", [[1, 2], [3]], {}])
def test_graph_explains_wrong_values(wrong):
    with pytest.raises(lamarck.Error, match="must be an array of numbers"):
        lamarck.Graph().input(wrong)


class Lucky:
    """A discrete action space that begins at 3: action 4 wins."""

    class action_space:
        n, start = 2, 3

    def reset(self, seed=None):
        return [1.0], {}

    def step(self, action):
        assert action in (3, 4)
        return [1.0], float(action == 4), True, False, {}


def test_discrete_actions_may_begin_at_any_number():
    result = lamarck.Evolution(lamarck.EnvironmentTask(Lucky), inputs=1,
                               outputs=2).run(budget="30gen", goal=1)
    assert result.solved


def test_loky_gives_the_same_result_too():
    import pickle

    from joblib.externals.loky import get_reusable_executor

    task = lamarck.EnvironmentTask(Walk, episodes=2)

    def best(executor):
        return pickle.dumps(lamarck.Evolution(
            task, inputs=1, outputs=1, seed=1, population=20,
            executor=executor).run(budget="2gen").network)

    assert best(get_reusable_executor(2)) == best(None)


def test_ctrl_c_keeps_the_best_so_far():
    import signal

    class Slow(Xor):
        calls = 0

        def evaluate(self, network, rng):
            Slow.calls += 1
            if Slow.calls == 150:
                signal.raise_signal(signal.SIGINT)
            return super().evaluate(network, rng)

    evolution = lamarck.Evolution(Slow(), inputs=2, outputs=1, population=60)
    result = evolution.run(budget="100gen")
    assert result.generations == 2 and result.score > 0
    assert evolution.run(budget="1gen").score >= result.score


def test_program_is_given_as_text_or_function(tmp_path):
    def evaluate(program):
        return -sum(abs(program.f(x) - 3 * x) for x in range(9))

    program = "# lamarck: evolve\ndef f(x):\n    return x\n"
    found = lamarck.evolve_program(program, evaluate, budget="100eval",
                                   islands=1, seed=1, out=tmp_path / "out")
    assert found.best.score > found.first_score == -72
    assert "def f(x)" in found.best.source
    assert (tmp_path / "out").is_dir()
