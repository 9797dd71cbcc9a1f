"""Columns whose means are up to 10¹⁰ times their spread: every storage and strategy against the same rows about zero.

Entries are multiples of 2⁻¹⁰, so adding and taking off 10¹⁰ rounds nothing: the rows about zero are an exact reference.
"""

import warnings
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from linear.tables import quietly
from tamis import (
    InputError,
    Lasso,
    SparseClassifier,
    SparseClassifierCV,
    SparseRegressor,
    SparseRegressorCV,
    as_source,
    sparse_path,
)
from tamis.datafits import Logistic, Squared
from tamis.operators import as_operator
from tamis.penalties import L1, L1L2, Group
from tamis.solvers.problem import OperatorProblem
from tolerances import AGREE, FLOAT32
from turns import in_turns

STORAGE = {"C": np.ascontiguousarray, "F": np.asfortranarray, "csr": sp.csr_array, "csc": sp.csc_array}
FAR = [1e1, 1e3, 1e6, 1e8, 1e10]
P = 6
N = 120
OBJECTIVE = 1e-13  # of an objective of size 1: sums of N rounded terms


def table(seed=0, unit=2.0**-10):
    """Rows about zero, half of the last three columns zeros; three columns behind y."""
    rng = np.random.default_rng(seed)
    B = np.round(rng.standard_normal((N, P)) / unit) * unit
    B[:, 3:] *= rng.random((N, 3)) < 0.5
    return B, B @ [1.0, -0.5, 0.0, 0.7, 0.0, 0.0] + 0.5 * rng.standard_normal(N)


def moved(B, far):
    """Two columns far from zero, one near, one that is constant; and how far each is."""
    shift = np.round(np.array([far, -far / 4, 0.0, 0.0, 0.0, 0.0]))
    return B + shift, shift


def labels(B, k):
    rng = np.random.default_rng(1)
    return (B @ rng.standard_normal((P, k)) + rng.gumbel(size=(N, k))).argmax(axis=1)


def excess(model, best, B, shift, y, objective):
    """F(w, b) − F(w*, b*) about zero, the intercepts carried there in exact arithmetic."""

    def value(one, by):
        W = np.atleast_2d(one.certificate_.w).astype(float)
        terms = [[Fraction(w) * Fraction(c) for w, c in zip(row, by, strict=True)] for row in W]
        b = [float(Fraction(float(b)) + sum(t)) for b, t in zip(np.atleast_1d(one.intercept_), terms, strict=True)]
        return objective(B @ W.T + b, W)

    return value(model, shift) - value(best, 0 * shift)


def squared(y, alpha, s=None):
    def objective(Z, W):
        return 0.5 * np.average((y - Z[:, 0]) ** 2, weights=s) + alpha * np.abs(W).sum()

    return objective


def multinomial(y, alpha):
    def objective(Z, W):
        return np.mean(logsumexp(Z, axis=1) - Z[np.arange(len(y)), y]) + alpha * np.abs(W).sum()

    return objective


@pytest.mark.parametrize(
    "far, storage, solver, weighted", in_turns(FAR, STORAGE, ["gram", "working_set"], [False, True])
)
def test_squares(far, storage, solver, weighted):
    B, y = table()
    X, shift = moved(B, far)
    s = np.random.default_rng(3).uniform(0.1, 2, N) if weighted else None
    fit = partial(SparseRegressor, alpha=0.1, solver=solver)
    best = fit(tol=1e-12).fit(B, y, s)
    model = fit().fit(STORAGE[storage](X), y, s)
    np.testing.assert_allclose(model.coef_, best.coef_, rtol=0, atol=AGREE)
    np.testing.assert_allclose(model.scale_, best.scale_, rtol=1e-12)
    off = excess(model, best, B, shift, y, squared(y, 0.1, s))
    assert off <= model.dual_gap_ + OBJECTIVE
    verified = model.certificate_.verify(STORAGE[storage](X), y, s)
    assert off - OBJECTIVE <= verified.gap <= model.dual_gap_ + OBJECTIVE


