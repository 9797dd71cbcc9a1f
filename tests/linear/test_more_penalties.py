"""L0, Lq, Bridge, Box, SLOPE and Fused in the estimators: truth, evidence, storages, losses, what is refused."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import lsq_linear

from reference.concave import coordinate_minima
from solvers.test_concave_descent import rows
from tamis import InputError, SparseClassifier, SparseRegressor, SparseRegressorCV, sparse_path
from tamis._kernels import kernels
from tamis.penalties import L0, SLOPE, Box, Bridge, Fused, Lq
from tamis.solvers import OperatorProblem, ProximalGradient
from tolerances import ROUNDING

CONVEX = [Bridge(1.3), Box(-1.2, 1.2), SLOPE(), Fused(0.4), Bridge(1.5, weights=np.r_[0.0, np.ones(29)])]
NOT_CONVEX = [L0(), Lq(), Lq(2 / 3)]


def objective(X, y, penalty, alpha, w, b=0.0):
    r = y - X @ w - b
    return r @ r / (2 * len(y)) + penalty.value(w, alpha)


@pytest.mark.parametrize("options", [{}, {"standardize": True}, {"fit_intercept": False}], ids=str)
@pytest.mark.parametrize("penalty", CONVEX, ids=lambda p: type(p).__name__)
def test_convex_ones_earn_a_certificate_that_can_be_verified(penalty, options):
    X, y = rows(0)
    s = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = SparseRegressor(penalty=penalty, alpha=0.05, **options).fit(X, y, sample_weight=s)
    assert 0 <= model.dual_gap_ <= 1e-7 * np.mean(y**2)
    again = model.certificate_.verify(X, y, sample_weight=s)
    assert again.primal == pytest.approx(model.certificate_.primal, rel=ROUNDING)
    assert again.gap == pytest.approx(model.dual_gap_, rel=1e-3, abs=1e-10)


@pytest.mark.parametrize("penalty", [Box(), SLOPE(), Fused(), L0(), Lq(), Bridge()], ids=lambda p: type(p).__name__)
def test_storages_agree(penalty):
    pd = pytest.importorskip("pandas")
    X, y = rows(1)
    X[np.abs(X) < 0.4] = 0.0
    s = np.linspace(0.5, 2, len(y))
    fits = [
        SparseRegressor(penalty=penalty, alpha=0.1, tol=1e-9).fit(Z, y, sample_weight=s)
        for Z in (X, sp.csr_array(X), sp.csc_array(X), pd.DataFrame(X).rename(columns=str))
    ]
    for other in fits[1:]:
        np.testing.assert_allclose(other.coef_, fits[0].coef_, atol=1e-5)
    single = SparseRegressor(penalty=penalty, alpha=0.1, tol=1e-5).fit(X.astype(np.float32), y.astype(np.float32), s)
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, fits[0].coef_, atol=2e-2)
    assert single.certificate_ is None or np.isfinite(single.certificate_.primal)


@pytest.mark.parametrize("penalty", NOT_CONVEX, ids=repr)
@pytest.mark.parametrize("seed", range(2))
def test_the_kernel_ends_where_no_coordinate_improves(penalty, seed):
    X, y = rows(seed, p=12)
    X, y = X - X.mean(axis=0), y - y.mean()
    H, q = X.T @ X / len(y), X.T @ y / len(y)
    alphas = penalty.entry_alpha(q, H.diagonal()) * np.array([0.5, 0.1, 0.02])
    w, coefs, n_iter, converged = np.zeros(12), np.empty((3, 12)), np.empty(3, np.int64), np.empty(3, bool)
    entry = penalty.entry_weights(H.diagonal())
    kernels.concave_path(
        H, q, entry, alphas**penalty.root, penalty.kernel, penalty.knot(), 1e-11, 1000, w, coefs, n_iter, converged
    )
    assert converged.all()
    for alpha, found in zip(alphas, coefs, strict=True):
        again = coordinate_minima(H, q, penalty, alpha, found)
        cost = [0.5 * v @ H @ v - q @ v + penalty.value(v, alpha) for v in (found, again)]
        assert cost[0] <= cost[1] + 1e-10
        assert penalty.subdifferential_distance(found, H @ found - q, alpha).max() <= 1e-9


@pytest.mark.parametrize("penalty", NOT_CONVEX, ids=repr)
@pytest.mark.parametrize("n, p", [(100, 30), (40, 120)])
def test_paths_begin_empty_and_have_diagnostics_only(penalty, n, p):
    X, y = rows(1, n, p)
    path = sparse_path(X, y, penalty=penalty, alphas=15, eps=0.02)
    assert not path.coefs[0].any()
    assert path.coefs[1].any()
    assert all(status == "converged" for status in path.statuses)
    assert np.isnan(path.gaps).all()
    model = SparseRegressor(penalty=penalty, alpha=float(path.alphas[7])).fit(X, y)
    assert model.certificate_ is None
    assert np.isnan(model.dual_gap_)
    assert model.diagnostics_["kkt"] <= 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_l0_is_near_the_best_of_all_subsets_on_its_path(seed):
    """Of 10 columns all 1,024 subsets: splicing finds the best at every α here."""
    X, y = rows(seed, n=60, p=10)
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    subsets = [list(S) for k in range(11) for S in itertools.combinations(range(10), k)]
    losses = np.array([_least(Xc[:, S], yc) for S in subsets])
    sizes = np.array([len(S) for S in subsets])
    path = sparse_path(X, y, penalty=L0(), alphas=8, eps=1e-3)
    for alpha, w, b in zip(path.alphas, path.coefs, path.intercepts, strict=True):
        got = objective(X, y, L0(), alpha, w, b)
        assert got <= (losses + alpha * sizes).min() * (1 + 1e-9)


def _least(X, y):
    w = np.linalg.lstsq(X, y, rcond=None)[0] if X.shape[1] else np.zeros(0)
    return np.sum((y - X @ w) ** 2) / (2 * len(y))


def test_cardinality_is_iterative_hard_thresholding():
    """Orthonormal columns: one step from 0 is the answer, the K largest correlations."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((64, 8)))[0] * 8.0
    y = Q @ rng.normal(0, 2, 8) + rng.standard_normal(64)
    c = Q.T @ y / 64
    model = SparseRegressor(penalty=L0(n_nonzero=3), alpha=0.0, fit_intercept=False).fit(Q, y)
    kept = np.sort(np.argsort(-np.abs(c))[:3])
    assert np.flatnonzero(model.coef_).tolist() == kept.tolist()
    np.testing.assert_allclose(model.coef_[kept], c[kept], rtol=1e-6)
    assert model.certificate_ is None


