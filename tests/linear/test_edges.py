"""What must not surprise: separable classes, no counts, negative counts, an outlier of 10¹², sizes at the edge, and
descents that only go down, under every penalty that has its own solver.
"""

import warnings

import numpy as np
import pytest

from solvers.test_concave_descent import rows
from tamis import InputError, SparseClassifier, SparseRegressor
from tamis._core.errors import ConvergenceWarning
from tamis._kernels import kernels
from tamis.datafits import Logistic, Poisson
from tamis.penalties import L0, MCP, SCAD, Lq
from tamis.solvers import ConcaveDescent, OperatorProblem, ThresholdDescent

EVERY = ["l1", "mcp", "scad", "l0", "lq", "slope", "fused", "box"]


@pytest.mark.parametrize("penalty", EVERY)
def test_separable_classes_end_with_finite_coefficients(penalty):
    """L0 does not shrink, so that where its columns separate the classes nothing is best: the fit warns or has ended
    at a stationary point.
    """
    X, _ = rows(0, n=60, p=8)
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 0.5, -0.5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = SparseClassifier(penalty=penalty, alpha=0.02).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) == 1.0
    assert all(issubclass(w.category, ConvergenceWarning) for w in caught)
    assert caught or model.diagnostics_["kkt"] <= 1e-5


@pytest.mark.parametrize("penalty", EVERY)
def test_counts_without_an_event_or_below_zero_are_refused(penalty):
    X, _ = rows(1, n=20, p=4)
    with pytest.raises(InputError, match="every count in y is 0"):
        SparseRegressor("poisson", penalty, alpha=0.1).fit(X, np.zeros(20))
    with pytest.raises(InputError, match="counts ≥ 0, got -2"):
        SparseRegressor("poisson", penalty, alpha=0.1).fit(X, np.r_[-2.0, np.ones(19)])


@pytest.mark.parametrize("penalty", EVERY)
def test_rows_without_events_are_no_trouble(penalty):
    X, y = rows(2, n=80, p=8)
    y = np.where(np.arange(80) % 3, 0.0, np.random.default_rng(0).poisson(np.exp(0.2 * y)))
    model = SparseRegressor("poisson", penalty, alpha=0.1).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert (model.predict(X) > 0).all()


@pytest.mark.parametrize("penalty", EVERY)
def test_an_outlier_of_1e12_leaves_finite_coefficients_and_huber_unmoved(penalty):
    X, y = rows(3, n=120, p=8)
    clean = SparseRegressor("huber", penalty, alpha=0.05).fit(X, y)
    y[5] = 1e12
    squares = SparseRegressor("squared", penalty, alpha=0.05).fit(X, y)
    assert np.isfinite(squares.coef_).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the objective holds 10¹⁰, its digits end at 10⁻⁶
        robust = SparseRegressor("huber", penalty, alpha=0.05, tol=1e-14).fit(X, y)  # of a null model that costs 10¹⁰
    assert np.abs(robust.coef_ - clean.coef_).max() < 0.2


def test_no_column_and_more_columns_than_there_are():
    X, y = rows(4, n=60, p=6)
    none = SparseRegressor(penalty=L0(n_nonzero=0), alpha=0.0).fit(X, y)
    assert not none.coef_.any()
    assert none.intercept_ == pytest.approx(y.mean())
    ols = np.linalg.lstsq(np.column_stack([np.ones(60), X]), y, rcond=None)[0]
    for K in (6, 99):
        everything = SparseRegressor(penalty=L0(n_nonzero=K), alpha=0.0, tol=1e-9).fit(X, y)
        np.testing.assert_allclose(everything.coef_, ols[1:], atol=1e-5)


@pytest.mark.parametrize("penalty", [MCP(), SCAD(), L0(), Lq(), Lq(0.9)], ids=repr)
def test_the_kernel_goes_down_only(penalty):
    """Rounds one by one on columns that are nearly copies of each other."""
    X, y = rows(5, n=50, p=20, rho=0.98)
    X, y = X - X.mean(axis=0), y - y.mean()
    H, q = X.T @ X / len(y), X.T @ y / len(y)
    entry = penalty.entry_weights(H.diagonal())
    top = penalty.entry_alpha(q, H.diagonal()) if hasattr(penalty, "entry_alpha") else np.abs(q).max()
    alpha = 0.05 * top
    level = np.array([alpha ** getattr(penalty, "root", 1.0)])
    w, coefs, n_iter, converged = np.zeros(20), np.empty((1, 20)), np.empty(1, np.int64), np.empty(1, bool)
    values = [0.0]
    for _ in range(40):
        kernels.concave_path(H, q, entry, level, penalty.kernel, penalty.knot(), 1e-12, 1, w, coefs, n_iter, converged)
        values.append(0.5 * w @ H @ w - q @ w + penalty.value(w, alpha))
    assert (np.diff(values) <= 1e-12 * (1 + abs(values[-1]))).all()
    assert values[-1] < 0


@pytest.mark.parametrize("penalty", [L0(), Lq()], ids=repr)
@pytest.mark.parametrize("datafit", [Logistic(), Poisson()], ids=repr)
def test_no_step_of_other_losses_goes_up(penalty, datafit, monkeypatch):
    problem, values, step = noisy(datafit, penalty), [], ThresholdDescent._step

    def recording(self, problem, w, b, value, steepness):
        assert value == pytest.approx(problem.value(w, b), rel=1e-12)
        found = step(self, problem, w, b, value, steepness)
        values.append((value, problem.value(found[0], found[1])))
        return found

    monkeypatch.setattr(ThresholdDescent, "_step", recording)
    ThresholdDescent().path(problem, problem.alpha_max() * np.array([0.5, 0.1, 0.02]))
    assert len(values) > 5
    assert all(after <= before * (1 + 1e-12) for before, after in values)


@pytest.mark.parametrize("penalty", [MCP(), SCAD()], ids=repr)
def test_no_tangent_goes_up(penalty):
    problem = noisy(Logistic(), penalty)
    problem = problem.at(0.05 * problem.alpha_max())
    w, values = np.zeros(12), []
    for _ in range(8):
        found = ConcaveDescent(tol=1e-9, max_iter=1).path(problem, np.array([problem.alpha]), w)
        w = found.coefs[0]
        values.append(problem.value(w, found.intercepts[0]))
    assert values[-1] < problem.null()[2]
    assert (np.diff(values) <= 1e-7).all()  # lassos end within a gap of 10⁻⁹ of the loss, one after one round


def noisy(datafit, penalty):
    X, y = rows(6, n=80, p=12, rho=0.9)
    rng = np.random.default_rng(0)
    t = np.where(y + 4 * rng.logistic(size=80) > 2, 1.0, -1.0)
    y = t if isinstance(datafit, Logistic) else rng.poisson(np.exp(0.2 * y)).astype(float)
    return OperatorProblem(X, y, datafit, penalty)