@pytest.mark.parametrize(
    "given, solver, storage",
    in_turns(
        [{"standardize": True}, {"penalty": L1L2(0.5)}, {"penalty": Group([[0, 3], [1, 2]])}],
        ["gram", "working_set", "fista"],
        STORAGE,
    ),
)
def test_other_penalties(given, solver, storage):
    B, y = table()
    X, _ = moved(B, 1e8)
    fit = partial(SparseRegressor, alpha=0.1, solver=solver, tol=1e-12, **given)
    best, model = fit().fit(B, y), fit().fit(STORAGE[storage](X), y)
    np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-5)  # a gap of 1e-12 leaves its root
    verified = model.certificate_.verify(STORAGE[storage](X), y)
    assert verified.gap <= 1e-11


@pytest.mark.parametrize("far, storage, k", in_turns(FAR, STORAGE, [2, 3]))
def test_classes(far, storage, k):
    B, _ = table()
    y = labels(B, k)
    X, shift = moved(B, far)
    best = SparseClassifier(alpha=0.02, tol=1e-11).fit(B, y)
    model = SparseClassifier(alpha=0.02, tol=1e-11).fit(STORAGE[storage](X), y)
    np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-4)  # a gap of 1e-11, curvature of 1e-2 at least
    if k == 3:
        assert excess(model, best, B, shift, y, multinomial(y, 0.02)) <= model.dual_gap_ + OBJECTIVE
    verified = model.certificate_.verify(STORAGE[storage](X), y)
    assert verified.gap <= model.dual_gap_ + 1e-12


@pytest.mark.parametrize(
    "far, storage, penalty, solver", in_turns(FAR, STORAGE, [L1(), Group()], ["gram", "working_set"])
)
def test_several_targets(far, storage, penalty, solver):
    B, y = table()
    X, _ = moved(B, far)
    Y = np.column_stack([y, B[:, 1] - y])
    solver = solver if penalty == L1() else "working_set"
    fit = partial(SparseRegressor, penalty=penalty, alpha=0.1, solver=solver, tol=1e-11)
    best, model = fit().fit(B, Y), fit().fit(STORAGE[storage](X), Y)
    np.testing.assert_allclose(model.coef_, best.coef_, atol=AGREE if penalty == L1() else 1e-5)
    certificates = model.certificate_ if isinstance(model.certificate_, tuple) else [model.certificate_]
    for k, certificate in enumerate(certificates):
        assert certificate.verify(STORAGE[storage](X), Y[:, k] if len(certificates) > 1 else Y).gap <= 1e-10


@pytest.mark.parametrize("solver", ["gram", "working_set"])
@pytest.mark.parametrize("storage", STORAGE)
def test_float32(storage, solver):
    B, y = table(unit=2.0**-2)
    X, _ = moved(B, 2.0**20)  # 24 bits hold both
    make = STORAGE[storage]
    fit = partial(SparseRegressor, alpha=0.1, solver=solver, tol=1e-7)
    best, model = fit().fit(B, y), fit().fit(make(X.astype(np.float32)), y)
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, best.coef_, atol=FLOAT32)
    assert model.certificate_.verify(make(X.astype(np.float32)), y).gap <= model.dual_gap_ + 1e-12


@pytest.mark.parametrize("solver, classifier", [("gram", False), ("working_set", False), ("auto", True)])
@pytest.mark.parametrize("storage", STORAGE)
def test_a_zero_that_has_no_weight_does_not_hide_a_far_column(storage, solver, classifier):
    """In the whole table a zero among numbers of 1e8 is the column's spread; with the rest alone it is not."""
    B, y = table()
    X, _ = moved(B, 1e8)
    X[7, 0] = 0.0
    s = np.ones(N)
    s[7] = 0.0
    rest = np.flatnonzero(s)
    if classifier:
        y = labels(B, 3)
        fit, fit_cv = partial(SparseClassifier, alpha=0.02), partial(SparseClassifierCV, alphas=[0.02])
    else:
        fit, fit_cv = partial(SparseRegressor, alpha=0.1), partial(SparseRegressorCV, alphas=[0.1])
    given = {"solver": solver, "tol": 1e-11}
    best = fit(**given).fit(B[rest], y[rest])
    model = fit(**given).fit(STORAGE[storage](X), y, s)
    np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-4 if classifier else AGREE)
    assert model.certificate_.verify(STORAGE[storage](X), y, s).gap <= model.dual_gap_ + 1e-12
    splits = [(np.arange(10, N), [0, 1, 2, 3, 4, 5, 6, 8, 9])]
    chosen = quietly(fit_cv(cv=splits, **given), STORAGE[storage](X), y)  # all rows together have little to certify
    exact = fit_cv(cv=splits, **given).fit(B, y)
    close = 1e-4 if classifier else 1e-7  # to the root of the gap; an intercept of 1e8 rounds to 1e-8
    assert chosen.scores_path_.ravel() == pytest.approx(exact.scores_path_.ravel(), rel=close)


