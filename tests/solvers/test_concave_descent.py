"""MCP and SCAD: the kernel against its twin, working sets against all columns, losses by tangents."""

import numpy as np
import pytest
import scipy.sparse as sp

from reference.concave import coordinate_minima
from tamis import InputError, SparseClassifier, SparseRegressor, SparseRegressorCV, sparse_path
from tamis._kernels import kernels
from tamis.penalties import L1, MCP, SCAD

PENALTIES = [MCP(), MCP(1.4), SCAD(), SCAD(2.2)]


def rows(seed, n=100, p=30, rho=0.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    w = np.zeros(p)
    S = np.arange(0, min(p, 30), 6)
    w[S] = np.array([3.0, -2.0, 1.5, 1.0, -1.0])[: len(S)]
    return X, X @ w + 0.5 * rng.standard_normal(n) + 2.0


def value(X, y, penalty, alpha, w, b):
    r = y - X @ w - b
    return r @ r / (2 * len(y)) + penalty.value(w, alpha)


def distance(X, y, penalty, alpha, w, b):
    return penalty.subdifferential_distance(w, X.T @ (X @ w + b - y) / len(y), alpha).max()


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_the_kernel_ends_where_its_twin_does(penalty, seed):
    """On one active set the stationary point is unique; from 0 both take the same coordinates in the same order."""
    X, y = rows(seed, p=12)
    X, y = X - X.mean(axis=0), y - y.mean()
    H, q, l1 = X.T @ X / len(y), X.T @ y / len(y), np.ones(12)
    alphas = np.abs(q).max() * np.array([0.5, 0.2, 0.05])
    w, coefs, n_iter, converged = np.zeros(12), np.empty((3, 12)), np.empty(3, np.int64), np.empty(3, bool)
    kernels.concave_path(H, q, l1, alphas, penalty.kernel, penalty.gamma, 1e-11, 1000, w, coefs, n_iter, converged)
    assert converged.all()
    for alpha, found in zip(alphas, coefs, strict=True):
        missed = penalty.subdifferential_distance(found, H @ found - q, alpha)
        assert missed.max() <= 1e-10
        again = coordinate_minima(H, q, penalty, alpha, found)
        cost = [0.5 * v @ H @ v - q @ v + penalty.value(v, alpha) for v in (found, again)]
        assert cost[0] <= cost[1] + 1e-9  # no coordinate by itself improves it
    first = coordinate_minima(H, q, penalty, alphas[0], np.zeros(12))
    assert 0.5 * coefs[0] @ H @ coefs[0] - q @ coefs[0] + penalty.value(coefs[0], alphas[0]) <= (
        0.5 * first @ H @ first - q @ first + penalty.value(first, alphas[0]) + 1e-9
    )


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"standardize": True}], ids=str)
@pytest.mark.parametrize("penalty", ["mcp", "scad"])
@pytest.mark.parametrize("n, p", [(100, 30), (40, 120)])
def test_a_path_is_stationary_everywhere(penalty, n, p, options):
    X, y = rows(1, n, p)
    path = sparse_path(X, y, penalty=penalty, alphas=15, eps=0.05, **options)
    assert all(status == "converged" for status in path.statuses)
    assert np.isnan(path.gaps).all()
    assert path.strategy.startswith("working_set")
    assert not path.coefs[0].any()
    assert path.coefs[1].any()
    rule = {"mcp": MCP(), "scad": SCAD()}[penalty]
    scale = X.std(axis=0) if options.get("standardize") else np.ones(p)
    for alpha, w, b in zip(path.alphas, path.coefs, path.intercepts, strict=True):
        assert distance(X / scale, y, rule, alpha, w * scale, b) <= 1e-6 * path.alphas[0]


