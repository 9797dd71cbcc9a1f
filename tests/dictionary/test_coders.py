"""Codes given atoms: against one signal at a time, with gaps, at the edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse

from dictionary.problems import planted, unit
from reference.codes import largest, lasso_code, lasso_value, positive_omp, refitted, residual_square
from tamis import InputError
from tamis._core.errors import ConvergenceWarning
from tamis._core.evidence import Status
from tamis.dictionary import FISTACoder, LassoCoder, OMPCoder, ThresholdCoder
from tamis.dictionary.coders.omp import refitted as fitted_again
from tamis.stats.code_statistics import squared_residuals
from tolerances import AGREE, CODE_AT_GAP, ROUNDING

CODERS = [
    OMPCoder(3),
    OMPCoder(noise=0.1),
    LassoCoder(0.1),
    FISTACoder(0.1),
    ThresholdCoder(3),
    ThresholdCoder(alpha=0.2),
]
IDS = ["omp", "omp-noise", "lasso", "fista", "largest", "soft"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("coder", CODERS, ids=IDS)
def test_codes_are_sparse_and_keep_the_type(coder, dtype):
    X, _, D = planted(0, dtype=dtype)
    Z = coder.encode(X, D)
    assert issparse(Z)
    assert Z.format == "csr"
    assert Z.shape == (300, 20)
    assert Z.dtype == dtype
    assert 0 < Z.nnz < 300 * 20


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 99), n=st.integers(1, 9), positive=st.booleans(), levels=st.sampled_from([2, 1000]))
def test_the_largest_are_kept_of_equals_the_first(seed, n, positive, levels):
    rng = np.random.default_rng(seed)
    X = rng.integers(-levels, levels, size=(30, 7)).astype(float)
    Z = ThresholdCoder(n, positive=positive).encode(X, np.eye(7)).toarray()
    np.testing.assert_array_equal(Z, [largest(q, min(n, 7), positive) for q in X])


def test_thresholds_are_exact_on_orthonormal_atoms():
    rng = np.random.default_rng(1)
    Q = np.linalg.qr(rng.standard_normal((8, 8)))[0]
    X = rng.standard_normal((40, 8))
    soft, lasso = ThresholdCoder(alpha=0.4).encode(X, Q), LassoCoder(0.4).encode(X, Q)
    np.testing.assert_allclose(soft.toarray(), lasso.toarray(), rtol=0, atol=AGREE)
    largest_, omp = ThresholdCoder(3).encode(X, Q), OMPCoder(3).encode(X, Q)
    np.testing.assert_allclose(largest_.toarray(), omp.toarray(), rtol=0, atol=AGREE)


@pytest.mark.parametrize("positive", [False, True])
def test_fista_reaches_what_the_lasso_coder_proves(positive):
    X, _, D = planted(2, n=60)
    Z = FISTACoder(0.1, positive=positive).encode(X, D).toarray()
    best = LassoCoder(0.1, positive=positive).encode(X, D).toarray()
    for x, z, b in zip(X, Z, best, strict=True):
        assert lasso_value(x, z, D, 0.1) <= lasso_value(x, b, D, 0.1) + 1e-7 * (x @ x) / 2


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 99), n_nonzero=st.integers(1, 4))
def test_positive_pursuit_equals_one_signal_at_a_time(seed, n_nonzero):
    X, _, D = planted(seed, n=8, k=15)
    Z = OMPCoder(n_nonzero, positive=True).encode(X, D).toarray()
    for x, z in zip(X, Z, strict=True):
        expected = positive_omp(x, D, n_nonzero)
        np.testing.assert_allclose(z, expected, rtol=0, atol=1e-8)


def test_a_row_keeps_its_old_support_where_the_new_code_is_worse():
    """x = d₀ + d₁, which a pursuit misses: d₂ correlates more with x than either."""
    d0, d1 = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    D = np.array([d0, d1, unit(np.array([[1.0, 1.0, 0.3]]))[0]])
    X = (d0 + d1)[None]
    coder = OMPCoder(2)
    fresh = coder.encode(X, D)
    assert 2 in fresh.indices
    start = csr_array(np.array([[0.9, 1.2, 0.0]]))
    np.testing.assert_allclose(coder.encode(X, D, start).toarray(), [[1.0, 1.0, 0.0]], atol=ROUNDING)
    worse = csr_array(np.array([[1.0, 0.0, 0.0]]))
    np.testing.assert_array_equal(coder.encode(X, D, worse).toarray(), fresh.toarray())


@pytest.mark.parametrize("coder", CODERS, ids=IDS)
def test_rows_with_gaps_are_coded_on_what_is_observed(coder):
    X, _, D = planted(3, n=40)
    gaps = np.random.default_rng(3).random(X.shape) < 0.2
    gaps[0] = True  # nothing observed
    gaps[1] = False
    Z = coder.encode(np.where(gaps, np.nan, X), D)
    assert Z[[0]].nnz == 0
    for i in range(1, 40):
        seen = ~gaps[i]
        alone = coder.for_share(seen.mean()).encode(X[[i]][:, seen], np.ascontiguousarray(D[:, seen]))
        near = CODE_AT_GAP if isinstance(coder, FISTACoder) else AGREE
        np.testing.assert_allclose(Z[[i]].toarray(), alone.toarray(), rtol=0, atol=near)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_steps_that_do_not_suffice_are_told(dtype):
    X, _, D = planted(2, n=30, dtype=dtype)
    few, enough = FISTACoder(0.1, max_iter=15), FISTACoder(0.1)
    with pytest.warns(ConvergenceWarning, match="some codes have a duality gap above .* raise max_iter, tol or alpha"):
        few.encode(X, D)
    with pytest.warns(ConvergenceWarning, match="above 1e-30 ½‖x‖²: raise tol or alpha"):
        LassoCoder(0.1, tol=1e-30).encode(X, D)
    FISTACoder(0.1, max_iter=15, tol=0.0).encode(X, D)  # as many steps as asked for
    for coder, status in ((few, Status.MAX_ITER), (enough, Status.CONVERGED)):
        found = coder.solve(X, D)
        assert found.status == status
        for x, z, gap in zip(X.astype(float), found.Z.toarray().astype(float), found.gaps, strict=True):
            best = lasso_value(x, lasso_code(x, D.astype(float), 0.1), D.astype(float), 0.1)
            assert lasso_value(x, z, D.astype(float), 0.1) - best <= gap + 1e-12


def test_fista_does_not_begin_at_codes_worse_than_zero():
    X, Z, D = planted(3, n=20)
    coder, far = FISTACoder(0.1), csr_array(np.where(Z, 1e9, 0.0))
    np.testing.assert_allclose(coder.encode(X, D, far).toarray(), coder.encode(X, D).toarray(), atol=CODE_AT_GAP)
    assert coder.encode(0 * X, D, far).nnz == 0


@pytest.mark.parametrize("positive", [False, True])
def test_atoms_that_a_row_does_not_show_are_not_used_for_it(positive):
    D = np.array([[1.0, 0.0, 0.0], [0.0, 1e-17, 1.0]])
    X = np.array([[1.0, 0.5, np.nan]])
    np.testing.assert_array_equal(OMPCoder(2, positive=positive).encode(X, D).toarray(), [[1.0, 0.0]])


def test_codes_of_rows_with_gaps_are_fitted_to_their_support_in_float32():
    """Atoms a thousandth apart, which a Gram in float32 does not tell apart."""
    rng = np.random.default_rng(0)
    D = unit(rng.standard_normal((6, 8)))
    D = unit(np.concatenate([D, D + 1e-3 * rng.standard_normal(D.shape)])).astype(np.float32)
    X = rng.standard_normal((60, 8)).astype(np.float32)
    X[rng.random(X.shape) < 0.5] = np.nan
    for x, z in zip(X, OMPCoder(4).encode(X, D).toarray(), strict=True):
        seen, used = ~np.isnan(x), np.flatnonzero(z)
        atoms = D[np.ix_(used, seen)].astype(float)
        best = np.linalg.lstsq(atoms.T, x[seen].astype(float), rcond=None)[0]
        left, least = (np.linalg.norm(x[seen] - codes @ atoms) for codes in (z[used], best))
        assert left <= least + 1e-3 * np.linalg.norm(x[seen])


@pytest.mark.parametrize("coder", CODERS, ids=IDS)
def test_zero_rows_have_zero_codes(coder):
    D = unit(np.random.default_rng(0).standard_normal((5, 4)))
    assert coder.encode(np.zeros((3, 4)), D).nnz == 0


@pytest.mark.parametrize("coder", [OMPCoder(50), ThresholdCoder(50)])
def test_more_non_zeros_than_atoms_are_as_many_as_can_be(coder):
    X, _, D = planted(4, p=6, k=9)
    assert np.diff(coder.encode(X, D).indptr).max() <= 9


@pytest.mark.parametrize(
    "coder, words",
    [
        (OMPCoder(0), "n_nonzero must be"),
        (OMPCoder(noise=-1.0), "noise must be"),
        (OMPCoder(2, positive="yes"), "positive must be"),
        (LassoCoder(-0.1), "alpha must be"),
        (LassoCoder(0.1, tol=np.nan), "tol must be"),
        (FISTACoder(0.1, max_iter=0), "max_iter must be"),
        (ThresholdCoder(2, alpha=0.1), "both given"),
        (ThresholdCoder(2, n_jobs=0), "n_jobs"),
    ],
)
def test_complaints(coder, words):
    with pytest.raises(InputError, match=words):
        coder.check()


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_residuals_are_those_of_one_row_at_a_time(dtype, n_jobs):
    X, Z, D = planted(3, n=70, dtype=dtype)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    X[5] = np.nan
    expected = [residual_square(x, z, D) for x, z in zip(X.astype(float), Z.astype(float), strict=True)]
    atol = 200 * np.finfo(dtype).eps * np.nanmax(np.square(X))
    np.testing.assert_allclose(squared_residuals(X, csr_array(Z), D, n_jobs=n_jobs), expected, rtol=0, atol=atol)
    whole = np.nan_to_num(X)
    np.testing.assert_allclose(
        squared_residuals(csr_array(whole), csr_array(Z), D), squared_residuals(whole, csr_array(Z), D), rtol=1e-4
    )  # fmt: skip


@pytest.mark.parametrize("dtype, rtol", [(np.float32, 1e-3), (np.float64, 1e-9)])
def test_a_support_is_fitted_again_by_least_squares(dtype, rtol):
    X, Z, D = planted(4, n=50, dtype=dtype)
    again, squares = fitted_again(X, D, csr_array(Z), 2)
    expected = np.array([refitted(x, np.flatnonzero(z), D.astype(float)) for x, z in zip(X, Z, strict=True)])
    np.testing.assert_allclose(again.toarray(), expected, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(squares, [residual_square(x, z, D) for x, z in zip(X, expected, strict=True)], rtol=0.01)


@pytest.mark.parametrize("coder", [OMPCoder(3), OMPCoder(3, positive=True), OMPCoder(noise=0.5)], ids=str)
@pytest.mark.parametrize("gaps", [False, True])
def test_no_row_gets_worse_than_the_code_it_began_with(coder, gaps):
    """A row keeps its start where the pursuit does worse, and no other row does."""
    X, Z, D = planted(5, n=200, k=40, noise=0.2 if coder.noise is None else 0.1)
    Z = np.abs(Z) if coder.positive else Z
    X = Z @ D + 0.05 * np.random.default_rng(0).standard_normal(X.shape) if coder.positive else X
    X[np.random.default_rng(1).random(X.shape) < 0.15 * gaps] = np.nan
    fresh, begun = coder.encode(X, D), coder.encode(X, D, csr_array(Z))
    was, alone, now = (squared_residuals(X, csr_array(codes), D) for codes in (Z, fresh, begun))
    if coder.noise is None:
        assert (now <= np.minimum(was, alone) * (1 + 1e-9)).all()
        assert (now < alone * (1 - 1e-9)).any()
        return
    bound = coder.noise**2 * (~np.isnan(X)).mean(axis=1)
    done = was <= bound
    assert (np.diff(begun.indptr)[done] <= (Z != 0).sum(axis=1)[done]).all()
    assert (np.diff(begun.indptr) < np.diff(fresh.indptr)).any()
    assert (now <= np.maximum(bound, alone) * (1 + 1e-9)).all()
