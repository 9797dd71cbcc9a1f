"""Penalties of the user's own in the estimators: what is solved, and what evidence there is."""

import numpy as np
import pytest

from penalties.nonconvex import MCP
from solvers.own_parts import CappedL1, LogCosh, OwnL1
from tamis import InputError, SparseClassifier, SparseRegressor, SparseRegressorCV, sparse_path
from tamis._core.errors import ConvergenceWarning
from tamis.datafits import ForClasses, Logistic
from tamis.penalties import L1, Group
from tamis.solvers.gram_block_descent import GramBlockDescent
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
    for seed in range(4):
        X, y = planted(seed, n=50)
        problem_path = sparse_path(X, y, penalty=MCP(), alphas=2, max_iter=1)
        assert problem_path.statuses[0] == "converged"


@pytest.mark.parametrize("options", [{}, {"standardize": True}, {"fit_intercept": False}], ids=str)
@pytest.mark.parametrize("penalty", [OwnL1(), CappedL1(1.2)], ids=str)
@pytest.mark.parametrize("datafit", ["squared", LogCosh()], ids=str)
def test_own_parts_with_conjugates_earn_a_certificate(datafit, penalty, options):
    X, y = planted(6)
    s = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = SparseRegressor(datafit=datafit, penalty=penalty, alpha=0.1, **options).fit(X, y, sample_weight=s)
    assert 0 <= model.dual_gap_ <= 1e-7 * y.var()
    again = model.certificate_.verify(X, y, sample_weight=s)
    assert again.primal == pytest.approx(model.certificate_.primal, rel=ROUNDING)
    assert again.gap == pytest.approx(model.dual_gap_, rel=1e-3, abs=1e-12)


def test_rounding_at_the_edge_of_a_domain_is_not_infinite():
    """w / deviation · deviation may be a rounding beyond the cap, where the penalty is infinite."""
    at_the_cap = 0
    for seed in range(6):
        X, y = planted(seed)
        model = SparseRegressor(penalty=CappedL1(0.7), alpha=0.01, standardize=True).fit(X, y)
        at_the_cap += (np.abs(model.coef_ * X.std(axis=0)) > 0.7).any()
        r, w = y - model.predict(X), np.abs(model.coef_) * X.std(axis=0)
        assert model.certificate_.primal == pytest.approx(r @ r / (2 * len(y)) + 0.01 * w.sum(), rel=ROUNDING)
        assert model.certificate_.verify(X, y).primal == pytest.approx(model.certificate_.primal, rel=ROUNDING)
    assert at_the_cap  # or rounding was never beyond it


def test_a_penalty_of_ones_own_has_the_coefficients_of_the_built_in_one():
    X, y = planted(7)
    own, ours = (SparseRegressor(penalty=p, alpha=0.2, tol=1e-10).fit(X, y) for p in (OwnL1(), L1()))
    np.testing.assert_allclose(own.coef_, ours.coef_, atol=1e-4)  # the root of the gap
    paths = [sparse_path(X, y, penalty=p, alphas=5) for p in (OwnL1(), L1())]
    np.testing.assert_allclose(paths[0].alphas, paths[1].alphas, rtol=ROUNDING)
    np.testing.assert_allclose(paths[0].coefs, paths[1].coefs, atol=1e-2)  # the root of a gap of 1e-7 of y's variance
    assert (paths[0].gaps <= 1e-7 * y.var()).all()


class Smoothed(ForClasses, LogCosh):
    """log cosh of the margin's distance to 1: a loss for classes, with an attained minimum."""


def test_a_loss_of_ones_own_for_classes_is_certified_on_labels():
    X, y = planted(8)
    labels = np.where(y > 2, "up", "down")
    s = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = SparseClassifier(datafit=Smoothed(), alpha=0.05, class_weight="balanced").fit(X, labels, sample_weight=s)
    assert model.dual_gap_ <= 1e-7
    again = model.certificate_.verify(X, labels, sample_weight=s)
    assert again.primal == pytest.approx(model.certificate_.primal, rel=ROUNDING)
    assert again.gap == pytest.approx(model.dual_gap_, rel=1e-3, abs=1e-12)