def test_large_coefficients_are_not_shrunk():
    """Where all chosen ones lie beyond γα the fit is least squares on them; the lasso's is not."""
    X, y = rows(2)
    model = SparseRegressor(penalty="mcp", alpha=0.25, tol=1e-10).fit(X, y)
    S = np.flatnonzero(model.coef_)
    assert S.tolist() == [0, 6, 12, 18, 24]
    ols = np.linalg.lstsq(np.column_stack([np.ones(len(y)), X[:, S]]), y, rcond=None)[0]
    np.testing.assert_allclose(model.coef_[S], ols[1:], atol=1e-8)
    lasso = SparseRegressor(alpha=0.25).fit(X, y)
    assert np.abs(lasso.coef_[S] - ols[1:]).max() > 0.1
    assert model.certificate_ is None
    assert np.isnan(model.dual_gap_)
    assert model.diagnostics_["kkt"] <= 1e-8


@pytest.mark.parametrize("datafit", ["poisson", "huber", "gamma"])
def test_other_losses_go_by_tangents(datafit):
    X, _ = rows(3)
    rng = np.random.default_rng(3)
    mean = np.exp(0.5 * X[:, 0] - 0.5 * X[:, 6])
    y = {"poisson": rng.poisson(mean), "gamma": mean * rng.gamma(3.0, size=len(X)), "huber": np.log(mean)}[datafit]
    model = SparseRegressor(datafit, "scad", alpha=0.1).fit(X, y.astype(float))
    assert set(np.flatnonzero(model.coef_)) >= {0, 6}
    assert model.diagnostics_["kkt"] <= 1e-6
    assert model.certificate_ is None
    start = SparseRegressor(datafit, "l1", alpha=0.1).fit(X, y.astype(float))
    from tamis.datafits import as_datafit

    fit = as_datafit(datafit)
    costs = [fit.value(y, X @ m.coef_ + m.intercept_) + SCAD().value(m.coef_, 0.1) for m in (model, start)]
    assert costs[0] <= costs[1] + 1e-9  # tangents never raise the objective


def test_classes_too():
    X, y = rows(4)
    model = SparseClassifier(penalty=MCP(4.0), alpha=0.05).fit(X, y > y.mean())
    assert model.diagnostics_["kkt"] <= 1e-6
    assert model.score(X, y > y.mean()) > 0.85


def test_storage_weights_and_names():
    X, y = rows(5)
    X[np.abs(X) < 0.5] = 0
    s = np.random.default_rng(5).uniform(0.5, 2.0, len(y))
    dense = SparseRegressor(penalty="mcp", alpha=0.1, tol=1e-9).fit(X, y, s)
    sparse = SparseRegressor(penalty="mcp", alpha=0.1, tol=1e-9).fit(sp.csc_array(X), y, s)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-7)
    single = SparseRegressor(penalty="mcp", alpha=0.1, tol=1e-5).fit(X.astype(np.float32), y, s)
    np.testing.assert_allclose(single.coef_, dense.coef_, atol=1e-3)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(30)])
    free = SparseRegressor(penalty=MCP(weights={"x5": 0}), alpha=10.0).fit(frame, y)
    assert np.flatnonzero(free.coef_).tolist() == [5]


def test_cross_validation_keeps_what_was_planted():
    X, y = rows(6, n=200)
    model = SparseRegressorCV(penalty="mcp", alphas=30, eps=0.02, cv=4, rule="1se").fit(X, y)
    assert np.flatnonzero(model.coef_).tolist() == [0, 6, 12, 18, 24]
    by_bic = SparseRegressorCV(penalty=SCAD(), alphas=30, eps=0.02, rule="bic").fit(X, y)
    assert set(np.flatnonzero(by_bic.coef_)) >= {0, 6, 12, 18, 24}


def test_a_wide_gamma_is_the_lasso():
    X, y = rows(7)
    wide, lasso = (SparseRegressor(penalty=p, alpha=0.2, tol=1e-10).fit(X, y) for p in (MCP(1e8), L1()))
    np.testing.assert_allclose(wide.coef_, lasso.coef_, atol=1e-6)


@pytest.mark.parametrize(
    "penalty, words", [(MCP(1.0), "gamma must be"), (SCAD(2.0), "gamma must be"), (MCP(weights=[1.0]), "one number")]
)
def test_bad_parameters_are_said(penalty, words):
    X, y = rows(8)
    with pytest.raises(InputError, match=words):
        SparseRegressor(penalty=penalty).fit(X, y)