@pytest.mark.parametrize("penalty", [L0(), Lq(), L0(n_nonzero=4)], ids=repr)
def test_no_step_of_a_descent_raises_the_objective(penalty):
    X, y = rows(3)
    problem = OperatorProblem(X, y, SparseRegressor()._datafit(), penalty, 0.05)
    values, at = [], None
    for _ in range(30):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ProximalGradient(tol=0.0, max_iter=1).solve(problem, at)
        at = found.w, found.intercept
        values.append(problem.value(*at))
    assert (np.diff(values) <= 1e-12 * np.abs(values[:-1])).all()


@pytest.mark.parametrize("datafit", ["huber", "poisson", "gamma"])
@pytest.mark.parametrize("penalty", [L0(), Lq()], ids=repr)
def test_other_losses_end_at_stationary_points_below_those_of_the_null_model(datafit, penalty):
    X, y = rows(4)
    y = y if datafit == "huber" else np.random.default_rng(0).poisson(np.exp(0.2 * y)) + (datafit == "gamma")
    path = sparse_path(X, y, datafit, penalty, alphas=8, eps=0.02)
    assert all(status == "converged" for status in path.statuses)
    fit = SparseRegressor(datafit)._datafit()
    values = [
        fit.value(np.asarray(y, float), X @ w + b) + penalty.value(w, alpha)
        for alpha, w, b in zip(path.alphas, path.coefs, path.intercepts, strict=True)
    ]
    null = fit.value(np.asarray(y, float), np.full(len(y), path.intercepts[0]))
    assert not path.coefs[0].any()
    assert np.count_nonzero(path.coefs[-1]) > 0
    assert max(values) <= null * (1 + 1e-12) if null > 0 else max(values) <= null + 1e-12


