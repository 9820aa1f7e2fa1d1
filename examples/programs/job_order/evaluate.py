"""Plans jobs with random lengths, weights and due times on one machine. The score
is the negated cost of all delays, as a percentage of the cost of the order in which
the jobs are due."""
import math
import random

# The share of jobs that must be late, roughly.
TIGHTNESS = {'relaxed': 0.5, 'busy': 0.7, 'overloaded': 0.9}
JOBS = 14
INSTANCES = 4


def evaluate(program):
    return {name: score(program, tightness) for name, tightness in TIGHTNESS.items()}


def score(program, tightness):
    cost = due_cost = 0
    for jobs in instances(tightness):
        cost += total_delay(jobs, program.priority)
        due_cost += total_delay(jobs, due_first)
    return -100 * cost / due_cost


def due_first(length, weight, slack):
    return -slack - length


def instances(tightness):
    """Returns lists of jobs: (length, weight, due)."""
    chance = random.Random(1)
    for _ in range(INSTANCES):
        lengths = [chance.randint(1, 20) for _ in range(JOBS)]
        middle = sum(lengths) * (1 - tightness)
        yield [(length, chance.randint(1, 10), middle * chance.uniform(0.2, 1.8))
               for length in lengths]


def total_delay(jobs, priority):
    """Returns the weighted delay of all jobs in the order of their priorities."""
    waiting = list(jobs)
    now = cost = 0
    while waiting:
        urgency = [number(priority(length, weight, due - now - length))
                   for length, weight, due in waiting]
        length, weight, due = waiting.pop(urgency.index(max(urgency)))
        now += length
        cost += weight * max(0, now - due)
    return cost


def number(value):
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError('priority must return a finite number')
    return value
