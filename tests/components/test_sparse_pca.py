"""Sparse PCA: published loadings, optimality of each step, limits of the lasso, proofs, and what must not happen."""

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from tamis import InputError, SparsePCA
from tamis.components.sparse_certified import Certified
from tamis.components.sparse_data import MatrixView, RowsView, adjusted_variances
from tamis.components.sparse_methods import Elastic, LassoPCA, Power, Sparsity
from tamis.datasets import load_pitprops
from tolerances import AGREE, ROUNDING

# Zou, Hastie & Tibshirani 2006, Table 3: λ₁ = (.06, .16, .1, .5, .5, .5), λ₂ = 1e-6; an early-stopped iterate.
ZOU = {
    0: {"topdiam": -.477, "length": -.476, "ovensg": .177, "ringbut": -.250,
        "bowmax": -.344, "bowdist": -.416, "whorls": -.400},
    1: {"moist": .785, "testsg": .620, "bowmax": -.021, "knots": .013},
    2: {"ovensg": .640, "ringtop": .589, "ringbut": .492, "diaknot": -.015},
    3: {"clear": -1.0}, 4: {"knots": -1.0}, 5: {"diaknot": 1.0},
}  # fmt: skip
# The course notes on feature extraction (Bresson 2017), up to signs.
NOTES = {
    0: {"topdiam": .4767, "length": .4951, "ovensg": -.1152, "ringbut": .1938,
        "bowmax": .3447, "bowdist": .4143, "whorls": .4317},
    1: {"moist": .8053, "testsg": .5929},
    2: {"ovensg": .6172, "ringtop": .5809, "ringbut": .5145, "diaknot": -.1300},
    3: {"clear": 1.0}, 4: {"knots": 1.0}, 5: {"diaknot": 1.0},
}  # fmt: skip


def published(table):
    names = load_pitprops().feature_names
    V = np.array([[table[k].get(name, 0.0) for name in names] for k in range(6)])
    return V * np.sign(V[np.arange(6), np.abs(V).argmax(axis=1)])[:, None]


@pytest.mark.parametrize(
    "penalties, table",
    [([0.06, 0.16, 0.1, 0.5, 0.5, 0.5], ZOU), ([0.116, 0.432, 0.161, 0.320, 1.077, 0.935], NOTES)],
    ids=["zou", "notes"],
)
def test_pitprops_has_the_published_loadings(penalties, table):
    pitprops = load_pitprops()
    model = SparsePCA(6, alpha=np.array(penalties) / 2).fit_covariance(pitprops.correlation)
    expected = published(table)
    ours = model.components_ * np.sign((model.components_ * expected).sum(axis=1))[:, None]
    np.testing.assert_allclose(ours, expected, atol=0.01)
    assert ((ours != 0) == (expected != 0)).all()


def test_pitprops_has_the_published_adjusted_variances():
    model = SparsePCA(6, alpha=[0.03, 0.08, 0.05, 0.25, 0.25, 0.25]).fit_covariance(load_pitprops().correlation)
    np.testing.assert_allclose(100 * model.explained_variance_ratio_, [28.0, 14.0, 13.3, 7.4, 6.8, 6.2], atol=0.06)


