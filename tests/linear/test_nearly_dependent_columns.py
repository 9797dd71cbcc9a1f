"""Columns 10⁸ of their spread from zero without an intercept: copies of each other, but for the eighth digit.

What tells them apart is lost in products of columns, and yet least squares depend on it. A gap, a status and a
warning must be true there: the reference orthogonalises the rows in long double.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from reference.sparse import LONG, Squares
from tamis import SparseClassifier, SparseRegressor, sparse_path
from tamis._core.errors import ConvergenceWarning
from tamis.datafits import Logistic, Squared
from tamis.operators import as_operator
from tamis.penalties import L1, Group, SparseGroup, Terms
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.problem import OperatorProblem
from turns import in_turns

pytestmark = pytest.mark.skipif(np.finfo(LONG).eps > 1e-18, reason="the reference needs long doubles")
OBJECTIVE = 1e-13  # of an objective of size 1


def fitted(model, X, y, s=None):
    """The model, and whether it says that it converged."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, sample_weight=s)
    assert all(issubclass(w.category, ConvergenceWarning) for w in caught), [str(w.message) for w in caught]
    return model, not caught


def value(X, y, w, s=None):
    share = np.ones(len(y), LONG) if s is None else s.astype(LONG)
    r = y.astype(LONG) - X.astype(LONG) @ w.astype(LONG)
    return float(share / share.sum() @ r**2 / 2)


def least(X, y, s=None):
    """½ mean (y − Xw)² at its minimum: what is left of y beside all columns."""
    return float(Squares(X, y, s, Terms(np.zeros(X.shape[1]), np.zeros(X.shape[1])), 0.0, intercept=False).residual())


