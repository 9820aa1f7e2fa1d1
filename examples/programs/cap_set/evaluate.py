"""Tries all vectors of dimension n by descending priority and keeps each one
that is not on a line with two kept ones. The score is the number of kept
vectors; the largest known are 9, 20, 45 and 112 for n of 3 to 6."""
import itertools


def inputs():
    return ['3', '4', '5', '6']


def evaluate(program, name):
    n = int(name)
    vectors = list(itertools.product(range(3), repeat=n))
    order = [rank(program.priority(vector, n)) for vector in vectors]
    return len(greedy([vectors[i] for i in
                       sorted(range(len(vectors)), key=lambda i: -order[i])]))


def rank(value):
    if not isinstance(value, (int, float)) or value != value:
        raise ValueError('priority must return a number')
    return value


def greedy(vectors):
    kept, blocked = [], set()
    for vector in vectors:
        if vector in blocked:
            continue
        # The third point of the line through two is minus their sum, mod 3.
        blocked.update(tuple((-a - b) % 3 for a, b in zip(vector, other))
                       for other in kept)
        blocked.add(vector)
        kept.append(vector)
    return kept
