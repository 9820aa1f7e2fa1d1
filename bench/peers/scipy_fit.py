"""Fits ten constants of an oscillator's law with scipy's BFGS, which computes the
gradient by finite differences, and evaluates a formula with numpy. Prints
"NAME NANOSECONDS" for each; with --error, "NAME NMSE" of each fit. The data are
those of lamarck/formula/fit_bench.cc.
"""
import sys
import time

import numpy as np
from scipy.optimize import minimize

ROWS = 10_000
TRUTH = [0.8, 1.3, -0.5, -0.2, -0.5, 0.9, 2.1, 0.4, -0.7, 0.1]
# Our fit from the same start, and from starts of its own.
FITS = ['BM_FitOscillator', 'BM_FitFromData']
INDEX = np.arange(ROWS)
X = 2 * np.sin(0.37 * INDEX)
V = 1.5 * np.cos(0.91 * INDEX)


def equation(x, v, p):
    return (p[0] * np.sin(p[1] * x) + p[2] * v**3 + p[3] * x**3 + p[4] * x * v
            + p[5] * x * np.cos(p[6] * x) + p[7] * v * np.exp(p[8] * x) + p[9])


def wave(x, y, p):
    return (p[0] * np.sin(p[1] * x + y) + p[2] * np.cos(x * y) * (x - p[3])
            + ((x * x + p[4]) * (y + x) - y))


def best_of(repeats, call):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
    return min(times) * 1e9, result


def main():
    target = equation(X, V, TRUTH)
    fit_ns, found = best_of(2, lambda: minimize(
        lambda p: np.mean((equation(X, V, p) - target)**2), np.ones(10),
        method='BFGS'))
    if '--error' in sys.argv:
        for name in FITS:
            print(name, found.fun / np.var(target))
        return
    constants = [1.1, 0.7, -0.4, 0.3, 1.6]
    values_ns, _ = best_of(20, lambda: wave(X, V, constants))
    for name in FITS:
        print(name, fit_ns)
    print('BM_FormulaValues', values_ns)


if __name__ == '__main__':
    main()