def two_columns(share, seed=1):
    """y has some of the difference of two columns."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((60, 2))
    return 1e8 + Z, share * (Z[:, 0] - Z[:, 1]) + rng.standard_normal(60)


@pytest.mark.parametrize("way", ["dense", "csr"])
@pytest.mark.parametrize("solver", ["auto", "gram", "working_set", "fista", "proximal_gradient"])
@pytest.mark.parametrize("share", [1.0, 0.1, 0.03])
def test_no_gap_is_less_than_what_could_be_gained(share, solver, way):
    X, y = two_columns(share)
    model = SparseRegressor(alpha=0.0, fit_intercept=False, solver=solver, max_iter=10)
    model, converged = fitted(model, X if way == "dense" else sp.csr_array(X), y)
    above = value(X, y, model.coef_) - least(X, y)
    assert model.dual_gap_ >= above - OBJECTIVE
    assert model.certificate_.verify(X, y).gap >= above - OBJECTIVE
    assert converged == (model.dual_gap_ <= 1e-6)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("solver", ["auto", "working_set"])
def test_least_squares_find_what_columns_differ_by(solver, weighted):
    """By products of columns nothing of it is seen: the rows themselves are factored."""
    X, y = two_columns(1.0)
    s = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else None
    model, converged = fitted(SparseRegressor(alpha=0.0, fit_intercept=False, solver=solver), X, y, s)
    assert converged
    assert value(X, y, model.coef_, s) == pytest.approx(least(X, y, s), rel=1e-9)
    np.testing.assert_allclose(model.coef_, [model.coef_[0], -model.coef_[0]], rtol=1e-6)
    assert abs(model.coef_[0]) > 0.5


def test_unpenalised_columns_beside_penalised_ones():
    X, y = two_columns(0.1)
    X = np.column_stack([X, np.random.default_rng(2).standard_normal((60, 3))])
    penalty = L1(weights=[0.0, 0.0, 1.0, 1.0, 1.0])
    model, _ = fitted(SparseRegressor(penalty=penalty, alpha=100.0, fit_intercept=False, solver="working_set"), X, y)
    above = value(X, y, model.coef_) - least(X[:, :2], y)  # at this α the others stay at zero
    assert not model.coef_[2:].any()
    assert model.dual_gap_ >= above - OBJECTIVE


@pytest.mark.parametrize("share", [1.0, 0.1])
@pytest.mark.parametrize("n_columns", [0, 600])
@pytest.mark.parametrize("weight, alpha", [(0.0, 0.5), (1.0, 0.0)])
def test_gaps_of_a_path_are_true(share, n_columns, weight, alpha):
    """Solvers take unpenalised columns to be solved for; the path says what is proved."""
    X, y = two_columns(share)
    wide = np.column_stack([X, np.zeros((60, n_columns))])
    penalty = L1(weights=np.r_[weight, weight, np.ones(n_columns)])
    path = sparse_path(wide, y, penalty=penalty, alphas=[alpha], fit_intercept=False)
    above = value(wide, y, path.coefs[0]) - least(X, y)
    assert path.gaps[0] >= above - OBJECTIVE
    assert (path.statuses[0] == "converged") == (path.gaps[0] <= 1e-6)


def mixed_table():
    """Two columns of which one is 10⁴ throughout and the other 10⁸ but for units, and five of small numbers."""
    X = np.zeros((17, 7))
    X[:, 2], X[:, 4] = 1e8, 1e4
    X[[10, 12, 13, 14], 2] += [3, 2, -2, 2]
    X[[1, 13], 0] = 3, 5
    X[[3, 4, 5, 9, 15, 16], 1] = -2, 1, -2, 1, -2, 1
    X[[4, 5, 11, 14, 16], 3] = -1, 2, 1, 3, -2
    X[[8, 10, 11, 12], 5] = -4, -4, -1, 5
    X[9, 6] = -7
    return X


@pytest.mark.parametrize("solver", ["auto", "gram", "working_set"])
def test_coefficients_of_one_sign_without_a_penalty(solver):
    """w ≥ 0: moving from one of the far columns to the other gains 1e-12 and more, of which the gap knows."""
    rng = np.random.default_rng(0)
    X = mixed_table()
    y, s = rng.standard_normal(17) + X[:, 6] / 7 + 0.3, rng.uniform(0.1, 2, 17)
    model, converged = fitted(
        SparseRegressor(penalty=L1(positive=True), alpha=0.0, fit_intercept=False, solver=solver), X, y, s
    )
    assert converged
    assert model.dual_gap_ >= gain_of_a_trade(X, y, s, model.coef_, 2, 4) - 1e-18


def gain_of_a_trade(X, y, s, w, i, j):
    """By how much the objective falls at most where w moves between columns i and j and stays ≥ 0."""
    X, w, share = X.astype(LONG), w.astype(LONG), s.astype(LONG) / s.astype(LONG).sum()
    r = y.astype(LONG) - X @ w
    gain = 0.0
    for a, b in ((i, j), (j, i)):
        rate = X[0, b] / X[0, a]
        d = X[:, b] - X[:, a] * rate
        slope, curve = share @ (r * d), share @ d**2
        t = min(max(slope / curve, LONG(0)), w[a] / rate)
        gain = max(gain, float(slope * t - curve * t**2 / 2))
    return gain


def test_proximal_steps_that_went_nowhere_are_said_to_have():
    """The rounding of numbers of 10⁸ is no excuse for a gap as large as the objective."""
    rng = np.random.default_rng(3)
    Z = np.rint(rng.standard_normal((17, 8)) * (rng.random((17, 8)) < 0.3) * 3)
    Z[:, [2, 4]] += 1e8
    y = Z[:, 6] / 3 + rng.standard_normal(17) + Z[:, 2] - Z[:, 4]
    penalty = L1(weights=[0.5, 2.0, 0.0, 0.5, 0.0, 0.5, 0.0, 2.0])
    model = SparseRegressor(penalty=penalty, alpha=0.0, fit_intercept=False, solver="fista", max_iter=20)
    model, converged = fitted(model, Z, y)
    assert model.dual_gap_ >= value(Z, y, model.coef_) - least(Z, y) - OBJECTIVE
    assert model.dual_gap_ > 1e-3
    assert not converged


@pytest.mark.parametrize("seed, solver, n_outputs", in_turns(range(4), ["auto", "working_set"], [1, 2]))
def test_groups_whose_products_are_of_rank_one_do_not_run_away(seed, solver, n_outputs):
    """H, rounded, is less than 0 along some directions: there the objective would fall for ever."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((3, 8))
    X[:, 0] *= 1e-12
    X[:, [1, 3, 4, 5, 7]] += 1e8
    y = 2 * rng.standard_normal((3, n_outputs))
    groups = [0, 0, 1, 2, 2, 2, 3, 3]
    penalty = Group(groups) if n_outputs > 1 else SparseGroup(groups, 0.4)
    model = SparseRegressor(penalty=penalty, alpha=0.3, fit_intercept=False, standardize=True, solver=solver)
    model, converged = fitted(model, X, y[:, 0] if n_outputs == 1 else y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.dual_gap_)
    assert model.dual_gap_ <= (y**2).sum() or not converged


