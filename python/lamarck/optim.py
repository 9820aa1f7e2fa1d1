"""Optimizers: `minimize` updates parameters so that a loss becomes smaller.

>>> from lamarck import Graph, nn, optim
>>> graph = Graph(seed=1)
>>> x = graph.input([[0, 0], [0, 1], [1, 0], [1, 1]])
>>> y = graph.input([[0], [1], [1], [0]])
>>> hidden = nn.Linear(graph, 2, 8)(x).tanh()
>>> loss = nn.Linear(graph, 8, 1)(hidden).bce_with_logits(y)
>>> adam = optim.Adam(graph.parameters(), 0.05)
>>> for _ in range(300):
...     last = adam.minimize(loss)
>>> last < 0.05
True
"""

from ._core.optim import Adam, AdamW, Optimizer, Rmsprop, Sgd  # noqa: F401
