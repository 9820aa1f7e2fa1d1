"""Layers: they create parameters in a graph, and calling one adds its nodes.

>>> from lamarck import Graph, nn
>>> graph = Graph(seed=1)
>>> layer = nn.Linear(graph, 3, 2)
>>> layer(graph.input([[1, 2, 3]])).shape
(1, 2)
"""

from ._core.nn import (  # noqa: F401
    BatchNorm, Conv2d, Dropout, Embedding, LayerNorm, Linear, Lstm, Module)
