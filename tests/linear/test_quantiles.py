"""Quantile regression: scikit-learn's linear program has the same objective, and a certificate proves it."""

import numpy as np
import pytest
from sklearn.linear_model import QuantileRegressor

from tamis import InputError, SparseRegressor, SparseRegressorCV, sparse_path
from tamis._core.errors import ConvergenceWarning
from tamis.datafits import Quantile


def rows(seed, n=150, p=12):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, X[:, 0] - X[:, 1] + rng.standard_t(3, n) + 2.0


def pinball(X, y, tau, alpha, w, b):
    r = y - X @ w - b
    return np.maximum(tau * r, (tau - 1) * r).mean() + alpha * np.abs(w).sum()


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("seed", range(2))
def test_the_objective_is_that_of_the_linear_program(tau, seed):
    X, y = rows(seed)
    ours = SparseRegressor(Quantile(tau), alpha=0.05, tol=1e-8).fit(X, y)
    theirs = QuantileRegressor(quantile=tau, alpha=0.05).fit(X, y)
    values = [pinball(X, y, tau, 0.05, m.coef_, m.intercept_) for m in (ours, theirs)]
    null = pinball(X, y, tau, 0.05, np.zeros(12), np.quantile(y, tau))
    assert abs(values[0] - values[1]) <= 1e-6 * null
    assert ours.certificate_.primal == pytest.approx(values[0], abs=1e-5 * null)
    again = ours.certificate_.verify(X, y)
    assert again.primal == pytest.approx(ours.certificate_.primal, rel=1e-9)
    assert again.gap <= 2e-8 * null
    share = np.mean(y <= ours.predict(X))
    assert abs(share - tau) <= 13 / 150  # as many rows as coefficients may lie on the border


def test_paths_weights_and_cross_validation():
    X, y = rows(3)
    path = sparse_path(X, y, "quantile", alphas=6, eps=0.1)
    assert all(status == "converged" for status in path.statuses)
    assert path.coefs[1].any()
    s = np.r_[np.full(50, 2.0), np.ones(100)]
    weighted = SparseRegressor("quantile", alpha=0.05, tol=1e-9).fit(X, y, s)
    twice = SparseRegressor("quantile", alpha=0.05, tol=1e-9).fit(np.r_[X[:50], X], np.r_[y[:50], y])
    values = [pinball(np.r_[X[:50], X], np.r_[y[:50], y], 0.5, 0.05, m.coef_, m.intercept_) for m in (weighted, twice)]
    assert values[0] == pytest.approx(values[1], rel=1e-6)
    chosen = SparseRegressorCV("quantile", alphas=6, eps=0.05, cv=3).fit(X, y)
    assert set(np.flatnonzero(chosen.coef_)) >= {0, 1}


def test_an_outlier_does_not_move_the_median():
    X, y = rows(4)
    clean = SparseRegressor("quantile", alpha=0.05).fit(X, y).coef_
    y[0] = 1e12
    # the objective is that of the outlier, some 1e9, of which a dual point at a distance of 1e-3 misses millions
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        hit = SparseRegressor("quantile", alpha=0.05).fit(X, y).coef_
    assert np.abs(hit - clean).max() < 0.2


@pytest.mark.parametrize("bad", [0.0, 1.0, -1, "half"])
def test_no_other_quantiles_exist(bad):
    X, y = rows(5)
    with pytest.raises(InputError, match="quantile must be"):
        SparseRegressor(Quantile(bad)).fit(X, y)


@pytest.mark.parametrize("tau", [0.2, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_relaxed_quantiles_are_linear_programs_on_the_support(tau, weighted):
    X, y = rows(6)
    s = np.random.default_rng(0).uniform(0.2, 2, len(y)) if weighted else None
    model = SparseRegressor(Quantile(tau), alpha=0.1, relax=True).fit(X, y, s)
    S = np.flatnonzero(model.coef_)
    theirs = QuantileRegressor(quantile=tau, alpha=0).fit(X[:, S], y, s)
    pinballs = [
        np.where(y > z, tau * (y - z), (tau - 1) * (y - z)) for z in (model.predict(X), theirs.predict(X[:, S]))
    ]
    assert 0 < len(S) < 12
    assert np.average(pinballs[0], weights=s) <= np.average(pinballs[1], weights=s) * (1 + 1e-5)


def test_several_targets_are_fitted_one_by_one_each_with_its_smoothing():
    X, y = rows(7)
    Y = np.column_stack([y, 1e-4 * y[::-1]])
    both = SparseRegressor("quantile", alpha=0.05).fit(X, Y)
    for k, target in enumerate(Y.T):
        alone = SparseRegressor("quantile", alpha=0.05).fit(X, target)
        np.testing.assert_allclose(both.coef_[k], alone.coef_, rtol=1e-9)
    chosen = SparseRegressorCV("quantile", alphas=4, eps=0.1, cv=3).fit(X, np.column_stack([y, -y]))
    np.testing.assert_allclose(chosen.coef_[0], -chosen.coef_[1], atol=1e-3)
    with pytest.raises(InputError, match="fits several targets one by one, Group fits them together"):
        SparseRegressor("quantile", "group", alpha=0.1).fit(X, Y)


def test_rows_of_weight_zero_do_not_count():
    X, y = rows(8)
    far = np.r_[y, np.full(400, 1e6)]
    weighted = SparseRegressor("quantile", alpha=0.05).fit(
        np.r_[X, np.ones((400, 12))], far, np.r_[np.ones(150), np.zeros(400)]
    )
    np.testing.assert_allclose(weighted.coef_, SparseRegressor("quantile", alpha=0.05).fit(X, y).coef_, atol=1e-9)