@pytest.mark.parametrize("storage", STORAGE)
def test_columns_that_are_far_but_for_rows_that_are_certain(storage):
    """Beside zeros 1e8 is no far column, until the rows with the zeros are certain of their class."""
    B, _ = table()
    y = labels(B, 3)
    X, _ = moved(B, 1e8)
    X[7, :2] = 0.0  # and two such columns all but depend on each other
    model = quietly(SparseClassifier(alpha=0.02, tol=1e-11, max_iter=20), STORAGE[storage](X), y)
    assert model.predict_proba(X)[7].max() > 1 - 1e-6  # certain: more rounds would change no more
    verified = model.certificate_.verify(STORAGE[storage](X), y)
    assert verified.gap == pytest.approx(model.dual_gap_, rel=1e-3, abs=1e-7)  # predictions round to 1e8 · eps


@pytest.mark.parametrize("storage", STORAGE)
def test_relaxed_fits_paths_and_criteria(storage):
    B, y = table()
    X, shift = moved(B, 1e8)
    make = STORAGE[storage]
    for solver in ("gram", "working_set"):
        relaxed = [SparseRegressor(alpha=0.1, relax=True, solver=solver).fit(Z, y) for Z in (B, make(X))]
        np.testing.assert_allclose(relaxed[1].coef_, relaxed[0].coef_, atol=AGREE)
        chosen = [SparseRegressorCV(penalty=L1L2(0.5), rule="bic", solver=solver).fit(Z, y) for Z in (B, make(X))]
        np.testing.assert_allclose(chosen[1].criterion_path_, chosen[0].criterion_path_, rtol=1e-7)
    paths = [sparse_path(Z, y, alphas=20) for Z in (B, make(X))]
    np.testing.assert_allclose(paths[1].coefs, paths[0].coefs, atol=AGREE)
    back = paths[1].intercepts + paths[1].coefs @ shift
    np.testing.assert_allclose(back, paths[0].intercepts, atol=1e-6)  # intercepts of 1e8 round to 1e-8