class Halved(Logistic):
    """A subclass of a built-in loss: it is minimised itself, not the class it derives from."""

    def value(self, y, Z, s=None):
        return 0.5 * super().value(y, Z, s)

    def gradient(self, y, Z, s=None):
        return 0.5 * super().gradient(y, Z, s)

    def hessian(self, y, Z, s=None):
        return 0.5 * super().hessian(y, Z, s)

    def local(self, y, Z, s=None):
        return tuple(0.5 * part for part in super().local(y, Z, s))

    def conjugate(self, y, theta, s=None):
        return 0.5 * super().conjugate(y, 2 * theta, s)

    newton_step = None


def test_a_subclass_of_a_built_in_loss_is_not_replaced_by_it():
    X, y = planted(9)
    labels = np.where(y > 2, "up", "down")
    halved = SparseClassifier(datafit=Halved(), alpha=0.02, tol=1e-10, solver="fista").fit(X, labels)
    whole = SparseClassifier(alpha=0.04, tol=1e-10).fit(X, labels)
    np.testing.assert_allclose(halved.coef_, whole.coef_, atol=1e-4)


def test_without_alpha_a_penalty_of_ones_own_asks_for_no_gap():
    """A dual point would have to be orthogonal to every column, which rounding never leaves."""
    X, y = planted(14, p=6)
    model = SparseRegressor(penalty=OwnL1(), alpha=0.0, tol=1e-9).fit(X, y)
    assert model.certificate_ is None
    ols = np.linalg.lstsq(np.column_stack([np.ones(len(y)), X]), y, rcond=None)[0]
    np.testing.assert_allclose(model.coef_, ols[1:], atol=1e-6)


def test_what_was_not_reached_without_a_certificate_is_said_without_a_gap():
    X, y = planted(10)
    X = np.cumsum(X, axis=1)  # neighbours are nearly alike, which makes steps short
    with pytest.warns(ConvergenceWarning, match="did not reach a stationary point within max_iter=1 "):
        model = SparseRegressor(penalty=MCP(), alpha=1e-3, tol=1e-14, max_iter=1).fit(X, y)
    assert model.certificate_ is None


def test_a_fit_without_a_certificate_has_its_frame_and_its_plots():
    pytest.importorskip("matplotlib").use("Agg")
    from tamis import plots

    X, y = planted(11)
    model = SparseRegressorCV(penalty=MCP(), alphas=8, cv=3).fit(X, y)
    assert np.isnan(model.dual_gap_)
    frame = model.coef_frame()
    np.testing.assert_array_equal(frame["coefficient"], model.coef_)
    entered = int(model.coef_path_.any(axis=0).sum())
    assert len([line for line in plots.path(model).get_lines() if len(line.get_xdata()) == 8]) >= entered
    curve = plots.cv_curve(model).get_lines()
    assert any(
        np.allclose(line.get_ydata(), model.mse_path_.mean(axis=1)) for line in curve if len(line.get_ydata()) == 8
    )


@pytest.mark.parametrize(
    "model, words",
    [
        (SparseRegressor(penalty=MCP(), solver="working_set"), "WorkingSet needs a CompiledPenalty, .* MCP"),
        (SparseRegressor(LogCosh(), solver="working_set"), "WorkingSet needs a HasNull, .* LogCosh"),
        (SparseRegressor(penalty=MCP(), solver="gram"), "solver='gram' was asked for, but MCP cannot be fitted"),
        (SparseRegressor(LogCosh(), solver="gram"), "LogCosh cannot be fitted from a Gram matrix"),
        (SparseRegressor(penalty=MCP(), solver=GramBlockDescent()), "MCP cannot be fitted from a Gram matrix"),
    ],
    ids=str,
)
def test_a_solver_asked_for_by_name_is_never_replaced_by_another(model, words):
    X, y = planted(12)
    with pytest.raises(InputError, match=words):
        model.fit(X, y)


def test_a_solver_object_for_statistics_is_given_statistics():
    X, y = planted(13)
    groups = np.arange(30) // 3
    model = SparseRegressor(penalty=Group(groups), alpha=0.1, solver=GramBlockDescent(tol=1e-10)).fit(X, y)
    assert model.strategy_.startswith("gram")
    np.testing.assert_allclose(
        model.coef_, SparseRegressor(penalty=Group(groups), alpha=0.1).fit(X, y).coef_, atol=1e-4
    )
