"""Forward search by logistic regression against fits of every candidate by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from tamis.selection.comparison.logistic_forward import RIDGE, logistic_forward


def drawn(seed, n=200, p=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ np.linalg.qr(rng.normal(size=(p, p)))[0] + 3.0
    z = 2 * X[:, 2] - 1.5 * X[:, 5] + 0.5 * X[:, 0]
    return X, (z - z.mean() + rng.logistic(size=n) > 0).astype(float)


def log_likelihood(X, y, columns, weight=None):
    s = np.ones(len(y)) if weight is None else weight
    Z = X[:, columns]
    Z = (Z - np.average(Z, axis=0, weights=s)) / np.sqrt(
        np.average((Z - np.average(Z, axis=0, weights=s)) ** 2, axis=0, weights=s)
    )
    model = LogisticRegression(C=1 / RIDGE, tol=1e-10, max_iter=1000).fit(Z, y, sample_weight=s)
    z = model.decision_function(Z)
    return -s @ (np.logaddexp(0, z) - y * z) - 0.5 * RIDGE * (model.coef_**2).sum()


@pytest.mark.parametrize("seed", range(3))
def test_first_columns_are_those_whose_fits_gain_most(seed):
    X, y = drawn(seed)
    chosen, _ = logistic_forward(X, y, None, 2)
    first = [log_likelihood(X, y, [j]) for j in range(8)]
    assert chosen[0] == int(np.argmax(first))
    second = [-np.inf if j == chosen[0] else log_likelihood(X, y, [chosen[0], j]) for j in range(8)]
    assert chosen[1] == int(np.argmax(second))


def test_gain_is_that_of_a_small_step():
    """Of a column that adds little, Rao's statistic is twice the gain of the log-likelihood."""
    X, y = drawn(4, n=4000)
    rng = np.random.default_rng(0)
    X = np.column_stack([X[:, [2, 5, 0]], rng.normal(size=4000)])
    chosen, gains = logistic_forward(X, y, None, 3)
    assert sorted(chosen) == [0, 1, 2]
    gain = log_likelihood(X, y, [0, 1, 2, 3]) - log_likelihood(X, y, [0, 1, 2])
    assert gains[3] / 2 == pytest.approx(gain, rel=0.05)


def test_sparse_and_dense_columns_come_in_one_order():
    X, y = drawn(1)
    X = np.where(np.abs(X - 3) < 0.7, 0.0, X)
    assert logistic_forward(X, y, None, 8)[0] == logistic_forward(sp.csr_array(X), y, None, 8)[0]


def test_a_weight_is_a_number_of_rows():
    X, y = drawn(2)
    weight = np.random.default_rng(2).integers(1, 4, size=len(y)).astype(float)
    times = weight.astype(int)
    repeated = logistic_forward(np.repeat(X, times, axis=0), np.repeat(y, times), None, 8)
    weighted = logistic_forward(X, y, weight, 8)
    assert weighted[0] == repeated[0]


def test_separated_classes_copies_and_constants():
    X, _ = drawn(3)
    y = (X[:, 4] > 3).astype(float)
    X = np.column_stack([np.full(len(y), 7.0), X, X[:, 4]])
    chosen, gains = logistic_forward(X, y, None, 10)
    assert chosen[0] == 5  # the first of two copies
    assert sorted(chosen) == list(range(1, 10))  # never the constant
    assert (gains == -np.inf).all()
