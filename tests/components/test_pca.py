"""PCA: agreement with LAPACK and between strategies, published numbers, rules for K, and what must not happen."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import PCA as Reference

from tamis import NMF, PCA, InputError, SparsePCA
from tamis.datasets import load_pitprops
from tolerances import AGREE, FLOAT32, ROUNDING


def table(n, p, seed=0, mean=3.0):
    """Rows with a falling spectrum."""
    rng = np.random.default_rng(seed)
    m = min(n, p)
    U = np.linalg.qr(rng.standard_normal((n, m)))[0]
    V = np.linalg.qr(rng.standard_normal((p, m)))[0]
    return (U * (10.0 * 0.8 ** np.arange(m))) @ V.T + mean


SHAPES = [(60, 12), (12, 60)]


@pytest.mark.parametrize("n, p", SHAPES)
@pytest.mark.parametrize("solver", ["covariance", "svd", "krylov"])
@pytest.mark.parametrize("standardize", [False, True])
def test_every_strategy_agrees_with_lapack(n, p, solver, standardize):
    X = table(n, p)
    pca = PCA(4, solver=solver, standardize=standardize).fit(X)
    Z = (X - X.mean(axis=0)) / (X.std(axis=0, ddof=1) if standardize else 1.0)
    expected = Reference(4, svd_solver="full").fit(Z)
    np.testing.assert_allclose(pca.explained_variance_, expected.explained_variance_, rtol=AGREE)
    np.testing.assert_allclose(pca.explained_variance_ratio_, expected.explained_variance_ratio_, rtol=AGREE)
    np.testing.assert_allclose(pca.singular_values_, expected.singular_values_, rtol=AGREE)
    np.testing.assert_allclose(np.abs(pca.components_), np.abs(expected.components_), atol=1e-7)
    np.testing.assert_allclose(np.abs(pca.transform(X)), np.abs(expected.transform(Z)), atol=1e-6)


@pytest.mark.parametrize("n, p", SHAPES)
def test_components_are_orthonormal_and_scores_uncorrelated(n, p):
    X = table(n, p)
    pca = PCA(0.95).fit(X)
    k = pca.n_components_
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(k), atol=ROUNDING)
    C = np.cov(pca.transform(X).T)
    np.testing.assert_allclose(C, np.diag(pca.explained_variance_), atol=ROUNDING * 100 * C[0, 0])


@pytest.mark.parametrize("n, p", SHAPES)
def test_the_share_is_reached_by_no_fewer(n, p):
    X = table(n, p)
    all_of_them = PCA(None).fit(X).explained_variance_ratio_
    for share in (0.3, 0.9, 0.99, 1.0):
        k = PCA(share).fit(X).n_components_
        assert all_of_them[:k].sum() >= share - ROUNDING
        assert all_of_them[: k - 1].sum() < share


def test_pitprops_has_the_published_eigenvalues_and_the_90_per_cent_rule():
    """Jeffers 1967: six components explain 87 %, so that 90 % takes seven."""
    pitprops = load_pitprops()
    pca = PCA(6).fit_covariance(pitprops.correlation, n_samples=pitprops.n_samples)
    published = [4.219, 2.378, 1.878, 1.109, 0.910, 0.815]
    np.testing.assert_allclose(pca.explained_variance_, published, atol=5e-4)
    assert PCA(0.9).fit_covariance(pitprops.correlation).n_components_ == 7
    # the first direction as printed in the course notes
    first = [.4038, .4055, .1244, .1732, .0572, .2844, .3998, .2936, .3566, .3789, -.0111, -.1151, -.1125]  # fmt: skip
    np.testing.assert_allclose(pca.components_[0], first, atol=6e-5)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n, p", [(300, 20), (50, 120)])
@pytest.mark.parametrize("rule", ["auto", "gavish_donoho"])
def test_rules_find_the_planted_rank_and_nothing_in_noise(n, p, rule, seed):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((n, p))
    planted = noise + 4 * rng.standard_normal((n, 3)) @ np.linalg.qr(rng.standard_normal((p, 3)))[0].T * np.sqrt(p / 10)
    assert PCA(rule).fit(planted).n_components_ == 3
    if rule == "auto":
        with pytest.warns(UserWarning, match="stands out from noise"):
            empty = PCA(rule, random_state=seed).fit(noise)
        assert empty.n_components_ == 0
        assert empty.transform(noise).shape == (n, 0)


def test_signs_make_the_largest_entry_positive_and_runs_agree():
    X = table(40, 9)
    for solver in ("covariance", "krylov"):
        a, b = PCA(3, solver=solver).fit(X), PCA(3, solver=solver).fit(X[:, ::1].copy(order="F"))
        np.testing.assert_allclose(a.components_, b.components_, atol=AGREE)
        assert (a.components_[np.arange(3), np.abs(a.components_).argmax(axis=1)] > 0).all()
    two = np.array([[1.0, -1.0], [2.0, -2.0], [4.0, -4.0]])  # entries of equal size: the first is positive
    np.testing.assert_allclose(PCA(1).fit(two).components_, [[np.sqrt(0.5), -np.sqrt(0.5)]])


@pytest.mark.parametrize("whiten", [False, True])
def test_back_and_forth(whiten):
    X = table(30, 8)
    pca = PCA(None, whiten=whiten, standardize=True).fit(X)
    Z = pca.transform(X)
    np.testing.assert_allclose(pca.inverse_transform(Z), X, atol=1e-9)
    if whiten:
        np.testing.assert_allclose(Z.std(axis=0, ddof=1), 1.0, rtol=1e-6)


def test_sparse_rows_stay_sparse_and_frames_keep_their_names(tmp_path):
    rng = np.random.default_rng(0)
    dense = np.where(rng.uniform(size=(80, 30)) < 0.2, rng.standard_normal((80, 30)) + 2, 0.0)
    expected = PCA(3).fit(dense)
    for X in (sp.csr_array(dense), sp.csc_array(dense)):
        for solver in ("covariance", "krylov"):
            found = PCA(3, solver=solver).fit(X)
            np.testing.assert_allclose(found.components_, expected.components_, atol=1e-8)
            np.testing.assert_allclose(found.transform(X), expected.transform(dense), atol=1e-8)
    names = [f"c{j}" for j in range(30)]
    frame = pl.DataFrame(dense, schema=names)
    found = PCA(3).set_output(transform="polars").fit(frame)
    assert found.transform(frame).columns == ["pca0", "pca1", "pca2"]
    loadings = found.loadings_frame()
    assert isinstance(loadings, pl.DataFrame)
    assert loadings["feature"].to_list() == names
    frame.write_parquet(tmp_path / "t.parquet")
    streamed = PCA(3).fit(tmp_path / "t.parquet")
    np.testing.assert_allclose(streamed.components_, expected.components_, atol=AGREE)
    np.testing.assert_allclose(streamed.transform(tmp_path / "t.parquet"), expected.transform(dense), atol=1e-8)
    assert "streamed" in streamed.strategy_


def test_partial_fits_are_one_fit():
    X = table(90, 7)
    whole, parts = PCA(3).fit(X), PCA(3)
    for rows in (slice(0, 2), slice(2, 40), slice(40, 90)):
        parts.partial_fit(X[rows])
    np.testing.assert_allclose(parts.components_, whole.components_, atol=AGREE)
    np.testing.assert_allclose(parts.explained_variance_, whole.explained_variance_, rtol=AGREE)
    with pytest.raises(InputError, match="6 features"):
        parts.partial_fit(X[:, :6])
    fresh = clone(parts).partial_fit(X[:50])
    np.testing.assert_allclose(fresh.mean_, X[:50].mean(axis=0))


def test_covariances_are_rows():
    X = table(50, 6)
    rows = PCA(2).fit(X)
    frame = pd.DataFrame(np.cov(X.T), columns=list("abcdef"), index=list("abcdef"))
    given = PCA(2).fit_covariance(frame, n_samples=50)
    np.testing.assert_allclose(given.components_, rows.components_, atol=AGREE)
    np.testing.assert_allclose(given.explained_variance_, rows.explained_variance_, rtol=AGREE)
    assert list(given.feature_names_in_) == list("abcdef")


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(1)
    X, s = table(40, 5), rng.integers(0, 4, 40)
    weighted, repeated = PCA(2).fit(X, sample_weight=s), PCA(2).fit(np.repeat(X, s, axis=0))
    np.testing.assert_allclose(weighted.components_, repeated.components_, atol=AGREE)
    for solver in ("svd", "krylov"):
        other = PCA(2, solver=solver).fit(X, sample_weight=s)
        np.testing.assert_allclose(other.components_, weighted.components_, atol=1e-7)
        np.testing.assert_allclose(other.explained_variance_, weighted.explained_variance_, rtol=1e-8)


def test_single_precision_is_kept():
    X = table(50, 10).astype(np.float32)
    pca = PCA(3).fit(X)
    assert pca.components_.dtype == pca.transform(X).dtype == np.float32
    np.testing.assert_allclose(pca.components_, PCA(3).fit(X.astype(float)).components_, atol=FLOAT32)


def test_em_without_gaps_is_pca_and_with_gaps_is_near():
    X = table(80, 6)
    plain, em = PCA(2).fit(X), PCA(2, missing="em", tol=1e-10).fit(X)
    np.testing.assert_allclose(np.abs(em.components_ @ plain.components_.T), np.eye(2), atol=1e-4)
    np.testing.assert_allclose(em.explained_variance_, plain.explained_variance_, rtol=1e-3)
    rng = np.random.default_rng(1)
    X = rng.standard_normal((80, 2)) * [3, 2] @ rng.standard_normal((2, 6)) + 0.1 * rng.standard_normal((80, 6))
    gaps, plain = X.copy(), PCA(2).fit(X)
    gaps[np.random.default_rng(0).uniform(size=X.shape) < 0.1] = np.nan
    em = PCA(2, missing="em").fit(gaps)
    assert np.linalg.svd(em.components_ @ plain.components_.T)[1].min() > 0.99
    Z = em.transform(gaps)
    assert np.isfinite(Z).all()
    assert np.corrcoef(Z[:, 0], plain.transform(X)[:, 0])[0, 1] > 0.99


def test_gaps_are_refused_by_name_and_infinity_always():
    frame = pd.DataFrame(table(20, 3), columns=["a", "b", "c"])
    frame.loc[3, "b"] = np.nan
    with pytest.raises(InputError, match=r"missing values \(NaN\) in 'b' \(1\)"):
        PCA().fit(frame)
    frame.loc[3, "b"] = np.inf
    for missing in ("refuse", "em"):
        with pytest.raises(InputError, match="infin"):
            PCA(1, missing=missing).fit(frame)


def test_fewer_rows_than_columns_some_of_them_constant_or_twice_there():
    X = table(7, 12)
    wide = np.column_stack([X, X[:, 0], np.full(7, 7.1)])
    for solver in ("covariance", "svd", "krylov"):
        pca = PCA(7, solver=solver).fit(wide)  # rows about their mean have rank 6
        assert pca.explained_variance_[6] == 0
        np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(7), atol=1e-9)
        assert np.abs(pca.components_[:6, 13]).max() < 1e-9
        np.testing.assert_allclose(pca.components_[:6, 0], pca.components_[:6, 12], atol=1e-9)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("n, p", [(300, 130), (130, 300)])
def test_krylov_blocks_agree_with_lapack_between_runs_and_with_weights(n, p, sparse):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 4)) * [9, 7, 5, 4] @ rng.standard_normal((4, p)) + rng.standard_normal((n, p)) + 2
    X = sp.csr_array(np.where(rng.uniform(size=X.shape) < 0.3, X, 0.0)) if sparse else X
    dense = X.toarray() if sparse else X
    s = rng.integers(0, 3, n)
    a, b = (PCA(4, solver="krylov").fit(X) for _ in range(2))
    assert (a.components_ == b.components_).all()
    lapack = PCA(4, solver="svd").fit(dense)
    np.testing.assert_allclose(a.components_, lapack.components_, atol=1e-6)
    np.testing.assert_allclose(a.explained_variance_, lapack.explained_variance_, rtol=AGREE)
    weighted = PCA(4, solver="krylov").fit(X, sample_weight=s)
    expected = PCA(4, solver="svd").fit(dense, sample_weight=s)
    np.testing.assert_allclose(weighted.components_, expected.components_, atol=1e-6)


def test_constant_duplicated_and_dependent_columns():
    X = table(30, 5, mean=1e6)
    wide = np.column_stack([X, X[:, 0], np.full(30, 7.1), X[:, 1] + X[:, 2]])
    for solver in ("covariance", "svd", "krylov"):
        pca = PCA(8, solver=solver).fit(wide)
        assert (pca.explained_variance_[5:] == 0).all()  # beyond the rank
        np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(8), atol=1e-9)
        assert np.abs(pca.components_[:5, 6]).max() < 1e-9  # the constant
        white = PCA(8, whiten=True, solver=solver).fit(wide).transform(wide)
        assert np.isfinite(white).all()
        assert (white[:, 5:] == 0).all()
    with pytest.raises(InputError, match="no variance"):
        PCA().fit(np.ones((5, 3)))


@pytest.mark.parametrize(
    "n_components, match",
    [(0, "between 1 and 5"), (6, "between 1 and 5"), (1.5, "≤ 1"), (0.0, "> 0"), (True, "whole"), ("mle", "one of")],
)
def test_numbers_of_components_that_make_no_sense(n_components, match):
    with pytest.raises(InputError, match=match):
        PCA(n_components).fit(table(8, 5))


@pytest.mark.parametrize(
    "C, match",
    [(np.ones((2, 3)), "matrix"), ([[1.0, 0.5], [0.2, 1.0]], "symmetric"), ([[np.nan]], "NaN"), ([[-1.0]], "negative")],
)
def test_matrices_that_are_no_covariances(C, match):
    with pytest.raises(InputError, match=match):
        PCA(1).fit_covariance(C)


def test_rules_on_a_covariance_need_the_number_of_rows():
    with pytest.raises(InputError, match="n_samples"):
        PCA("auto").fit_covariance(np.eye(3))


@pytest.mark.parametrize("size", [1e155, 1e200])
@pytest.mark.parametrize("shape", [(8, 20), (50, 5)], ids=["wide", "tall"])
@pytest.mark.parametrize(
    "model", [PCA(2), PCA(2, standardize=True), SparsePCA(2)], ids=["pca", "standardised", "sparse"]
)
def test_values_whose_squares_are_infinite_are_refused(model, shape, size):
    """A column of 1e200 was taken for a constant one where rows are fewer than columns."""
    X = np.random.default_rng(0).normal(size=shape)
    X[:, 3] *= size
    with pytest.raises(InputError, match="squares are infinite: rescale"):
        clone(model).fit(X)


@pytest.mark.parametrize("solver", ["svd", "krylov"])
def test_small_variances_of_float32_rows_are_not_taken_for_rounding(solver: str) -> None:
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.standard_normal((size, 12)))[0] for size in (150, 1500))
    X = (U * 10.0 ** -np.linspace(0, 2.5, 12)) @ V.T
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:12]
    np.testing.assert_allclose(PCA(12, solver=solver).fit(X.astype(np.float32)).singular_values_, s, rtol=1e-3)


def test_scores_of_rows_with_gaps_follow_the_units() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 6)) + 0.1 * rng.standard_normal((60, 6))
    X[rng.random(X.shape) < 0.15] = np.nan
    Z = PCA(2, missing="em").fit_transform(X)
    np.testing.assert_allclose(PCA(2, missing="em").fit_transform(1e-9 * X), 1e-9 * Z, rtol=1e-6, atol=1e-15)


def test_a_matrix_with_a_negative_eigenvalue_holds_no_covariances() -> None:
    with pytest.raises(InputError, match="eigenvalue -1"):
        PCA(None).fit_covariance(np.array([[1.0, 2.0], [2.0, 1.0]]))
    PCA(None).fit_covariance(np.array([[1.0, 1.001], [1.001, 1.0]]))  # as printed digits leave it


def test_batches_take_a_count_of_numpy_as_pythons() -> None:
    X = table(12, 5)
    model = PCA(np.int64(4)).partial_fit(X[:3])
    assert model.n_components_ == 3
    np.testing.assert_allclose(model.partial_fit(X[3:]).components_, PCA(4).fit(X).components_, atol=AGREE)
    with pytest.raises(InputError, match=r"1 row.*at least 2"):
        PCA(1).partial_fit(X[:1])


def test_gavish_donoho_leaves_constant_columns_out() -> None:
    """More than half of the singular values are 0 with them, and so would be their median."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((100, 8))
    zeros = np.full((100, 12), 3.0)
    with pytest.warns(UserWarning, match="stands out from noise"):
        assert PCA("gavish_donoho").fit(np.hstack([noise, zeros])).n_components_ == 0
    planted = noise + 5 * np.outer(rng.standard_normal(100), rng.standard_normal(8))
    assert PCA("gavish_donoho").fit(np.hstack([zeros, planted])).n_components_ == 1
    exact = rng.standard_normal((100, 3)) @ rng.standard_normal((3, 20))  # no noise: all of it is signal
    assert PCA("gavish_donoho").fit(exact).n_components_ == 3


@pytest.mark.parametrize("model", [PCA(2), SparsePCA(2), NMF(2)])
def test_scores_come_back_from_sparse_arrays_and_frames_of_any_type(model: Any) -> None:
    X = np.abs(table(12, 5))
    Z = model.fit(X).transform(X)
    expected = model.inverse_transform(Z)
    np.testing.assert_array_equal(model.inverse_transform(sp.csr_array(Z)), expected)
    np.testing.assert_array_equal(model.inverse_transform(Z.astype(object)), expected)
    for wrong, match in (
        ([["a", "b"]], "real numbers"),
        (np.array([[None, object()]]), "real numbers"),
        (Z + 1j, "real numbers, got dtype complex128"),
        (sp.csr_array(np.ones((3, 3))), r"scores of 2 components, \(n, 2\); got shape \(3, 3\)"),
    ):
        with pytest.raises(InputError, match=match):
            model.inverse_transform(wrong)
