"""Few columns for the logistic loss: near the best of all subsets, minima of their own, no proof, edges defined."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from tamis import BestSubsetClassifier, InputError, SparseClassifier
from tamis._core.errors import ConvergenceWarning


def rows(seed, n=150, p=9, k=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 1:] = 0.6 * X[:, :-1] + 0.8 * X[:, 1:]
    w = np.zeros(p)
    w[rng.choice(p, k, replace=False)] = rng.choice([-1.5, 1.5], k)
    return X, np.where(X @ w + 0.5 + rng.logistic(size=n) > 0, "yes", "no")


def loss(X, y, S):
    model = SparseClassifier(alpha=0.0, tol=1e-10).fit(X[:, list(S)], y)
    return -np.mean(model.predict_log_proba(X[:, list(S)])[np.arange(len(y)), (y == "yes").astype(int)])


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_best_of_all_subsets_of_a_small_table(seed):
    X, y = rows(seed)
    model = BestSubsetClassifier(3, ridge=0.0).fit(X, y)
    best = min((loss(X, y, S), S) for S in combinations(range(9), 3))
    assert tuple(np.flatnonzero(model.support_)) == best[1]
    assert model.coef_.shape == (1, 9)
    got = -np.mean(model.predict_log_proba(X)[np.arange(len(y)), (y == "yes").astype(int)])
    assert got == pytest.approx(best[0], rel=1e-7)
    assert model.certificate_ is None
    assert np.isnan(model.dual_gap_)
    assert model.diagnostics_["kkt"] <= 1e-7


@pytest.mark.parametrize("rule", ["bic", "cv"])
def test_the_size_is_chosen_of_several(rule):
    X, y = rows(5, n=400)
    model = BestSubsetClassifier(range(7), 0.0, rule=rule).fit(X, y)
    assert model.sizes_.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert model.n_nonzero_ == model.sizes_[model.criterion_path_.argmin()] >= 3
    if rule == "bic":
        assert model.n_nonzero_ == 3


def test_storages_weights_and_scales_agree():
    X, y = rows(6)
    X[np.abs(X) < 0.3] = 0.0
    s = np.random.default_rng(0).integers(1, 3, len(y)).astype(float)
    fit = BestSubsetClassifier(3, ridge=0.01).fit(X, y, s)
    twice = np.repeat(np.arange(len(y)), s.astype(int))
    for other in (
        BestSubsetClassifier(3, ridge=0.01).fit(sp.csr_array(X), y, s),
        BestSubsetClassifier(3, ridge=0.01).fit(X[twice], y[twice]),
    ):
        np.testing.assert_allclose(other.coef_, fit.coef_, atol=1e-7)
    single = BestSubsetClassifier(3, ridge=0.01).fit(X.astype(np.float32), y, s)
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, fit.coef_, atol=1e-4)
    plain, scaled = (BestSubsetClassifier(3, 0.0, standardize=t).fit(X, y) for t in (False, True))
    np.testing.assert_allclose(scaled.coef_, plain.coef_, atol=1e-6)


def test_no_columns_and_all_columns():
    X, y = rows(7)
    none = BestSubsetClassifier(0, 0.0).fit(X, y)
    assert not none.coef_.any()
    assert none.predict_proba(X)[0, 1] == pytest.approx(np.mean(y == "yes"), rel=1e-9)
    everything = BestSubsetClassifier(99, 0.0).fit(X, y)
    assert everything.support_.all()
    np.testing.assert_allclose(everything.coef_, SparseClassifier(alpha=0.0, tol=1e-12).fit(X, y).coef_, rtol=1e-4)


def test_separable_classes_are_warned_about_and_a_ridge_makes_them_finite():
    X, _ = rows(8)
    y = np.where(X[:, 2] > 0, 1, 0)
    with pytest.warns(ConvergenceWarning, match="separate the classes perfectly.*ridge > 0"):
        model = BestSubsetClassifier(2, 0.0).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.support_[2]
    ridged = BestSubsetClassifier(2, ridge=0.01).fit(X, y)
    assert np.abs(ridged.coef_).max() < 100


def test_more_than_two_classes_are_refused():
    X, _ = rows(9)
    with pytest.raises(InputError, match="two classes, y has 3"):
        BestSubsetClassifier(2).fit(X, np.arange(len(X)) % 3)