def test_statistics_that_resolve_nothing_say_so():
    """Twelve digits are lost in yy − 2 qᵀw + wᵀGw: a gap of that size is not called convergence."""
    rng = np.random.default_rng(0)
    X, y = 1e8 + rng.standard_normal((40, 2)), rng.standard_normal(40)
    G, q = X.T @ X / 40, X.T @ y / 40
    problem = GramProblem(G, q, y @ y / 40, 40, L1(), 0.0, np.array([True, True]))
    w = np.array([0.1, -0.1])
    assert problem.gap(w).gap > problem.rounding(w)
    assert problem.rounding(w) < 1e-3 * problem.yy


@pytest.mark.parametrize("datafit", ["logistic", "squared"])
def test_the_gap_of_rows_has_the_rounding_of_its_projection(datafit):
    """The gap with unpenalised columns that nearly agree is that of the same columns made orthogonal."""
    rng = np.random.default_rng(5)
    Z = np.round(rng.standard_normal((50, 2)) * 64) / 64
    y = np.where(Z[:, 0] - Z[:, 1] + rng.standard_normal(50) > 0, 1.0, -1.0)
    fit = Logistic() if datafit == "logistic" else Squared()
    close, apart = np.column_stack([1e6 + Z[:, 0], 1e6 + Z[:, 1]]), np.column_stack([1e6 + Z[:, 0], Z[:, 1] - Z[:, 0]])
    w = np.array([1e-7, -1e-7])
    gaps = [
        OperatorProblem(as_operator(X), y, fit, L1(), 0.0, None, False).gap(v).gap
        for X, v in ((close, w), (apart, np.array([w.sum(), w[1]])))
    ]
    assert gaps[0] == pytest.approx(gaps[1], rel=1e-6)
    assert gaps[1] > 1e-3


def test_copies_among_unpenalised_columns_leave_the_proof():
    """Columns that depend on others to the last digit vanish with them: nothing is lost."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4))
    X = np.column_stack([X, X[:, 0], X[:, 1] - X[:, 2]])
    y = X[:, 0] + rng.standard_normal(80)
    for solver in ("gram", "working_set"):
        for fit_intercept in (True, False):
            model = SparseRegressor(alpha=0.0, solver=solver, fit_intercept=fit_intercept)
            model, converged = fitted(model, X, y)
            assert converged
            assert model.dual_gap_ <= 1e-10
            assert model.certificate_.verify(X, y).gap <= 1e-10
    classes = (y > 0).astype(int)
    model, converged = fitted(SparseClassifier(penalty=L1(weights=[0, 0, 0, 1, 0, 0]), alpha=0.1), X, classes)
    assert converged
    assert model.certificate_.verify(X, classes).gap <= 1e-6


def copy_at(level, difference, seed):
    """The last column is the first, moved away by ``level`` and rounded there, and differs by so much besides."""
    rng = np.random.default_rng(seed)
    X, z = rng.normal(size=(40, 4)), rng.normal(size=40)
    X = np.c_[X, X[:, 0] + difference * z + level]
    return X, X[:, 1] + z + rng.normal(size=40)


@pytest.mark.parametrize("solver", ["auto", "gram", "working_set"])
@pytest.mark.parametrize(("level", "seed"), [(6.6e3, 237), (9.8e3, 235), (5.8e3, 243), (1.3e4, 277)])
def test_a_copy_that_was_rounded_elsewhere_is_not_taken_for_one(solver, level, seed):
    X, y = copy_at(level, 0.0, seed)
    model, _ = fitted(SparseRegressor(alpha=0.0, solver=solver), X, y)
    reference = Squares(X, y, None, Terms(np.zeros(5), np.zeros(5)), 0.0, intercept=True)
    rounded = 1e-15 * (level * np.abs(model.coef_).sum() + 10)
    assert reference.value(model.coef_, model.intercept_) <= reference.residual() + model.dual_gap_ + rounded


@pytest.mark.parametrize("difference", [1e-6, 1e-8, 1e-10])
def test_rows_are_taken_where_the_gram_matrix_does_not_tell_columns_apart(difference):
    X, y = copy_at(0.0, difference, 0)
    model, converged = fitted(SparseRegressor(alpha=0.0, tol=1e-4), X, y)
    assert converged
    assert model.strategy_.startswith("working_set")
    reference = Squares(X, y, None, Terms(np.zeros(5), np.zeros(5)), 0.0, intercept=True)
    assert reference.value(model.coef_, model.intercept_) <= reference.residual() + 1e-4


def test_a_constant_column_leaves_the_proof_of_others_far_from_zero():
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(50, 3)) + 1e4, np.full(50, 7.0)]
    model, converged = fitted(SparseRegressor(alpha=0.0, solver="gram"), X, X[:, 0] + rng.normal(size=50))
    assert converged
    assert model.dual_gap_ <= 1e-7
