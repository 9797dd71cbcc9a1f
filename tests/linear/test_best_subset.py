"""Best subsets: equal to exhaustive search, with bounds that hold and can be recomputed."""

import warnings
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from tamis import BestSubset, InputError
from tamis.datafits import Squared
from tamis.operators import as_operator
from tamis.penalties import L2
from tamis.solvers.perspective import Relaxation
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.subset_statistics import SubsetStatistics


def rows(seed, n=60, p=10, k=3, rho=0.5, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    w = np.zeros(p)
    w[rng.choice(p, k, replace=False)] = rng.choice([-1.0, 1.0], k)
    return X, X @ w + noise * rng.standard_normal(n) + 3.0


def value(X, y, S, ridge, s=None):
    """The objective of the best fit on S, intercept included, by its own normal equations."""
    h = np.full(len(y), 1 / len(y)) if s is None else s / s.sum()
    Z, t = X[:, list(S)] - h @ X[:, list(S)], y - h @ y
    w = np.linalg.solve(Z.T @ (h[:, None] * Z) + ridge * np.eye(len(S)), Z.T @ (h * t))
    return 0.5 * h @ (t - Z @ w) ** 2 + 0.5 * ridge * w @ w


def exhaustive(X, y, K, ridge, s=None):
    return min((value(X, y, S, ridge, s), S) for S in combinations(range(X.shape[1]), K))


@pytest.mark.parametrize("ridge", [0.0, 0.05])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_equal_to_exhaustive_search(seed, weighted, ridge):
    X, y = rows(seed)
    s = np.random.default_rng(seed).uniform(0.2, 2.0, len(y)) if weighted else None
    for K in (1, 2, 4, 7):
        model = BestSubset(K, ridge).fit(X, y, s)
        best, S = exhaustive(X, y, K, ridge, s)
        assert tuple(np.flatnonzero(model.coef_)) == S
        assert model.certificate_.primal == pytest.approx(best, rel=1e-10)
        assert model.certificate_.relative_gap <= 1e-12
        again = model.certificate_.verify(X, y, s)
        assert again.primal == pytest.approx(best, rel=1e-10)
        assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-8)


@pytest.mark.parametrize("inside, outside", [((), ()), ((1, 4), ()), ((), (0, 2, 5)), ((3,), (1, 2))])
@pytest.mark.parametrize("seed", range(2))
def test_perspective_bounds_are_below_every_subset(seed, inside, outside):
    X, y = rows(seed, p=9)
    problem = OperatorProblem(as_operator(X), y, Squared(), L2())
    for ridge in (1e-3, 0.1, 1.0):
        node = Relaxation(SubsetStatistics(problem, ridge), 3).at(inside, outside, 0)
        possible = [S for S in combinations(range(9), 3) if set(inside) <= set(S) and not set(outside) & set(S)]
        best = min(value(X, y, S, ridge) for S in possible)
        assert 0 < node.bound <= best * (1 + 1e-9)
        if ridge == 1.0:
            assert node.bound > 0.9 * best  # the ridge makes the relaxation tight


def test_branch_and_bound_proves_and_its_leaves_are_verified():
    X, y = rows(3, n=100, p=60, k=4)
    model = BestSubset(4, ridge=0.3, tol=1e-3, time_limit=20).fit(X, y)
    assert model.strategy_.startswith("branch and bound by perspective bounds")
    assert model.certificate_.relative_gap <= 1e-3
    again = model.certificate_.verify(X, y)
    assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-6)
    assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-10)
    best = min(value(X, y, S, 0.3) for S in combinations(np.argsort(-np.abs(X.T @ (y - y.mean())))[:12], 4))
    assert model.certificate_.dual <= best


def test_a_proof_with_a_leaf_left_out_proves_nothing():
    from dataclasses import replace

    X, y = rows(4, n=80, p=50, k=4)
    model = BestSubset(4, ridge=0.02, tol=1e-6, time_limit=2).fit(X, y)
    leaves = model.certificate_.leaves
    assert len(leaves) > 1
    assert model.certificate_.verify(X, y).dual > 0
    assert replace(model.certificate_, leaves=leaves[1:]).verify(X, y).dual == 0


def test_more_columns_than_rows_without_a_ridge_have_an_honest_gap():
    X, y = rows(5, n=30, p=80)
    model = BestSubset(3).fit(X, y)
    assert np.count_nonzero(model.coef_) == 3
    assert model.certificate_.relative_gap == 1
    assert model.certificate_.verify(X, y).relative_gap == 1


def test_no_time_still_gives_a_subset_and_a_bound_that_holds():
    X, y = rows(6, n=100, p=60, k=4)
    model = BestSubset(4, ridge=0.01, time_limit=0).fit(X, y)
    assert np.count_nonzero(model.coef_) == 4
    assert 0 < model.certificate_.relative_gap <= 1
    assert model.certificate_.verify(X, y).dual == pytest.approx(model.certificate_.dual, rel=1e-6)


