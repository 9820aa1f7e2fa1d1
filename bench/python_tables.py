#!/usr/bin/python3
"""Compares NetworkClassifier in a Pipeline with scikit-learn's MLPClassifier.

    PYTHONPATH=build/release/python bench/python_tables.py [TABLE ...]

Prints the mean accuracy of five folds, three times with other folds, on
scikit-learn's own tables, and the seconds of one fit; both with their defaults
(but 1000 iterations for MLPClassifier, so that it converges).
"""

import sys
import time
import warnings

import numpy as np
from sklearn import datasets
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lamarck

TABLES = {"iris": datasets.load_iris, "wine": datasets.load_wine,
          "breast_cancer": datasets.load_breast_cancer,
          "digits": datasets.load_digits}


def measure(estimator, X, y):
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
    found = cross_validate(make_pipeline(StandardScaler(), estimator), X, y,
                           cv=folds)
    return np.mean(found["test_score"]), np.mean(found["fit_time"])


def main():
    warnings.simplefilter("ignore")
    ours, theirs = [], []
    for name in sys.argv[1:] or TABLES:
        X, y = TABLES[name](return_X_y=True)
        net = lamarck.NetworkClassifier(random_state=0, n_jobs=1)
        mlp = MLPClassifier(random_state=0, max_iter=1000)
        begin = time.monotonic()
        ours.append(measure(net, X, y))
        theirs.append(measure(mlp, X, y))
        print(f"{name:14} NetworkClassifier {ours[-1][0]:.4f} in "
              f"{ours[-1][1]:6.2f} s   MLPClassifier {theirs[-1][0]:.4f} in "
              f"{theirs[-1][1]:6.2f} s   ({time.monotonic() - begin:.0f} s)",
              flush=True)
    print(f"{'mean':14} NetworkClassifier {np.mean([o[0] for o in ours]):.4f}"
          f"   MLPClassifier {np.mean([t[0] for t in theirs]):.4f}")


if __name__ == "__main__":
    main()
