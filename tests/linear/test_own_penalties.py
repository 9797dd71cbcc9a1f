"""Penalties of the user's own in the estimators: what is solved, and what evidence there is."""

import numpy as np
import pytest

from penalties.nonconvex import MCP
from tamis import SparseRegressor, SparseRegressorCV, sparse_path
from tamis.penalties import L1
from tolerances import ROUNDING


def planted(seed, n=120, p=30):
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((n, p)), np.zeros(p)
    w[:5] = [3.0, -2.0, 1.5, 1.0, -1.0]
    return X, X @ w + 0.3 * rng.standard_normal(n) + 2.0


def orthonormal(seed, n=64, p=8):
    """Columns of mean zero with XᵀX/n = 1, for which every coefficient is a problem of its own."""
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(np.column_stack([np.ones(n), rng.standard_normal((n, p))]))
    X = np.sqrt(n) * Q[:, 1:]
    return X, X @ rng.normal(0, 2, p) + rng.standard_normal(n)


@pytest.mark.parametrize("seed", range(3))
def test_mcp_on_orthonormal_columns_is_firm_thresholding(seed):
    X, y = orthonormal(seed)
    c, alpha, gamma = X.T @ (y - y.mean()) / len(y), 0.8, 2.5
    firm = np.where(np.abs(c) > gamma * alpha, c, np.sign(c) * np.maximum(np.abs(c) - alpha, 0) / (1 - 1 / gamma))
    model = SparseRegressor(penalty=MCP(gamma), alpha=alpha, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_, firm, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_a_path_of_mcp_begins_at_its_alpha_max_and_converges(seed):
    """α is the knot too: beyond γα coefficients are not shrunk, which no multiple of one penalty can do."""
    X, y = planted(seed)
    path = sparse_path(X, y, penalty=MCP(), alphas=20)
    Xc = X - X.mean(axis=0)
    assert path.alphas[0] == pytest.approx(np.abs(Xc.T @ (y - y.mean())).max() / len(y), rel=ROUNDING)
    assert not path.coefs[0].any()
    assert path.coefs[1].any()
    assert all(status == "converged" for status in path.statuses)
    assert np.isnan(path.gaps).all()
    chosen = np.flatnonzero(np.count_nonzero(path.coefs, axis=1) == 5)[-1]
    S = np.flatnonzero(path.coefs[chosen])
    assert S.tolist() == [0, 1, 2, 3, 4]
    ols = np.linalg.lstsq(np.column_stack([np.ones(len(y)), X[:, S]]), y, rcond=None)[0]
    np.testing.assert_allclose(path.coefs[chosen, S], ols[1:], atol=1e-5)


def test_a_fit_with_mcp_has_diagnostics_and_no_certificate():
    X, y = planted(4)
    alpha, gamma = 0.2, 3.0
    model = SparseRegressor(penalty=MCP(gamma), alpha=alpha).fit(X, y)
    assert model.certificate_ is None
    assert np.isnan(model.dual_gap_)
    g = X.T @ (X @ model.coef_ + model.intercept_ - y) / len(y)
    w = model.coef_
    slope = np.sign(w) * np.maximum(alpha - np.abs(w) / gamma, 0)
    residual = np.where(w == 0, np.maximum(np.abs(g) - alpha, 0), np.abs(g + slope)).max()
    assert residual <= 1e-5
    assert model.diagnostics_["kkt"] == pytest.approx(residual, abs=1e-12)


def test_mcp_keeps_fewer_columns_than_the_lasso_at_its_best():
    X, y = planted(5)
    mcp, lasso = (SparseRegressorCV(penalty=p, alphas=20, cv=4).fit(X, y) for p in (MCP(), L1()))
    assert np.flatnonzero(mcp.coef_).tolist() == [0, 1, 2, 3, 4]
    assert np.count_nonzero(lasso.coef_) > 5
    assert np.isnan(mcp.dual_gap_)


def test_at_alpha_max_a_penalty_without_a_gap_stops_at_once():
    """All that is left of the distance there is rounding, of which no tolerance can be a share."""
    for seed in range(10):
        X, y = planted(seed, n=50)
        problem_path = sparse_path(X, y, penalty=MCP(), alphas=2, max_iter=1)
        assert problem_path.statuses[0] == "converged"