def rows(n, p, seed=0):
    """A few groups of correlated columns."""
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((n, 3)) * [4, 3, 2]
    loadings = np.zeros((3, p))
    for k, part in enumerate(np.array_split(rng.permutation(p)[: 3 * (p // 4)], 3)):
        loadings[k, part] = rng.choice([-1, 1], len(part)) * rng.uniform(0.7, 1.3, len(part))
    return factors @ loadings + rng.standard_normal((n, p)) + 5, loadings


SHAPES = [(100, 12), (15, 60)]


@pytest.mark.parametrize("n, p", SHAPES)
def test_rows_and_covariances_agree(n, p):
    X, _ = rows(n, p)
    C = np.cov(X.T, ddof=0)
    for method in (Elastic(0.1), "elastic", "power"):
        a = SparsePCA(2, method=method, alpha=0.3).fit(X)
        b = SparsePCA(2, method=method, alpha=0.3).fit_covariance(C, n_samples=n)
        np.testing.assert_allclose(a.components_, b.components_, atol=1e-4)
        np.testing.assert_allclose(a.explained_variance_ratio_, b.explained_variance_ratio_, atol=1e-4)


@pytest.mark.parametrize("n, p", SHAPES)
def test_a_step_of_elastic_nets_is_optimal(n, p):
    """0 ∈ C(b − a) + α₂ b + α ∂‖b‖₁."""
    X, _ = rows(n, p)
    Y = (X - X.mean(axis=0)) / np.sqrt(n)
    C, a = Y.T @ Y, np.linalg.svd(Y)[2][0]
    alpha, ridge = 0.2 * np.abs(C @ a).max(), 0.1
    for view in (MatrixView(C), RowsView(Y)):
        b = view.elastic_net(a, alpha, ridge, np.zeros(p))
        g = C @ (b - a) + ridge * b
        np.testing.assert_allclose(g[b != 0], -alpha * np.sign(b[b != 0]), atol=1e-6 * alpha)
        assert np.abs(g[b == 0]).max(initial=0.0) <= alpha * (1 + 1e-6)


def test_rounds_of_the_elastic_method_descend():
    X, _ = rows(60, 10)
    Y = (X - X.mean(axis=0)) / np.sqrt(60)
    C, V = Y.T @ Y, np.linalg.svd(Y)[2][:3]

    def objective(B, A):
        return 0.5 * np.trace((np.eye(10) - A @ B).T @ C @ (np.eye(10) - A @ B)) + 0.05 * (B**2).sum() + np.abs(B).sum()

    A, values = V.T, []
    view = MatrixView(C)
    for _ in range(10):
        B = np.array([view.elastic_net(a, 1.0, 0.1, np.zeros(10)) for a in A.T])
        values.append(objective(B, A))
        U, _, Wt = np.linalg.svd(C @ B.T, full_matrices=False)
        A = U @ Wt
    assert (np.diff(values) <= 1e-9).all()
    found = Elastic(0.1, tol=1e-9).loadings(view, V, Sparsity(np.ones(3), None))
    np.testing.assert_allclose(found.V, B / np.linalg.norm(B, axis=1, keepdims=True), atol=0.05)


def test_planted_groups_are_found():
    X, loadings = rows(400, 24)
    for method in ("elastic", "lasso", "power", Power("l0"), Power(block=True)):
        count = int((loadings[0] != 0).sum())
        V = SparsePCA(1, method=method, n_nonzero=count).fit(X).components_[0]
        missed = set(np.flatnonzero(loadings[0])) - set(np.flatnonzero(V))
        assert len(missed) <= (1 if method in ("elastic", "lasso") else 0)  # a lasso may prefer a neighbour


@pytest.mark.parametrize("method", ["elastic", "lasso", "power", Elastic(np.inf), Power(block=True)])
def test_counts_are_kept(method):
    X, _ = rows(50, 20)
    V = SparsePCA(3, method=method, n_nonzero=[7, 4, 2]).fit(X).components_
    assert (V != 0).sum(axis=1).tolist() == [7, 4, 2]
    np.testing.assert_allclose(np.linalg.norm(V, axis=1), 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_lasso_has_at_most_as_many_loadings_as_rows_and_an_elastic_net_more(seed):
    X, _ = rows(8, 60, seed)
    alpha = 1e-3
    lasso = SparsePCA(2, method=LassoPCA(max_iter=30, tol=1e-2), alpha=alpha).fit(X)
    assert ((lasso.components_ != 0).sum(axis=1) <= 8 - 1).all()  # centred rows have rank n − 1
    elastic = SparsePCA(2, method=Elastic(ridge=10.0), alpha=alpha).fit(X)
    assert ((elastic.components_ != 0).sum(axis=1) > 8).all()


def test_an_infinite_ridge_is_the_limit_of_large_ones():
    X, _ = rows(30, 40)
    limit = SparsePCA(2, method=Elastic(np.inf), alpha=1.0).fit(X).components_
    large = SparsePCA(2, method=Elastic(1e7), alpha=1.0).fit(X).components_
    np.testing.assert_allclose(large, limit, atol=1e-4)


def test_without_a_penalty_components_are_principal():
    X, _ = rows(100, 8)
    V = np.linalg.svd(X - X.mean(axis=0))[2][:3]
    for method in (Elastic(tol=1e-9), "power", LassoPCA(tol=1e-9)):
        found = SparsePCA(3, method=method, alpha=0.0).fit(X).components_
        np.testing.assert_allclose(np.abs(np.sum(found * V, axis=1)), 1.0, atol=1e-5)


@pytest.mark.parametrize("penalty", ["l1", "l0"])
def test_the_power_method_beats_random_directions(penalty):
    X, _ = rows(60, 8)
    C = np.cov(X.T, ddof=0)
    alpha = 0.5 if penalty == "l1" else 2.0
    v = SparsePCA(1, method=Power(penalty), alpha=alpha).fit_covariance(C).components_[0]

    def objective(v):
        size = v @ C @ v
        return np.sqrt(size) - alpha * np.abs(v).sum() if penalty == "l1" else size - alpha * (v != 0).sum()

    if penalty == "l1":  # the pattern's best v, as the method's last step leaves it
        rng = np.random.default_rng(0)
        near = v + 0.02 * rng.standard_normal((500, 8)) * (v != 0)
        near /= np.linalg.norm(near, axis=1, keepdims=True)
        assert objective(v) >= max(map(objective, near)) - 1e-3
    else:
        S = np.flatnonzero(v)
        singles = [objective(np.eye(8)[j]) for j in range(8)]
        assert objective(v) >= max(singles)
        assert len(S) > 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("m", [1, 3, 5])
def test_certified_components_are_the_best_of_all_subsets(seed, m):
    X, _ = rows(30, 9, seed)
    C = np.corrcoef(X.T)
    model = SparsePCA(2, method="certified", n_nonzero=m).fit_covariance(C)
    best = max(np.linalg.eigvalsh(C[np.ix_(S, S)])[-1] for S in map(list, itertools.combinations(range(9), m)))
    v = model.components_[0]
    np.testing.assert_allclose(v @ C @ v, best, rtol=AGREE)
    for proof in model.certificate_:
        assert proof.gap <= 1e-9
        np.testing.assert_allclose(proof.verify(C).bound, proof.bound, rtol=1e-8)
    assert SparsePCA(1, n_nonzero=m).fit_covariance(C).certificate_ is None


def test_a_search_that_is_cut_short_says_how_far_it_got():
    C = np.corrcoef(rows(30, 14)[0].T)
    with pytest.warns(Warning, match="max_nodes"):
        model = SparsePCA(1, method=Certified(max_nodes=1), n_nonzero=4).fit_covariance(C)
    proof = model.certificate_[0]
    best = max(np.linalg.eigvalsh(C[np.ix_(S, S)])[-1] for S in map(list, itertools.combinations(range(14), 4)))
    assert proof.variance <= best <= proof.bound * (1 + ROUNDING)


def test_adjusted_variances_are_those_of_a_qr():
    X, _ = rows(50, 10)
    Xc = X - X.mean(axis=0)
    model = SparsePCA(3, n_nonzero=4).fit(X)
    R = np.linalg.qr(Xc @ model.components_.T)[1]
    np.testing.assert_allclose(model.explained_variance_, np.diag(R) ** 2 / 49, rtol=1e-8)
    twice = np.vstack([model.components_[0], model.components_[0]])
    assert adjusted_variances(MatrixView(np.cov(X.T)), twice)[1] == 0  # adds nothing


def test_loadings_that_are_all_zero_name_the_alpha_to_try():
    C = load_pitprops().correlation
    with pytest.warns(UserWarning, match=r"component 0 has no loadings: alpha must be below .* try alpha="):
        model = SparsePCA(2, method="power", alpha=[50.0, 0.1]).fit_covariance(C)
    assert not model.components_[0].any()
    assert model.explained_variance_[0] == 0
    with pytest.warns(UserWarning, match="2 components have no loadings"):
        SparsePCA(2, alpha=50.0).fit_covariance(C)


@pytest.mark.parametrize("n", [40, 5])
def test_constant_and_duplicated_columns(n):
    X, _ = rows(n, 6)
    wide = np.column_stack([X, np.full(n, 3.3), X[:, 0]])
    for method in ("elastic", "lasso", "power", "certified"):
        model = SparsePCA(2, method=method, n_nonzero=3).fit(wide)
        assert (model.components_[:, 6] == 0).all()
        assert np.isfinite(model.transform(wide)).all()
    with pytest.raises(InputError, match="no variance"):
        SparsePCA(1).fit(np.ones((4, 3)))


@pytest.mark.parametrize("method", ["elastic", "lasso", "power", "certified"])
@pytest.mark.parametrize("n, p", [(30, 6), (6, 30)])
def test_components_beyond_the_rank_explain_nothing(method, n, p):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2)) @ rng.standard_normal((2, p)) + 1  # of rank 2 about its mean
    if method == "certified":
        X = X[:, :6]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some have no loadings, or are not settled
        model = SparsePCA(4, method=method, n_nonzero=6).fit(X)
    assert np.isfinite(model.components_).all()
    shares = model.explained_variance_ratio_
    assert shares.sum() <= 1 + ROUNDING * 100
    assert (shares >= 0).all()
    assert shares[2:].max() < 1e-6
    assert np.isfinite(model.inverse_transform(model.transform(X))).all()


@pytest.mark.parametrize("method", ["elastic", "lasso", "power"])
@pytest.mark.parametrize("n, p", SHAPES)
def test_runs_agree_in_sign_and_order(method, n, p):
    X, _ = rows(n, p)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lassos of wide rows settle slowly
        a, b, flipped = (SparsePCA(3, method=method, n_nonzero=4).fit(Z) for Z in (X, np.asfortranarray(X), -X))
    np.testing.assert_allclose(a.components_, b.components_, atol=1e-6)
    np.testing.assert_allclose(a.components_, flipped.components_, atol=1e-6)
    assert (a.components_[np.arange(3), np.abs(a.components_).argmax(axis=1)] > 0).all()


def test_frames_keep_names_and_weights_count():
    X, _ = rows(40, 5)
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = SparsePCA(2, n_nonzero=2).fit(frame)
    assert list(model.get_feature_names_out()) == ["sparsepca0", "sparsepca1"]
    assert list(model.loadings_frame().columns) == ["feature", "sparsepca0", "sparsepca1"]
    s = np.random.default_rng(0).integers(1, 4, 40)
    a, b = (SparsePCA(2, n_nonzero=2).fit(*given) for given in ((X, None, s), (np.repeat(X, s, axis=0),)))
    np.testing.assert_allclose(a.components_, b.components_, atol=1e-6)


@pytest.mark.parametrize(
    "options, match",
    [
        ({"n_components": 9}, "between 1 and 5"),
        ({"n_components": 0.5}, "whole number"),
        ({"alpha": 0.1, "n_nonzero": 2}, "both given"),
        ({"alpha": [0.1, 0.2, 0.3]}, "one per component"),
        ({"alpha": -1.0}, "alpha must be"),
        ({"n_nonzero": 6}, "n_nonzero must be"),
        ({"method": "lars"}, "method must be one of"),
        ({"method": "certified", "alpha": 0.1}, "n_nonzero instead of alpha"),
    ],
)
def test_options_that_make_no_sense(options, match):
    with pytest.raises(InputError, match=match):
        SparsePCA(**options).fit(rows(20, 5)[0])


def test_a_path_over_sparsity_is_single_fits():
    X, _ = rows(60, 10)
    path = SparsePCA(2).path(X, [1, 4, 10])
    for m, V, shares in zip(path.n_nonzero, path.components, path.explained_variance_ratio, strict=True):
        one = SparsePCA(2, n_nonzero=int(m)).fit(X)
        np.testing.assert_allclose(V, one.components_)
        np.testing.assert_allclose(shares, one.explained_variance_ratio_)
    assert (np.diff(path.explained_variance_ratio[:, 0]) > 0).all()


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("method", ["elastic", Elastic(ridge=0.1), "power", Power("l0", block=True), "lasso"])
def test_wide_sparse_rows_stay_sparse_and_give_the_components_of_dense_ones(monkeypatch, method, weighted, standardize):
    rng = np.random.default_rng(3)
    X = sp.random_array((40, 90), density=0.15, rng=rng, format="csr")
    X = sp.csr_array(X + sp.csr_array(np.outer(rng.random(40) < 0.3, np.arange(90) < 8).astype(float)))
    weight = rng.integers(0, 3, 40).astype(float) if weighted else None
    options = {"method": method, "n_nonzero": 6, "standardize": standardize}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lassos of wide rows settle slowly
        dense = SparsePCA(2, **options).fit(X.toarray(), sample_weight=weight)
        monkeypatch.setattr("tamis.components.sparse_pca.WIDE", 50)
        monkeypatch.setattr(sp.csr_array, "toarray", None)  # which would make them dense
        sparse = SparsePCA(2, **options).fit(X, sample_weight=weight)
    assert sparse.strategy_.startswith("products")
    np.testing.assert_allclose(sparse.components_, dense.components_, atol=1e-6)
    np.testing.assert_allclose(sparse.explained_variance_, dense.explained_variance_, rtol=1e-6)
    np.testing.assert_allclose(sparse.mean_, dense.mean_, atol=AGREE)


def test_the_bound_of_a_search_with_a_gap_covers_what_was_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    from tamis.components import sparse_certified

    def poor(C: np.ndarray, m: int) -> np.ndarray:
        v = np.zeros(len(C))
        v[:m] = np.linalg.eigh(C[:m, :m])[1][:, -1]
        return v

    monkeypatch.setattr(sparse_certified, "greedy", poor)
    rng = np.random.default_rng(0)
    for _ in range(40):
        A = rng.standard_normal((7, 10))
        C = A @ A.T / 10
        model = SparsePCA(1, method=sparse_certified.Certified(gap=0.3), n_nonzero=3).fit_covariance(C)
        (proof,) = model.certificate_
        assert proof.verify(C).bound <= proof.bound * (1 + 1e-9)


@pytest.mark.parametrize(
    ("counts", "match"),
    [
        ([2.5], "n_nonzeros must be a whole number, got 2.5"),
        (["2"], "n_nonzeros must be a whole number, got '2'"),
        ([], "n_nonzeros is empty"),
        (3, "n_nonzeros must be a list of whole numbers, got 3"),
    ],
)
def test_a_path_over_what_is_no_count_is_refused(counts: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        SparsePCA(2).path(np.random.default_rng(0).standard_normal((9, 4)), counts)


def test_a_path_of_one_row_is_refused_as_a_fit_is() -> None:
    with pytest.raises(InputError, match="at least 2 are needed"):
        SparsePCA(1).path(np.ones((1, 3)), [2])


@pytest.mark.parametrize("method", ["lasso", "power"])
@pytest.mark.parametrize("n_nonzero", [1, 2])
def test_a_component_beyond_the_rank_has_no_loadings_and_says_so(method: str, n_nonzero: int) -> None:
    X = np.array([[0.0, 0.0, 5.0], [0.0, 0.0, 5.0], [0.0, 1.0, 5.0]])
    with pytest.warns(UserWarning, match="no loadings: those before leave no variance; ask for n_components=1"):
        model = SparsePCA(2, method=method, n_nonzero=n_nonzero).fit(X)
    np.testing.assert_array_equal(model.components_, [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(model.explained_variance_ratio_, [1.0, 0.0])


def test_power_goes_on_where_rounding_leaves_a_variance_below_zero() -> None:
    x = np.array([0.12573022, 0.64042265, -0.53566937])
    weight = np.array([1.0, 0.612594756, 0.177849695])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = SparsePCA(2, method="power", n_nonzero=[2, 1]).fit(np.column_stack([x, x + 1]), sample_weight=weight)
    np.testing.assert_allclose(model.explained_variance_ratio_, [1.0, 0.0], atol=1e-12)


def test_scores_of_small_columns_are_taken_from_those_after_them() -> None:
    """Beside columns 1e9 times as large they were taken for rounding, and what they explain was counted twice."""
    rng = np.random.default_rng(3)
    Y = rng.standard_normal((8, 3)) * [1e-3, 1e6, 1e6]
    V = np.eye(3)
    expected = np.diag(np.linalg.qr(Y)[1]) ** 2
    for view in (RowsView(Y), MatrixView(Y.T @ Y)):
        np.testing.assert_allclose(adjusted_variances(view, V), expected, rtol=1e-9)
    np.testing.assert_allclose(adjusted_variances(RowsView(Y), V[[0, 0, 1]])[1:], [0.0, expected[1]], rtol=1e-9)
