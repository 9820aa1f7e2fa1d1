"""The first examples that PySR's manual shows, with LawRegressor."""

import numpy as np
import pytest
import sympy

import lamarck

RNG = np.random.default_rng(0)
NORMAL = 2 * RNG.normal(size=(100, 5))
MANY = RNG.normal(size=(300, 30))


def exactly(X, y, formula):
    law = lamarck.LawRegressor(random_state=0).fit(X, y)
    assert law.law_.is_exact(), law.law_
    names = sympy.symbols([f"x{i}" for i in range(X.shape[1])])
    found, wanted = (sympy.lambdify(names, expression)(*X.T)
                     for expression in (law.sympy(), sympy.sympify(formula)))
    assert np.allclose(found, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("constant, offset", [(2.5382, 0.5), (2.0, 2.0)])
def test_a_sum(constant, offset):
    exactly(NORMAL, constant * np.cos(NORMAL[:, 3]) + NORMAL[:, 0]**2 - offset,
            f"{constant}*cos(x3) + x0**2 - {offset}")


@pytest.mark.parametrize("column", [0, 1, 2])
def test_inverse_of_each_output(column):
    exactly(NORMAL, 1 / NORMAL[:, column], f"1/x{column}")


def test_selection_of_features():
    exactly(MANY, MANY[:, 3]**2 - MANY[:, 19]**2 + 1.5,
            "x3**2 - x19**2 + 3/2")


def test_noise():
    X = 10 * RNG.random((1000, 5))
    noise = 0.1 * RNG.uniform(0.1, 5, 1000) * RNG.normal(size=1000)
    law = lamarck.LawRegressor(random_state=0).fit(
        X, 5 * np.cos(3.5 * X[:, 0]) - 1.3 + noise)
    values = law.predict(X)
    assert np.abs(values - (5 * np.cos(3.5 * X[:, 0]) - 1.3)).max() < 0.1
    assert law.law_.used_inputs() == [0]
