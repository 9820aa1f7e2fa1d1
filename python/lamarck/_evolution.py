"""Evolution of networks for a task that is written in Python."""

import dataclasses

import numpy as np

from . import _core, _progress


class Task:
    """What networks are to do: derive from it and write `evaluate`.

    An instance must be picklable if networks are evaluated in other processes.

    >>> from lamarck import Evolution, Task
    >>> class Double(Task):
    ...     def evaluate(self, network, rng):
    ...         x = rng.uniform(0, 0.5, (20, 1))
    ...         return 1 - abs(network(x) - 2 * x).mean()
    >>> Evolution(Double(), inputs=1, outputs=1).run(budget="2gen").score > 0.5
    True
    """

    def evaluate(self, network, rng):
        """The score of a network, at least 0; higher is better.

        `network.step(inputs)` computes one step, `network.reset()` begins
        again, and `network(rows)` computes many rows. `rng` is a generator of
        NumPy; the score must depend on nothing else.
        """
        raise NotImplementedError("Write evaluate(self, network, rng).")


class EnvironmentTask(Task):
    """The mean return of episodes in an environment of Gymnasium's interface.

    `make` returns an environment with `reset(seed=...)` and `step(action)`.
    A discrete action is the largest output; the outputs 0 to 1 of a continuous
    one are scaled to its bounds. `offset` is added to the score, because a
    score must be at least 0.

    >>> from lamarck import EnvironmentTask, Evolution
    >>> class Guess:
    ...     # One step: is the number positive?
    ...     class action_space:
    ...         n = 2
    ...     def reset(self, seed=None):
    ...         self.number = (seed % 100 - 50) / 50
    ...         return [self.number], {}
    ...     def step(self, action):
    ...         right = action == (self.number > 0)
    ...         return [0.0], float(right), True, False, {}
    >>> task = EnvironmentTask(Guess, episodes=20)
    >>> Evolution(task, inputs=1, outputs=2).run(budget="30gen", goal=1).solved
    True
    """

    def __init__(self, make, *, episodes=3, max_steps=1000, offset=0.0):
        self.make = make
        self.episodes = episodes
        self.max_steps = max_steps
        self.offset = offset

    def evaluate(self, network, rng):
        environment = self.make()
        try:
            returns = [self._episode(environment, network, rng)
                       for _ in range(self.episodes)]
        finally:
            getattr(environment, "close", lambda: None)()
        return float(np.mean(returns)) + self.offset

    def _episode(self, environment, network, rng):
        observation, _ = environment.reset(seed=int(rng.integers(2**31)))
        network.reset()
        total = 0.0
        for _ in range(self.max_steps):
            outputs = network.step(np.ravel(observation))
            action = _action(environment.action_space, outputs)
            observation, reward, terminated, truncated, _ = environment.step(
                action)
            total += float(reward)
            if terminated or truncated:
                break
        return total


def _action(space, outputs):
    if hasattr(space, "n"):
        first = int(getattr(space, "start", 0))
        if len(outputs) > 1:
            return first + int(np.argmax(outputs))
        return first + int(outputs[0] > 0.5)
    low, high = np.asarray(space.low), np.asarray(space.high)
    share = np.clip(outputs, 0, 1).reshape(low.shape)
    return low + share * (high - low)


@dataclasses.dataclass
class EvolutionResult:
    """The best network of a run, with its score."""

    network: object
    score: float
    solved: bool
    generations: int
    evaluations: int
    history: list

    def _repr_svg_(self):
        return self.network._repr_svg_()


class Evolution:
    """Evolves networks for a task by NEAT.

    `executor` is any of `concurrent.futures`; it does not affect the result.

    >>> import numpy as np
    >>> from lamarck import Evolution, Task
    >>> class Xor(Task):
    ...     X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    ...     def evaluate(self, network, rng):
    ...         errors = np.abs(network(self.X)[:, 0] - [0, 1, 1, 0])
    ...         return (4 - errors.sum())**2
    >>> result = Evolution(Xor(), inputs=2, outputs=1, seed=2).run(
    ...     budget="100gen", goal=12)
    >>> result.solved
    True
    """

    def __init__(self, task, *, inputs, outputs, population=150,
                 recurrent_share=0.0, seed=1, executor=None):
        for name, count in (("inputs", inputs), ("outputs", outputs),
                            ("population", population)):
            if count < 1:
                raise _core.Error(f"{name} must be at least 1, got {count}.")
        self.task = task
        self.seed = int(seed)
        self.executor = executor
        self._is_evaluated = False
        self.population = _core.Population(
            inputs=inputs, outputs=outputs, seed=self.seed,
            population=population, recurrent_share=recurrent_share)

    def run(self, *, budget="100gen", goal=None, callback=None):
        """Evolves until the budget or the goal; Ctrl-C keeps the best so far.

        A later call continues. The budget is a number of generations ("100gen")
        or evaluations ("20keval").
        """
        generations, evaluations = _limits(budget)
        listen = _progress.watch(callback, budget, "gen")
        begin = self.population.evaluations
        history, solved = [], False
        try:
            while not solved:
                if self._is_evaluated:
                    self._is_evaluated = False
                    self.population.evolve()
                solved = self._generation(goal)
                history.append(self._event(len(history) + 1, begin))
                if listen is not None and listen(history[-1]) is False:
                    break
                if len(history) >= generations:
                    break
                if self.population.evaluations - begin >= evaluations:
                    break
        except KeyboardInterrupt:
            if not history:
                raise
        return EvolutionResult(
            self.population.best(), self.population.best_score, solved,
            len(history), self.population.evaluations - begin, history)

    def _generation(self, goal):
        networks = self.population.networks()
        seeds = [(self.seed, self.population.generation, i)
                 for i in range(len(networks))]
        run = map if self.executor is None else self.executor.map
        scores = list(run(_evaluate, [self.task] * len(networks), networks,
                          seeds))
        solved = self.population.evaluate(scores, goal)
        self._is_evaluated = True
        return solved

    def _event(self, generation, begin):
        return {"generation": generation,
                "evaluations": self.population.evaluations - begin,
                "score": self.population.best_score,
                "species": self.population.species}


def _evaluate(task, network, seed):
    """Runs in any process."""
    score = float(task.evaluate(network, np.random.default_rng(seed)))
    if not np.isfinite(score) or score < 0:
        raise _core.Error("evaluate must return a finite number of at least "
                          f"0, got {score}; add a constant to all scores.")
    return score


def _limits(budget):
    """(generations, evaluations) of "100gen" or "20keval"."""
    text = str(budget)
    for unit, factor in (("gen", 1), ("keval", 1000), ("eval", 1)):
        number = text.removesuffix(unit)
        if number != text and number.isdigit() and int(number) > 0:
            limit = int(number) * factor
            return ((limit, np.inf) if unit == "gen" else (np.inf, limit))
    raise _core.Error("budget must be a limit such as 100gen or 20keval, got "
                      f"{budget!r}.")