def test_rows_from_a_file(tmp_path):
    B, _ = table()
    y = labels(B, 2)
    X, _ = moved(B, 1e8)
    header = ",".join([*(f"x{j}" for j in range(P)), "y"])
    np.savetxt(tmp_path / "t.csv", np.column_stack([X, y]), delimiter=",", header=header, comments="", fmt="%.17g")
    best = SparseClassifier(alpha=0.02, tol=1e-11).fit(B, y)
    model = SparseClassifier(alpha=0.02, tol=1e-11).fit(tmp_path / "t.csv", "y")
    np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-4)
    assert model.certificate_.verify(tmp_path / "t.csv", "y").gap <= model.dual_gap_ + 1e-12


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("standardize", [False, True])
def test_verify_contradicts_a_wrong_certificate(storage, standardize):
    B, y = table()
    X, shift = moved(B, 1e8)
    model = Lasso(alpha=0.1, standardize=standardize).fit(STORAGE[storage](X), y)
    certificate = model.certificate_
    wrong_b = replace(certificate, intercept=certificate.intercept + 0.1)
    assert wrong_b.verify(STORAGE[storage](X), y).gap >= 0.5 * 0.1**2 - 1e-7  # intercepts of 1e8 round to 1e-8
    w = certificate.w + np.array([0.01, 0, 0, 0, 0, 0])
    wrong_w = replace(certificate, w=w, intercept=certificate.intercept - 0.01 * shift[0])
    more = 0.5 * 0.01**2 * B[:, 0].var()
    assert wrong_w.verify(STORAGE[storage](X), y).gap >= 0.9 * more
    if standardize:  # deviations are recomputed as well: a wrong one does not pass
        wrong_scale = replace(certificate, scale=2 * certificate.scale)
        assert wrong_scale.verify(STORAGE[storage](X), y).gap == certificate.verify(STORAGE[storage](X), y).gap


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("datafit", [Squared(), Logistic()], ids=str)
def test_a_gap_counts_the_digits_that_far_columns_cost(storage, datafit):
    """Asked of the columns as they are, which estimators never do, products with 1e10 leave six digits."""
    B, y = table()
    X, shift = moved(B, 1e10)
    y = y if isinstance(datafit, Squared) else np.where(y > 0, 1.0, -1.0)
    near = OperatorProblem(as_operator(B), y, datafit, L1(), 0.05)
    problem = OperatorProblem(as_operator(STORAGE[storage](X)), y, datafit, L1(), 0.05)
    w = np.array([0.5, -0.2, 0.0, 0.3, 0.0, 0.0])
    b = -float(shift @ w)
    exact = near.gap(w, float(sum(Fraction(a) * Fraction(c) for a, c in zip(w, shift, strict=True)) + Fraction(b)))
    far = problem.gap(w, b)
    assert far.primal >= exact.primal - OBJECTIVE
    assert far.dual <= exact.dual + OBJECTIVE


@pytest.mark.parametrize("storage", STORAGE)
def test_a_given_matrix_without_the_digits_is_refused(storage):
    B, y = table()
    X, _ = moved(B, 1e8)
    make = STORAGE[storage]
    with pytest.raises(InputError, match=r"XᵀX about zero.*column 0"):
        Lasso(alpha=0.1, precompute=X.T @ X).fit(make(X), y)
    D = X - X.mean(axis=0)
    model = Lasso(alpha=0.1, precompute=D.T @ D).fit(make(X), y)
    np.testing.assert_allclose(model.coef_, Lasso(alpha=0.1).fit(B, y).coef_, atol=1e-7)  # means round to 1e-8


def test_no_warning_and_no_copy_without_far_columns():
    B, _ = table()
    for make in STORAGE.values():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            S, _ = as_operator(make(B + 3)).far_columns()
        assert len(S) == 0


@pytest.mark.parametrize("storage", STORAGE)
def test_least_squares_without_an_intercept_are_solved_on_rows_where_the_gram_matrix_is_all_rounding(storage):
    """The Gram matrix left a gap of 5e-4 where 1e-7 was asked for, and it counted as rounding."""
    B, y = table()
    X = B + np.round(1e6 * np.array([1.0, -0.25, 0.5, 0.0, 0.0, 0.0]))
    model = SparseRegressor(alpha=0.0, fit_intercept=False).fit(STORAGE[storage](X), y)
    assert model.dual_gap_ <= 1e-7 * 0.5 * np.mean(y**2)
    assert "does not resolve" in model.strategy_
    wide = X.astype(np.longdouble)
    best = least_squares(wide, y.astype(np.longdouble))
    assert half_squares(wide, y, model.coef_) <= half_squares(wide, y, best) + 1e-7 * 0.5 * np.mean(y**2)


def half_squares(X, y, w):
    return float(np.mean((y - X @ w) ** 2) / 2)


def least_squares(X, y):
    """By Gram and Schmidt, twice, in the precision of X."""
    Q, R = np.zeros_like(X), np.zeros((X.shape[1], X.shape[1]), X.dtype)
    for j, x in enumerate(X.T):
        for _ in range(2):
            for i in range(j):
                c = Q[:, i] @ x
                R[i, j] += c
                x = x - c * Q[:, i]
        R[j, j] = np.sqrt(x @ x)
        Q[:, j] = x / R[j, j]
    w, r = np.zeros(X.shape[1], X.dtype), Q.T @ y
    for j in reversed(range(len(w))):
        w[j] = (r[j] - R[j, j + 1 :] @ w[j + 1 :]) / R[j, j]
    return w


