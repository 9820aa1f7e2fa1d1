"""scikit-learn's own checks of estimators."""

import lamarck
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import check_estimator

# Small budgets: what is checked is the interface, and that simple tables are
# learned.
ESTIMATORS = [
    lamarck.NetworkClassifier(budget="2gen", n_jobs=1),
    lamarck.NetworkRegressor(budget="2gen", n_jobs=1),
    lamarck.NetworkForecaster(budget="2gen", n_jobs=1),
    lamarck.LawRegressor(budget="300eval", islands=1, max_size=12, n_jobs=1),
    lamarck.LawClassifier(budget="300eval", islands=1, max_size=12, n_jobs=1),
]


def checks():
    for estimator in ESTIMATORS:
        for instance, check in check_estimator(estimator, generate_only=True):
            name = f"{type(estimator).__name__}-{check.func.__name__}"
            if "kind" in check.keywords:
                name += "-" + check.keywords["kind"]
            yield pytest.param(instance, check, id=name)


def test_all_estimators_are_checked():
    known = {getattr(lamarck, name) for name in lamarck.__all__}
    wanted = {each for each in known if isinstance(each, type)
              and issubclass(each, BaseEstimator)}
    assert {type(each) for each in ESTIMATORS} == wanted


@pytest.mark.parametrize("estimator, check", checks())
def test_check_estimator(estimator, check):
    check(estimator)
