#!/usr/bin/env python3
"""Simulates crews of up to 1,000 members and prints how busy they are.

    bench/crew_simulation.py [--per-second 15000] [--latency 0.001] [--spread 0.3]

The model: one island per member and step. The leader hands out one piece after the
other and takes one result after the other; each direction costs it half of
1 / PER_SECOND, where PER_SECOND is the rate of empty pieces. A letter takes LATENCY
seconds. The defaults are assumptions; `bench/crew_bench` measures the rate here. Durations are log-normal with the coefficient of variation SPREAD. A
step ends when the leader has all results, so members wait for the slowest one and for
the leader. Nobody is lost. The leader computes nothing.
"""
import argparse
import heapq
import math
import random

MEMBERS = (1, 8, 64, 250, 500, 1000)
SECONDS = (0.01, 0.1, 1, 10, 60)
STEPS = 20


def step_time(durations, cost, latency):
    """From the first letter until the leader has the last result."""
    arrivals = [(i + 1) * cost + latency + each + latency
                for i, each in enumerate(durations)]
    heapq.heapify(arrivals)
    free = len(durations) * cost  # All pieces are handed out first.
    while arrivals:
        free = max(free, heapq.heappop(arrivals)) + cost
    return free


def utilisation(members, seconds, options):
    rng = random.Random(members)
    variance = math.log(1 + options.spread ** 2)
    busy = taken = 0
    for _ in range(STEPS):
        durations = [rng.lognormvariate(math.log(seconds) - variance / 2,
                                        math.sqrt(variance))
                     for _ in range(members)]
        busy += sum(durations)
        taken += step_time(durations, 0.5 / options.per_second, options.latency)
    return busy / (taken * members)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--per-second', type=float, default=15000)
    parser.add_argument('--latency', type=float, default=0.001)
    parser.add_argument('--spread', type=float, default=0.3)
    options = parser.parse_args()
    print('members' + ''.join(f'{f"{each:g} s":>9}' for each in SECONDS))
    for members in MEMBERS:
        print(f'{members:7}' + ''.join(
            f'{utilisation(members, each, options):9.2f}' for each in SECONDS))


if __name__ == '__main__':
    main()
