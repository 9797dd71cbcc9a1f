"""Laws of every sparse model: equivariance, weights, strategies, and what must not break anything."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from linear.tables import classes, quietly, table, targets
from tamis import (
    InputError,
    Lasso,
    LassoCV,
    SparseClassifier,
    SparseClassifierCV,
    SparseRegressor,
    SparseRegressorCV,
)
from tamis._core.errors import ConvergenceWarning
from tamis.penalties import L1, L1L2
from tolerances import AGREE

FITS = {
    "gram": partial(SparseRegressor, solver="gram"),
    "working_set": partial(SparseRegressor, solver="working_set"),
    "logistic": partial(SparseClassifier, tol=1e-13, max_iter=10**5),
}
CLOSE = {"gram": AGREE, "working_set": AGREE, "logistic": 1e-5}  # a gap of 1e-13 leaves about √1e-13 in coefficients


def rows(kind, seed):
    return classes(seed) if kind == "logistic" else table(seed)


@pytest.mark.parametrize("kind", FITS)
@pytest.mark.parametrize("penalty", [L1(), L1L2(0.5)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_equivariance(kind, penalty, seed):
    X, y = rows(kind, seed)
    alpha = 0.03 if kind == "logistic" else 0.2
    close = partial(np.testing.assert_allclose, atol=CLOSE[kind])
    w = FITS[kind](penalty=penalty, alpha=alpha).fit(X, y).coef_
    order = np.random.default_rng(seed).permutation(X.shape[1])
    close(FITS[kind](penalty=penalty, alpha=alpha).fit(X[:, order], y).coef_, w[..., order])
    close(FITS[kind](penalty=penalty, alpha=alpha).fit(X + 1e3, y).coef_, w)
    if kind != "logistic":
        scaled = FITS[kind](penalty=penalty, alpha=9 * alpha).fit(3 * X, 3 * y).coef_
        close(scaled, w)


@pytest.mark.parametrize("kind", FITS)
def test_scaling_columns_scales_weights(kind):
    X, y = rows(kind, 4)
    c = np.random.default_rng(0).uniform(0.2, 5, X.shape[1])
    alpha = 0.03 if kind == "logistic" else 0.2
    w = FITS[kind](alpha=alpha).fit(X, y).coef_
    scaled = FITS[kind](penalty=L1(weights=c), alpha=alpha).fit(X * c, y).coef_
    np.testing.assert_allclose(scaled * c, w, atol=CLOSE[kind] * c.max())
    standard = [FITS[kind](alpha=alpha, standardize=True).fit(Z, y).coef_ for Z in (X, X * c)]
    np.testing.assert_allclose(standard[1] * c, standard[0], atol=CLOSE[kind] * c.max())


STORAGES = [np.asfortranarray, np.ascontiguousarray, sp.csr_array, sp.csc_array]
# FISTA takes seconds, and products only: a dense and a sparse storage show what it does with both.
STANDARDISED = [(kind, make) for kind in (*FITS, "several", "multinomial") for make in STORAGES]
STANDARDISED = [(*case, intercept) for case in STANDARDISED for intercept in (True, False)]
STANDARDISED += [("fista", np.asfortranarray, False), ("fista", sp.csr_array, True)]
STANDARDISED += [
    pytest.param("fista", make, intercept, marks=pytest.mark.deep)
    for make, intercept in [(np.asfortranarray, True), (sp.csr_array, False)]
]


@pytest.mark.parametrize("kind, make, fit_intercept", STANDARDISED)
def test_standardising_divides_by_the_standard_deviation(kind, make, fit_intercept):
    X, y = {"several": targets, "multinomial": partial(classes, k=3), "logistic": classes}.get(kind, table)(3)
    X = np.column_stack([X, np.full(len(X), 0.1)])  # a constant stays as it is
    fit = partial(FITS["logistic"] if kind in ("logistic", "multinomial") else SparseRegressor, tol=1e-13)
    solver = {"gram": "gram", "working_set": "working_set", "fista": "fista"}.get(kind, "auto")
    weight = np.random.default_rng(0).uniform(0, 2, len(X))
    given = {"alpha": 0.02, "solver": solver, "fit_intercept": fit_intercept}
    model = quietly(fit(standardize=True, **given), make(X), y, weight)
    mean = np.average(X, axis=0, weights=weight)
    deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    deviation[-1] = 0.0
    np.testing.assert_allclose(model.scale_, deviation, rtol=1e-12)
    deviation[-1] = 1.0
    apart = quietly(fit(**given), X / deviation, y, weight)
    np.testing.assert_allclose(model.coef_ * deviation, apart.coef_, atol=1e-5)  # both to a gap of 1e-13, its root
    certificates = model.certificate_ if isinstance(model.certificate_, tuple) else [model.certificate_]
    for k, certificate in enumerate(certificates):
        of = y if len(certificates) == 1 else y[:, k]
        assert certificate.verify(make(X), of, weight).gap <= certificate.gap + 1e-9


@pytest.mark.parametrize("kind", FITS)
def test_weight_two_is_a_duplicated_row(kind):
    X, y = rows(kind, 5)
    times = np.random.default_rng(0).integers(0, 3, len(y))
    alpha = 0.03 if kind == "logistic" else 0.2
    repeated = FITS[kind](alpha=alpha).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    weighted = FITS[kind](alpha=alpha).fit(X, y, times.astype(float))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=CLOSE[kind])
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, atol=10 * CLOSE[kind])


@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize("p", [8, 60])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("make", [np.asfortranarray, np.ascontiguousarray, sp.csr_array, sp.csc_array])
def test_strategies_agree(n, p, fit_intercept, make):
    X, y = table(6, n, p)
    for alpha in (1.0, 0.1):
        given = {"alpha": alpha, "fit_intercept": fit_intercept}
        gram = SparseRegressor(solver="gram", **given).fit(make(X), y)
        rows = SparseRegressor(solver="working_set", **given).fit(make(X), y)
        np.testing.assert_allclose(rows.coef_, gram.coef_, rtol=0, atol=AGREE)
        assert rows.intercept_ == pytest.approx(gram.intercept_, abs=10 * AGREE)


@pytest.mark.parametrize("solver", ["gram", "working_set"])
def test_constant_and_duplicated_columns(solver):
    X, y = table(7)
    wide = np.column_stack([X, np.full(len(y), 0.1), X[:, 0]])
    model = SparseRegressor(alpha=0.2, solver=solver).fit(wide, y)
    plain = SparseRegressor(alpha=0.2, solver=solver).fit(X, y)
    assert model.coef_[8] == 0
    np.testing.assert_allclose(model.predict(wide), plain.predict(X), atol=1e-7)
    assert model.certificate_.verify(wide, y).gap <= 1e-7


@pytest.mark.parametrize("solver", ["gram", "working_set", "fista"])
def test_small_and_empty_problems(solver):
    X, y = table(8)
    fit = partial(SparseRegressor, solver=solver)
    x = X[:, 0] - X[:, 0].mean()
    q, square = x @ y / len(y), x @ x / len(y)
    assert abs(q) > 0.1
    soft = np.sign(q) * (abs(q) - 0.1) / square  # one column is soft-thresholded
    np.testing.assert_allclose(fit(alpha=0.1, tol=1e-12).fit(X[:, :1], y).coef_, [soft], rtol=1e-5)  # √tol
    one = fit(alpha=0.1).fit(X[:1], y[:1])
    assert not one.coef_.any()
    assert one.intercept_ == pytest.approx(y[0])
    zero = fit(alpha=0.1).fit(X, np.zeros(len(y)))
    assert not zero.coef_.any()
    assert zero.intercept_ == 0
    assert zero.dual_gap_ == 0
    null = fit(alpha=1e3).fit(X, y)
    assert not null.coef_.any()
    assert null.intercept_ == pytest.approx(y.mean())
    assert null.dual_gap_ <= 1e-9


@pytest.mark.parametrize("solver", ["gram", "working_set"])
def test_at_alpha_max_everything_is_zero_and_just_below_something_is_not(solver):
    X, y = table(9)
    top = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
    assert not SparseRegressor(alpha=top * (1 + 1e-9), solver=solver).fit(X, y).coef_.any()
    assert np.count_nonzero(SparseRegressor(alpha=top * 0.999, solver=solver).fit(X, y).coef_) == 1


@pytest.mark.parametrize("solver", ["gram", "working_set"])
def test_unpenalised_columns_are_fitted_like_the_intercept(solver):
    X, y = table(10)
    model = SparseRegressor(penalty=L1(weights=[0, 0, 1, 1, 1, 1, 1, 1]), alpha=1e3, solver=solver).fit(X, y)
    free = np.column_stack([X[:, :2], np.ones(len(y))])
    np.testing.assert_allclose([*model.coef_[:2], model.intercept_], np.linalg.lstsq(free, y)[0], atol=1e-7)
    assert not model.coef_[2:].any()
    assert model.certificate_.verify(X, y).gap <= 1e-7


@pytest.mark.parametrize("solver", ["gram", "working_set"])
def test_alpha_zero_with_more_columns_than_rows_interpolates(solver):
    X, y = table(11, n=20, p=40)
    model = SparseRegressor(alpha=0.0, solver=solver).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-4)
    assert model.certificate_.verify(X, y).gap <= 1e-6 * y.var()


@pytest.mark.parametrize("model", [Lasso(), LassoCV(), SparseClassifier()], ids=lambda m: type(m).__name__)
def test_weights_are_checked(model):
    X, y = classes(13)
    for bad, message in (
        (np.full(len(y), -1.0), "sample_weight must be finite and ≥ 0"),
        (np.zeros(len(y)), "must not be all zero"),
        (np.ones(3), "same number of rows"),
    ):
        with pytest.raises(InputError, match=message):
            clone(model).fit(X, y, bad)
    np.testing.assert_allclose(
        clone(model).fit(X, y, 2.0).coef_, clone(model).fit(X, y).coef_, atol=1e-12
    )  # one number: all alike


@pytest.mark.parametrize("model", [LassoCV(precompute=False), LassoCV(), SparseClassifierCV(alphas=5)], ids=repr)
@pytest.mark.parametrize("kind", [np.matrix, np.ma.MaskedArray])
def test_arrays_with_an_arithmetic_of_their_own_are_arrays(model, kind):
    X, y = table()
    y = y > np.median(y) if isinstance(model, SparseClassifierCV) else y
    plain, other = clone(model).fit(X, y), clone(model).fit(X.view(kind), y)
    np.testing.assert_array_equal(plain.coef_, other.coef_)
    np.testing.assert_array_equal(plain.predict(X), other.predict(X.view(kind)))


def test_what_a_masked_array_hides_is_missing():
    X, y = table()
    hidden = np.ma.masked_greater(X, np.sort(X[:, 1])[-3])
    hidden.mask[:, np.arange(X.shape[1]) != 1] = False
    with pytest.raises(InputError, match=r"missing values \(NaN\) in 'x1' \(2\)"):
        Lasso().fit(hidden, y)


@pytest.mark.parametrize(
    "model", [Lasso(), LassoCV(alphas=5), SparseClassifier(), SparseClassifierCV(alphas=5)], ids=repr
)
def test_a_fit_that_fails_changes_nothing(model):
    X, y = table()
    y = y > np.median(y) if hasattr(model, "class_weight") else y
    hole = X[:, :3].copy()
    hole[0] = np.nan
    model = clone(model)
    with pytest.raises(InputError, match="missing"):
        model.fit(hole, y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    before = model.fit(X, y).predict(X)
    with pytest.raises(InputError, match="missing"):
        model.fit(hole, y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_what_another_rule_told_is_forgotten():
    X, y = table()
    model = SparseRegressorCV(alphas=5).fit(X, y)
    model.set_params(rule="bic").fit(X, y)
    assert hasattr(model, "criterion_path_")
    assert not any(hasattr(model, name) for name in ("mse_path_", "scores_path_", "alpha_min_", "alpha_1se_"))


@pytest.mark.parametrize(
    "model", [Lasso(1e-3), LassoCV(alphas=5), SparseClassifier(alpha=1e-3), SparseRegressorCV(alphas=5)], ids=repr
)
def test_warnings_point_at_the_line_that_fits(model):
    X, y = table()
    y = y > np.median(y) if hasattr(model, "class_weight") else y
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol") as caught:
        clone(model).set_params(solver="proximal_gradient", max_iter=1, tol=1e-300).fit(X, y)
    assert {w.filename for w in caught} == {__file__}


def test_an_outlier_without_weight_moves_nothing():
    """The first row, about which sums might be taken."""
    rng = np.random.default_rng(0)
    X, y, s = rng.standard_normal((30, 40)), rng.standard_normal(30), np.r_[0.0, np.ones(29)]
    y[0] = 1e20
    with_it = Lasso(alpha=0.1, precompute=False).fit(X, y, sample_weight=s)
    without = Lasso(alpha=0.1, precompute=False).fit(X[1:], y[1:])
    np.testing.assert_allclose(with_it.coef_, without.coef_, rtol=0, atol=AGREE)
    np.testing.assert_allclose(with_it.intercept_, without.intercept_, rtol=0, atol=AGREE)