@pytest.mark.parametrize("options", [{"standardize": True}, {"fit_intercept": False}], ids=str)
def test_scaled_and_uncentred_columns(options):
    X, y = rows(7)
    X[:, 2] *= 10
    model = BestSubset(3, ridge=0.1, **options).fit(X, y)
    again = model.certificate_.verify(X, y)
    assert again.gap <= 1e-9
    assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-9)


def test_sizes_at_the_edge():
    X, y = rows(8)
    none = BestSubset(0).fit(X, y)
    assert not none.coef_.any()
    assert none.intercept_ == pytest.approx(y.mean())
    assert none.certificate_.gap == 0
    for K in (10, 25):
        everything = BestSubset(K).fit(X, y)
        ols = np.linalg.lstsq(np.column_stack([np.ones(len(y)), X]), y, rcond=None)[0]
        np.testing.assert_allclose(everything.coef_, ols[1:], atol=1e-10)
        assert everything.certificate_.gap == 0
    for bad, words in (
        (-1, "n_nonzero must be"),
        ("three", "n_nonzero must be"),
        ([], "holds no size"),
        (2.5, "n_nonzero must"),
    ):
        with pytest.raises(InputError, match=words):
            BestSubset(bad).fit(X, y)
    with pytest.raises(InputError, match="ridge must be"):
        BestSubset(2, ridge=-1).fit(X, y)
    with pytest.raises(InputError, match="one target"):
        BestSubset(2).fit(X, np.column_stack([y, y]))


@pytest.mark.parametrize("rule", ["bic", "cv"])
def test_a_size_is_chosen_among_several(rule):
    X, y = rows(9, n=200, p=12, k=4, noise=0.5)
    model = BestSubset(range(1, 9), rule=rule, cv=4).fit(X, y)
    assert model.n_nonzero_ in (4, 5)
    assert model.sizes_.tolist() == list(range(1, 9))
    assert model.criterion_path_.argmin() == model.n_nonzero_ - 1
    assert model.certificate_.relative_gap <= 1e-12


def test_storage():
    X, y = rows(10)
    X[np.abs(X) < 0.4] = 0
    models = [BestSubset(3).fit(given, y) for given in (X, sp.csr_array(X), X.astype(np.float32))]
    for model in models[1:]:
        np.testing.assert_array_equal(model.support_, models[0].support_)
        np.testing.assert_allclose(model.coef_, models[0].coef_, atol=1e-5)


def test_dependent_columns():
    X, y = rows(11)
    X[:, 5] = X[:, 1]
    X[:, 6] = 0
    model = BestSubset(3).fit(X, y)
    assert model.certificate_.primal == pytest.approx(
        exhaustive(X[:, [0, 1, 2, 3, 4, 7, 8, 9]], y, 3, 0.0)[0], rel=1e-9
    )
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}], ids=str)
@pytest.mark.parametrize("K", [2, 5, 8])
def test_copies_and_constants_leave_the_proof_whole(K, options):
    X, y = rows(3, p=8)
    X[:, 0] = 7.0 if options == {} else 0.0
    X[:, 1], X[:, 5] = -2.0 * X[:, 4], X[:, 4]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BestSubset(K, **options).fit(X, y)
    plain = BestSubset(K, **options).fit(X[:, [2, 3, 4, 6, 7]], y)
    assert model.certificate_.primal == pytest.approx(plain.certificate_.primal, rel=1e-12)
    assert model.certificate_.relative_gap <= 1e-12
    assert model.certificate_.verify(X, y).gap <= 1e-9 * model.certificate_.primal


def test_columns_that_products_do_not_tell_apart_are_fitted_on_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 3))
    X[:, 0] = X[:, 2] + 1e-8 * rng.standard_normal(30)
    y = 1e8 * (X[:, 0] - X[:, 2]) + 0.1 * rng.standard_normal(30)
    model = BestSubset(3).fit(X, y)
    least = np.linalg.lstsq(np.column_stack([np.ones(30), X]), y, rcond=1e-15)[1]
    r = y - model.predict(X)
    assert r @ r <= least[0] * (1 + 1e-6) if len(least) else r @ r <= 30 * 0.02
    assert model.certificate_.verify(X, y).primal == pytest.approx(model.certificate_.primal, rel=1e-6)


def test_no_column_of_few_rows_can_be_verified():
    X, y = rows(0, n=3, p=7)
    assert BestSubset(0).fit(X, y).certificate_.verify(X, y).gap <= 1e-12


def test_intercepts_of_single_precision_make_up_for_far_columns():
    X, y = rows(1)
    X = (X + np.r_[1e5, np.zeros(9)]).astype(np.float32)
    model = BestSubset(9).fit(X, y)
    r = y - X.astype(float) @ model.coef_.astype(float) - model.intercept_
    assert abs(r.mean()) <= 1e-6