def with_constant(n, p, value, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.standard_normal((n, p - 1)), np.full(n, value)])
    return X, X[:, 0] + rng.standard_normal(n)


@pytest.mark.parametrize("value, storage, wide", in_turns([1e8, 1e8 / 3, 0.1, -7.7e-9], STORAGE, [False, True]))
def test_a_constant_column_has_no_part_beside_an_intercept(value, storage, wide):
    """Also where it is not penalised, and where its mean rounds: what is left of it then goes with y by chance."""
    n, p = (30, 200) if wide else (50, 3)
    X, y = with_constant(n, p, value)
    weights = np.append(np.ones(p - 1), 0.0) if wide else np.zeros(p)
    weight = np.random.default_rng(1).integers(0, 3, n).astype(float)
    for solver in ("working_set", "fista"):
        for standardize in (False, True):
            model = SparseRegressor(penalty=L1(weights), alpha=0.1, solver=solver, standardize=standardize, tol=1e-5)
            fitted = model.fit(STORAGE[storage](X), y, sample_weight=weight)
            assert fitted.coef_[-1] == 0
            assert abs(fitted.intercept_) < 10
            assert fitted.dual_gap_ <= 1e-5 * np.var(y)
    several = SparseRegressor(penalty=L1(weights), alpha=0.1, solver="working_set")
    several.fit(STORAGE[storage](X), np.column_stack([y, y**2]))
    assert not several.coef_[:, -1].any()
    assert SparseClassifier(penalty=L1(weights), alpha=0.1).fit(STORAGE[storage](X), y > 1).coef_[0, -1] == 0


@pytest.mark.parametrize("value", [1e8 / 3, 0.1])
def test_a_constant_column_of_a_file_has_no_part(tmp_path, value):
    X, y = with_constant(60, 3, value)
    table = np.column_stack([X, y > 0])
    np.savetxt(tmp_path / "t.csv", table, delimiter=",", header="a,b,c,y", comments="", fmt="%.17g")
    A = as_operator(as_source(tmp_path / "t.csv", "y"))
    S, c = A.far_columns(np.arange(60) % 2)
    assert (S.tolist(), c.tolist()) == ([2], [value])
    model = SparseClassifier(penalty=L1({"c": 0}), alpha=0.05).fit(tmp_path / "t.csv", "y")
    assert model.coef_[0, 2] == 0
    np.testing.assert_allclose(model.coef_, SparseClassifier(alpha=0.05).fit(X, y > 0).coef_, atol=1e-4)


def test_groups_without_penalty_are_least_squares():
    """At α = 0 the blocks of a group mean nothing; descent over them stalls where columns differ by 1e8."""
    rng = np.random.default_rng(1)
    X, y = np.ones((16, 3)), rng.standard_normal(16)
    X[:, 0], X[:, 2] = 1e8, rng.standard_normal(16)
    X[[4, 13], 1] = [2.5, 2.18]
    model = SparseRegressor(penalty=Group([0, 0, 0]), alpha=0.0, fit_intercept=False).fit(X, y)
    best = np.linalg.lstsq(X, y)[0]
    np.testing.assert_allclose(X @ model.coef_, X @ best, rtol=0, atol=1e-7)


@pytest.mark.parametrize("groups", [[[0, 1], [2, 3], [4]], [[0, 1, 2, 3, 4]]])
def test_groups_of_far_columns_without_an_intercept_stay_finite(groups):
    """Their Gram matrix is of rank 1 to rounding: a Newton step led to coefficients of 1e200, and a gap of NaN."""
    X = np.zeros((3, 5))
    X[:, :2] = 1e8 + np.array([[0, 0], [1, 4], [0, 0]])
    y = np.array([1.0, 0.61259476, 0.1778497])
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        model = SparseRegressor(penalty=Group(groups), alpha=1e-3, fit_intercept=False, standardize=True).fit(X, y)
    assert 0 <= model.dual_gap_ < 0.5 * np.mean(y**2)
    assert np.square(y - X @ model.coef_).mean() <= np.mean(y**2)
