"""Squared hinge, Poisson, gamma and Huber in the estimators: proofs, other libraries' answers, and hostile targets."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import GammaRegressor, HuberRegressor, PoissonRegressor
from sklearn.svm import LinearSVC

from tamis import (
    InputError,
    SparseClassifier,
    SparseClassifierCV,
    SparseRegressor,
    SparseRegressorCV,
    SparseSVC,
    sparse_path,
)
from tamis.datafits import Huber, Poisson
from tamis.penalties import L1, L2, Group


def table(seed, kind, n=150, p=25):
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((n, p)), np.zeros(p)
    w[:4] = [0.6, -0.5, 0.4, 0.3]
    z = X @ w + 0.5
    if kind == "poisson":
        return X, rng.poisson(np.exp(z)).astype(float)
    if kind == "gamma":
        return X, np.exp(z) * rng.gamma(2.0, size=n) / 2
    y = z + 0.5 * rng.standard_normal(n)
    if kind == "huber":
        y[: n // 10] += 100
    return (X, np.where(y > 0.5, "yes", "no")) if kind == "squared_hinge" else (X, y)


NUMBERS = ("poisson", "gamma", "huber")
KINDS = (*NUMBERS, "squared_hinge")


def model_of(kind, **options):
    return (SparseClassifier if kind == "squared_hinge" else SparseRegressor)(kind, **options)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "penalty", [L1(), L1(weights=[0.0] * 2 + [1.0] * 23), Group(5), L2()], ids=["l1", "free", "group", "l2"]
)
def test_every_fit_is_proved_and_the_proof_is_verified(kind, penalty, intercept):
    X, y = table(0, kind)
    s = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    model = model_of(kind, penalty=penalty, alpha=0.05, fit_intercept=intercept, standardize=True).fit(X, y, s)
    assert model.dual_gap_ <= 1e-7 * 20  # the null model's loss is below 20 in all of them
    again = model.certificate_.verify(X, y, s)
    assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-10)
    assert again.gap == pytest.approx(model.dual_gap_, rel=1e-2, abs=1e-9)
    assert model.strategy_.startswith("working_set")


@pytest.mark.parametrize("kind", KINDS)
def test_dense_sparse_and_single_precision_agree(kind):
    X, y = table(2, kind)
    X[np.abs(X) < 0.5] = 0
    dense, sparse = (model_of(kind, alpha=0.05, tol=1e-9).fit(given, y) for given in (X, sp.csr_array(X)))
    single = model_of(kind, alpha=0.05, tol=1e-6).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-5)
    np.testing.assert_allclose(single.coef_, dense.coef_, atol=5e-3)
    assert single.coef_.dtype == np.float32


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_of_two_is_a_row_twice(kind):
    X, y = table(3, kind, n=60, p=8)
    s = np.r_[np.full(20, 2.0), np.ones(40)]
    weighted = model_of(kind, alpha=0.05, tol=1e-10).fit(X, y, s)
    twice = model_of(kind, alpha=0.05, tol=1e-10).fit(np.r_[X[:20], X], np.r_[y[:20], y])
    np.testing.assert_allclose(weighted.coef_, twice.coef_, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_paths_and_cross_validation(kind):
    X, y = table(4, kind)
    path = sparse_path(X, y, kind, alphas=12, eps=0.05)
    assert all(status == "converged" for status in path.statuses)
    assert not path.coefs[0].any()
    assert path.coefs[1].any()
    Model = SparseClassifierCV if kind == "squared_hinge" else SparseRegressorCV
    model = Model(kind, alphas=8, eps=0.05, cv=3).fit(X, y)
    assert model.coef_.any()
    assert model.dual_gap_ <= 1e-6


@pytest.mark.parametrize("kind, theirs", [("poisson", PoissonRegressor), ("gamma", GammaRegressor)])
def test_ridge_fits_are_those_of_scikit_learn(kind, theirs):
    X, y = table(5, kind)
    ours = SparseRegressor(kind, "l2", alpha=0.1, tol=1e-10).fit(X, y)
    other = theirs(alpha=0.1, tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.predict(X), other.predict(X), rtol=1e-4)


def test_the_squared_hinge_is_that_of_liblinear():
    """liblinear penalises the intercept, so none is fitted."""
    X, y = table(6, "squared_hinge")
    ours = SparseSVC(C=0.1, fit_intercept=False, tol=1e-10).fit(X, y)
    theirs = LinearSVC(C=0.1, penalty="l1", dual=False, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.alpha_ == pytest.approx(1 / (0.1 * len(y)))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_c_and_alpha_are_one_choice():
    X, y = table(7, "squared_hinge")
    n = len(y)
    by_c, by_alpha, neither = (SparseSVC(**given).fit(X, y) for given in ({"C": 0.5}, {"alpha": 2 / n}, {}))
    np.testing.assert_array_equal(by_c.coef_, by_alpha.coef_)
    assert neither.alpha_ == 1 / n
    with pytest.raises(InputError, match=r"C=0.5 and alpha=0.1 both weigh the penalty.*give one of them"):
        SparseSVC(C=0.5, alpha=0.1).fit(X, y)
    with pytest.raises(InputError, match="C must be"):
        SparseSVC(C=0.0).fit(X, y)
    assert not hasattr(by_c, "predict_proba")
    with pytest.raises(InputError, match="for two classes, y holds 3"):
        SparseSVC().fit(X, np.arange(n) % 3)


def test_separable_classes_have_a_finite_machine():
    """Unlike the logistic loss the squared hinge is 0 at a finite margin, with or without a penalty."""
    X = np.random.default_rng(8).standard_normal((60, 5))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 0.5, -0.5)
    for alpha in (1e-3, 0.0):
        model = SparseSVC(alpha=alpha).fit(X, y)
        assert model.score(X, y) == 1
        assert np.isfinite(model.coef_).all()


def test_an_outlier_does_not_move_huber():
    X, y = table(9, "squared", n=200)
    clean = SparseRegressor(Huber(1.0), alpha=0.02).fit(X, y)
    y[3] = 1e12
    hit = SparseRegressor(Huber(1.0), alpha=0.02).fit(X, y)
    assert np.abs(hit.coef_ - clean.coef_).max() < 0.1
    assert np.isfinite(hit.dual_gap_)
    least_squares = SparseRegressor(alpha=0.02).fit(X, y)
    assert np.abs(least_squares.coef_).max() > 1e6


def test_huber_with_a_wide_delta_is_least_squares():
    X, y = table(10, "squared")
    wide, squares = (SparseRegressor(fit, alpha=0.05, tol=1e-10).fit(X, y) for fit in (Huber(1e3), "squared"))
    np.testing.assert_allclose(wide.coef_, squares.coef_, atol=1e-6)


def test_huber_is_scikit_learns_at_its_scale():
    """HuberRegressor minimises Σ σ + σ ℓ_ε(r/σ) + a‖w‖²: at its σ the same as ours with δ = ε σ and α = 2aσ/n."""
    X, y = table(11, "huber", n=120, p=5)
    theirs = HuberRegressor(epsilon=1.35, alpha=0.1, tol=1e-10, max_iter=10_000).fit(X, y)
    delta = 1.35 * theirs.scale_
    # σ + (r/σ)² σ inside, that is r²/σ, twice our ½r² over σ
    ours = SparseRegressor(Huber(delta), "l2", alpha=0.1 * theirs.scale_ / len(y), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("intercept", [True, False])
def test_an_offset_is_a_known_part_of_the_prediction(intercept):
    X, _ = table(12, "poisson")
    rng = np.random.default_rng(12)
    o = rng.uniform(-1, 2, len(X))
    y = rng.poisson(np.exp(0.5 * X[:, 0] + o)).astype(float)
    model = SparseRegressor("poisson", alpha=0.01, fit_intercept=intercept, tol=1e-10).fit(X, y, offset=o)
    E = np.exp(o)
    w, b = model.coef_, model.intercept_
    g = X.T @ (np.exp(X @ w + b + o) - y) / E.sum()  # of the loss per unit of exposure
    assert np.abs(g[w == 0]).max() <= 0.01 + 1e-6
    np.testing.assert_allclose(g[w != 0], -0.01 * np.sign(w[w != 0]), atol=1e-6)
    assert model.certificate_.verify(X, y / E, sample_weight=E).gap <= 1e-8
    constant = SparseRegressor("poisson", alpha=0.01, tol=1e-10).fit(X, y, offset=np.full(len(y), 3.0))
    plain = SparseRegressor("poisson", alpha=0.01 * np.exp(3.0), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(constant.coef_, plain.coef_, atol=1e-5)
    chosen = SparseRegressorCV("poisson", alphas=5, cv=3).fit(X, y, offset=o)
    assert chosen.coef_[0] != 0


def test_offsets_are_those_of_every_target():
    X, _ = table(12, "poisson")
    rng = np.random.default_rng(1)
    o = rng.uniform(-1, 2, len(X))
    Y = rng.poisson(np.exp(0.5 * X[:, :2] + o[:, None])).astype(float)
    both = SparseRegressor("poisson", alpha=0.05, tol=1e-9).fit(X, Y, offset=o)
    for k in range(2):
        one = SparseRegressor("poisson", alpha=0.05, tol=1e-9).fit(X, Y[:, k], offset=o)
        np.testing.assert_allclose(both.coef_[k], one.coef_, atol=1e-4)


def test_gamma_offsets_scale_the_amounts():
    X, y = table(13, "gamma")
    o = np.linspace(-1, 1, len(y))
    given, scaled = (
        SparseRegressor("gamma", alpha=0.05).fit(X, y, offset=o),
        SparseRegressor("gamma", alpha=0.05).fit(X, y / np.exp(o)),
    )
    np.testing.assert_array_equal(given.coef_, scaled.coef_)


@pytest.mark.parametrize(
    "datafit, y, options, words",
    [
        ("poisson", [1.0, -1.0, 2.0, 0.0], {}, "counts ≥ 0, got -1"),
        ("poisson", [0.0, 0.0, 0.0, 0.0], {}, "every count in y is 0"),
        ("gamma", [1.0, 0.0, 2.0, 3.0], {}, "amounts > 0, got 0"),
        (Huber(-1), [1.0, 0.0, 2.0, 3.0], {}, "delta must be"),
        ("squared", [1.0, 0.0, 2.0, 3.0], {"offset": np.ones(4)}, "offset is for datafit='poisson'"),
        ("poisson", [1.0, 0.0, 2.0, 3.0], {"offset": np.ones(3)}, "one finite number for each of the 4 rows"),
        ("poisson", [1.0, 0.0, 2.0, 3.0], {"offset": [1, 2, np.nan, 3]}, "with NaN or infinity"),
        ("poisson", [1.0, 0.0, 2.0, 3.0], {"offset": "exposure"}, "each of the 4 rows, got 'exposure'"),
        ("poisson", [1.0, 0.0, 2.0, 3.0], {"offset": np.full(4, -800.0)}, "got -800, beyond ±300; give np.log"),
        ("squared_hinge", [1.0, 0.0, 2.0, 3.0], {}, "is for classes: use SparseClassifier"),
    ],
)
def test_what_cannot_be_fitted_is_said(datafit, y, options, words):
    with pytest.raises(InputError, match=words):
        SparseRegressor(datafit).fit(np.eye(4), y, **options)


def test_a_regression_loss_is_none_for_classes():
    with pytest.raises(InputError, match="is for numbers: use SparseRegressor"):
        SparseClassifier("poisson").fit(np.eye(4), [0, 1, 0, 1])


def test_large_counts_and_steep_columns_do_not_overflow():
    rng = np.random.default_rng(14)
    X = 30 * rng.standard_normal((80, 10))
    y = rng.poisson(np.exp(np.clip(X[:, 0] / 10, None, 8))).astype(float)
    model = SparseRegressor(Poisson(), alpha=1.0).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.dual_gap_ <= 1e-7 * (y @ y)


def test_warm_starts_and_relaxed_fits():
    X, y = table(15, "poisson")
    model = SparseRegressor("poisson", alpha=0.05, warm_start=True, tol=1e-9)
    first = model.fit(X, y).coef_.copy()
    np.testing.assert_allclose(model.fit(X, y).coef_, first, atol=1e-5)
    relaxed = SparseRegressor("poisson", alpha=0.05, relax=True).fit(X, y)
    S = np.flatnonzero(relaxed.coef_)
    free = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000).fit(X[:, S], y)
    np.testing.assert_allclose(relaxed.coef_[S], free.coef_, atol=1e-4)
