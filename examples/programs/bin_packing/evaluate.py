"""Packs items that arrive one at a time, drawn as in the OR-Library: sizes of
20 to 100, uniformly, into bins of 150. The score is the negated excess over the
lower bound in percent."""
import math
import random

CAPACITY = 150
SIZES = {'items_60': 60, 'items_120': 120, 'items_250': 250, 'items_500': 500}
INSTANCES = 5


def inputs():
    return list(SIZES)


def evaluate(program, name):
    excess = [100 * (pack(program, items) / lower_bound(items) - 1)
              for items in instances(SIZES[name])]
    return -sum(excess) / len(excess)


def instances(count):
    chance = random.Random(count)
    return [[chance.randint(20, 100) for _ in range(count)]
            for _ in range(INSTANCES)]


def lower_bound(items):
    return math.ceil(sum(items) / CAPACITY)


def pack(program, items):
    """Returns the number of bins that the program's choices use."""
    bins = []
    for item in items:
        fitting = [i for i, space in enumerate(bins) if space >= item]
        choices = [bins[i] for i in fitting] + [CAPACITY]
        best = choose(program.priority(item, choices), len(choices))
        if best == len(fitting):
            bins.append(CAPACITY - item)
        else:
            bins[fitting[best]] -= item
    return len(bins)


def choose(priorities, count):
    if not isinstance(priorities, list) or len(priorities) != count:
        raise ValueError('priority must return a list, one number for each bin')
    if not all(isinstance(p, (int, float)) and math.isfinite(p)
               for p in priorities):
        raise ValueError('priority must return finite numbers')
    return max(range(count), key=priorities.__getitem__)