def test_l0_fits_its_columns_without_shrinking_them():
    X, y = rows(5)
    labels = np.where(y + np.random.default_rng(0).logistic(0, 3, len(y)) > y.mean(), "up", "down")
    model = SparseClassifier(penalty="l0", alpha=0.03).fit(X, labels)
    S = np.flatnonzero(model.coef_[0])
    alone = SparseClassifier(alpha=0.0).fit(X[:, S], labels)
    assert 0 < len(S) < 10
    np.testing.assert_allclose(model.coef_[0, S], alone.coef_[0], rtol=1e-4)


def test_cross_validation_finds_the_columns():
    X, y = rows(6)
    for penalty in ("l0", "lq"):
        model = SparseRegressorCV(penalty=penalty, alphas=20, eps=1e-3, cv=4, rule="1se").fit(X, y)
        assert np.flatnonzero(model.coef_).tolist() == [0, 6, 12, 18, 24]
    fused = SparseRegressorCV(penalty="fused", alphas=5, cv=3).fit(X, y)
    assert np.isfinite(fused.dual_gap_)


def test_fused_finds_the_jumps():
    rng = np.random.default_rng(1)
    X, w = rng.standard_normal((200, 60)), np.zeros(60)
    w[20:35] = 1.0
    model = SparseRegressor(penalty=Fused(0.2), alpha=0.3, tol=1e-10).fit(X, X @ w + 0.1 * rng.standard_normal(200))
    jumps = np.flatnonzero(np.abs(np.diff(model.coef_)) > 1e-8)
    assert jumps.tolist() == [19, 34]


def test_slope_gives_copies_of_a_column_one_coefficient():
    X, y = rows(7)
    X = np.column_stack([X, X[:, 0]])
    model = SparseRegressor(penalty=SLOPE(), alpha=0.2, tol=1e-10).fit(X, y)
    assert model.coef_[0] == pytest.approx(model.coef_[-1], abs=1e-6)
    assert model.coef_[0] != 0


def test_a_box_is_kept_and_touched():
    X, y = rows(8)
    model = SparseRegressor(penalty=Box(0.0, 1.0), alpha=0.0).fit(X, y)
    assert (model.coef_ >= 0).all()
    assert (model.coef_ <= 1).all()
    assert (model.coef_ == 1).any()


@pytest.mark.parametrize("standardize", [False, True])
def test_relaxed_boxes_are_kept(standardize):
    X, y = rows(8)
    model = SparseRegressor(penalty=Box(0.0, 0.8), alpha=0.05, relax=True, standardize=standardize).fit(X, y)
    most = 0.8 / model.scale_ if standardize else np.full(30, 0.8)
    assert (model.coef_ >= 0).all()
    assert (model.coef_ <= most * (1 + 1e-9)).all()
    S = np.flatnonzero(model.coef_)
    low, Z = lsq_linear(X[:, S] - X[:, S].mean(axis=0), y - y.mean(), (0, most[S])).cost, y - model.predict(X)
    assert low * (1 + 1e-5) >= Z @ Z / 2


def test_bridge_has_no_alpha_max_and_says_so():
    X, y = rows(9)
    with pytest.raises(InputError, match="give the alphas themselves"):
        sparse_path(X, y, penalty="bridge", alphas=5)
    assert sparse_path(X, y, penalty="bridge", alphas=[1.0, 0.1]).coefs.all()


@pytest.mark.parametrize("penalty", ["l0", "lq", "slope", "fused", "box", "bridge"])
def test_quantiles_bend_too_sharply(penalty):
    X, y = rows(10)
    with pytest.raises(InputError, match=r"Quantile bends too sharply for \w+: use a penalty made of"):
        SparseRegressor("quantile", penalty, alpha=0.1).fit(X, y)
