"""The likelihood of PCA: scikit-learn's, the normal density written out, and where there is none."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import multivariate_normal
from sklearn.decomposition import PCA as Reference
from sklearn.model_selection import GridSearchCV

from tamis import PCA, InputError
from tolerances import AGREE


def drawn(n: int, p: int, k: int = 3, noise: float = 0.5, seed: int = 0) -> np.ndarray:
    """Rows of the model itself: k directions and noise of a known level."""
    rng = np.random.default_rng(seed)
    W = np.linalg.qr(rng.standard_normal((p, k)))[0] * np.array([5.0, 3.0, 2.0])[:k]
    return rng.standard_normal((n, k)) @ W.T + noise * rng.standard_normal((n, p)) + 4.0


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("solver", ["covariance", "svd", "krylov"])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_likelihoods_and_matrices_are_those_of_scikit_learn(k: int, solver: str, whiten: bool) -> None:
    X, new = drawn(90, 8), drawn(20, 8, seed=1)
    ours = PCA(k, solver=solver, whiten=whiten).fit(X)
    theirs = Reference(k, svd_solver="full").fit(X)
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=AGREE)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), atol=AGREE)
    np.testing.assert_allclose(ours.score_samples(new), theirs.score_samples(new), rtol=AGREE)
    assert ours.score(new) == pytest.approx(theirs.score(new), rel=AGREE)


@pytest.mark.parametrize("n", [60, 9])
@pytest.mark.parametrize("standardize", [False, True])
def test_likelihood_is_the_normal_density_in_the_units_of_the_columns(n: int, standardize: bool) -> None:
    X = drawn(n, 12) * np.logspace(-3, 3, 12)
    model = PCA(2, standardize=standardize).fit(X)
    new = drawn(15, 12, seed=2) * np.logspace(-3, 3, 12)
    C = model.get_covariance()
    units = np.sqrt(C.diagonal())
    density = multivariate_normal(np.zeros(12), C / np.multiply.outer(units, units))
    expected = density.logpdf((new - model.mean_) / units) - np.log(units).sum()
    np.testing.assert_allclose(model.score_samples(new), expected, rtol=1e-6)
    product = (model.get_precision() * np.multiply.outer(units, units)) @ (C / np.multiply.outer(units, units))
    np.testing.assert_allclose(product, np.eye(12), atol=1e-5)
    sizes = model.scale_**2 if standardize else np.ones(12)
    assert (C.diagonal() / sizes).sum() == pytest.approx(model.explained_variance_.sum() + 10 * model.noise_variance_)


@pytest.mark.parametrize("n, p", [(2000, 20), (40, 1500)])
def test_the_noise_is_the_planted_one_with_more_and_with_fewer_rows_than_columns(n: int, p: int) -> None:
    assert PCA(3).fit(drawn(n, p)).noise_variance_ == pytest.approx(0.25, rel=0.1)


@pytest.mark.parametrize("k", [2, 4])
def test_sparse_rows_frames_files_and_batches_have_the_same_likelihood(k: int, tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    dense = np.where(rng.uniform(size=(80, 4)) < 0.4, rng.standard_normal((80, 4)) + 2, 0.0)
    frame = pd.DataFrame(dense, columns=list("abcd"))
    frame.to_parquet(tmp_path / "t.parquet")
    model = PCA(k).fit(frame)
    expected = PCA(k).fit(dense).score_samples(dense)
    for X in (sp.csr_array(dense), sp.csc_array(dense), dense):
        np.testing.assert_allclose(PCA(k).fit(X).score_samples(X), expected, rtol=1e-9)
    for rows in (frame, tmp_path / "t.parquet"):
        np.testing.assert_allclose(model.score_samples(rows), expected, rtol=1e-9)
    np.testing.assert_allclose(PCA(k).partial_fit(dense[:30]).partial_fit(dense[30:]).score_samples(dense), expected)


def test_rows_with_gaps_have_the_density_of_what_is_there() -> None:
    X = drawn(120, 7)
    gaps = np.where(np.random.default_rng(1).uniform(size=X.shape) < 0.15, np.nan, X)
    gaps[0] = np.nan
    model = PCA(2, missing="em").fit(gaps)
    C, found = model.get_covariance(), model.score_samples(gaps)
    for x, value in zip(gaps, found, strict=True):
        there = np.flatnonzero(~np.isnan(x))
        if len(there) == 0:
            assert value == pytest.approx(0.0, abs=1e-12)
            continue
        density = multivariate_normal(model.mean_[there], C[np.ix_(there, there)])
        assert value == pytest.approx(density.logpdf(x[there]), rel=1e-9)
    np.testing.assert_allclose(model.score_samples(X), multivariate_normal(model.mean_, C).logpdf(X), rtol=1e-9)
    with pytest.raises(InputError, match="NaN"):
        PCA(2).fit(X).score_samples(gaps)


def test_held_out_likelihood_finds_the_planted_number() -> None:
    search = GridSearchCV(PCA(1), {"n_components": list(range(1, 8))}, cv=5).fit(drawn(300, 10))
    assert search.best_params_ == {"n_components": 3}


def test_no_component_at_all_leaves_noise_alone() -> None:
    X = np.random.default_rng(0).standard_normal((200, 5))
    with pytest.warns(UserWarning, match="stands out from noise"):
        model = PCA("auto").fit(X)
    np.testing.assert_allclose(model.get_covariance(), model.noise_variance_ * np.eye(5))
    np.testing.assert_allclose(model.get_precision() @ model.get_covariance(), np.eye(5), atol=1e-12)
    assert np.isfinite(model.score(X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("solver", ["covariance", "svd", "krylov"])
@pytest.mark.parametrize("n", [7, 40])
def test_rows_of_low_rank_have_no_density(n: int, solver: str, dtype: Any) -> None:
    """What rounding leaves of the variance beyond the rank was taken for noise."""
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((n, 3)) @ rng.standard_normal((3, 10))).astype(dtype)
    model = PCA(3, solver=solver).fit(X)
    assert model.noise_variance_ == 0
    for question in (model.get_precision, lambda: model.score(X)):
        with pytest.raises(InputError, match=r"no inverse, for noise_variance_ is 0: fit rows of full rank"):
            question()
    with pytest.raises(InputError, match="no inverse"):
        PCA(min(n, 10), solver=solver).fit(X).score(X)
    C = model.get_covariance()
    np.testing.assert_allclose(C, np.cov(X.astype(float).T), atol=1e-4 * np.abs(C).max())
