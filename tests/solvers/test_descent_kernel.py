"""The kernel under GramDescent, for every penalty it knows: against plain descent and the optimality conditions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.lasso import lasso, newton_model
from tamis._kernels import kernels
from tolerances import AGREE


def solve(G, q, yy, alphas, l1=1.0, l2=0.0, positive=False, seed=-1, max_iter=1000, start=None):
    p, m = len(q), len(alphas)
    w = np.zeros(p) if start is None else start.copy()
    coefs, gaps, n_iter, converged = np.empty((m, p)), np.empty(m), np.empty(m, np.int64), np.empty(m, bool)
    kernels.lasso_path(
        G, q, yy, np.asarray(alphas, float), np.broadcast_to(l1, p) * 1.0, np.broadcast_to(l2, p) * 1.0, positive, seed,
        w, np.zeros(p, np.int64), np.zeros(1, np.int64), np.empty((p, p)), 1e-9, max_iter, coefs, gaps, n_iter,
        converged, None,
    )  # fmt: skip
    return coefs, gaps, converged


def statistics(seed, n=60, p=12, rho=0.6):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    y = X[:, :3] @ [2.0, -1.0, 0.5] + rng.standard_normal(n)
    return X, y, X.T @ X / n, X.T @ y / n, float(y @ y / n)


def violation(G, q, w, alpha, l1, l2, positive):
    """Distance of the gradient to the subdifferential, by its definition."""
    g = q - G @ w - alpha * l2 * w
    at_zero = np.maximum((g if positive else np.abs(g)) - alpha * l1, 0.0)
    return np.where(w == 0, at_zero, np.abs(g - alpha * l1 * np.sign(w))).max()


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 99),
    ratio=st.sampled_from([0.8, 0.2, 0.01, 0.0]),
    kind=st.sampled_from(["plain", "weights", "ridge", "unpenalised"]),
    positive=st.booleans(),
    order=st.sampled_from([-1, 3]),
)
def test_every_penalty_agrees_with_plain_coordinate_descent(seed, ratio, kind, positive, order):
    _, _, G, q, yy = statistics(seed)
    rng = np.random.default_rng(seed)
    l1 = rng.uniform(0.3, 2, len(q)) if kind == "weights" else np.ones(len(q))
    l1[: 4 * (kind == "unpenalised")] = 0.0
    l2 = np.full(len(q), 0.7 * (kind == "ridge"))
    alpha = ratio * np.abs(q).max()
    coefs, gaps, converged = solve(G, q, yy, [2 * alpha, alpha], l1, l2, positive, order)
    np.testing.assert_allclose(coefs[-1], lasso(G, q, alpha, l1, l2, positive), rtol=0, atol=AGREE)
    assert converged.all()
    if kind != "unpenalised" and ratio:
        assert gaps.max() <= 1e-12 * yy


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("ratio", [0.3, 0.01, 1e-4])
@pytest.mark.parametrize("seed", range(5))
def test_dependent_columns_are_exchanged_exactly(seed, ratio, positive):
    # p > n and copies: the support's matrix would be singular without exchanges.
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, 30))
    X[:, 20:] = X[:, :10] + X[:, 10:20] * (np.arange(10) % 2)
    y = rng.standard_normal(12)
    G, q, yy = X.T @ X / 12, X.T @ y / 12, float(y @ y / 12)
    alphas = np.abs(q).max() * np.geomspace(1, ratio, 20)
    coefs, _, converged = solve(G, q, yy, alphas, positive=positive)
    assert converged.all()
    worst = max(violation(G, q, w, a, 1.0, 0.0, positive) for w, a in zip(coefs, alphas, strict=True))
    assert worst <= 1e-11 * np.abs(q).max()


def test_large_supports_keep_their_digits():
    _, _, G, q, yy = statistics(0, n=900, p=600, rho=0.3)
    alphas = np.abs(q).max() * np.geomspace(1, 1e-3, 40)
    coefs, _, converged = solve(G, q, yy, alphas)
    assert converged.all()
    assert (coefs[-1] != 0).sum() > 500
    worst = max(violation(G, q, w, a, 1.0, 0.0, False) for w, a in zip(coefs, alphas, strict=True))
    assert worst <= 1e-12 * np.abs(q).max()


def test_few_rounds_are_told():
    _, _, G, q, yy = statistics(1, rho=0.95)
    _, gaps, converged = solve(G, q, yy, [1e-3 * np.abs(q).max()], max_iter=1)
    assert not converged[0]
    assert gaps[0] > 0


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 99), centred=st.booleans(), positive=st.booleans(), ridge=st.sampled_from([0.0, 0.5]),
    scale=st.sampled_from([1.0, 0.02]), ratio=st.sampled_from([1.0, 0.6]),
)  # fmt: skip
def test_the_minimum_of_a_newton_model(seed, centred, positive, ridge, scale, ratio):
    rng = np.random.default_rng(seed)
    X, g, h = statistics(seed)[0], rng.standard_normal(60) / 60, rng.random(60) / 60
    k = X.shape[1]
    l1, l2 = rng.uniform(0.3, 2, k), np.full(k, ridge)
    w = np.where(rng.random(k) < 0.5, 0.0, np.abs(rng.standard_normal(k)) if positive else rng.standard_normal(k))
    alpha = scale * np.abs(X.T @ g).max()
    along = X.T @ h if centred else np.zeros(0)
    G = X.T @ (h[:, None] * X) - (np.outer(along, along) / h.sum() if centred else 0.0)
    found, facts = w.copy(), np.empty(3)
    kernels.newton_model(
        G, X.T @ g, g.sum(), along, h.sum(), ratio, alpha, l1, l2, positive, -1, found, np.zeros(k, np.int64),
        np.zeros(1, np.int64), np.empty((k, k)), 1e-12, 1000, facts,
    )  # fmt: skip
    status, *numbers = newton_model(X, g, h, w, ratio, alpha, l1, l2, positive, centred)
    np.testing.assert_allclose(found, status, rtol=0, atol=AGREE)
    np.testing.assert_allclose(facts, numbers, rtol=0, atol=AGREE)
