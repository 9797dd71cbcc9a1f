"""Atoms given codes: against one atom at a time, and no update makes the fit worse."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from dictionary.problems import planted, unit
from reference.codes import atom_descent, ksvd_sweep
from tamis.dictionary import (
    CompleteUpdate,
    KSVDUpdate,
    LassoCoder,
    MODUpdate,
    OMPCoder,
    OnlineUpdate,
    ProcrustesUpdate,
    ProjectedUpdate,
)
from tamis.dictionary.updates import CodedRows
from tamis.stats.code_statistics import CodeStatistics
from tolerances import AGREE, FLOAT32, ROUNDING

PURSUIT = OMPCoder(3)


def coded(seed, coder=PURSUIT, **options):
    X, _, D = planted(seed, **options)
    D = unit(D + 0.3 * np.random.default_rng(seed).standard_normal(D.shape)).astype(X.dtype)
    return X, coder.encode(X, D), D


def residual(X, Z, D):
    return np.linalg.norm(X - Z @ D)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_a_sweep_of_ksvd_equals_one_atom_at_a_time(seed, positive):
    X, Z, D = coded(seed, OMPCoder(3, positive=positive))
    D_new, Z_new = KSVDUpdate().update(D, CodedRows(X, Z, positive))
    Z_ref, D_ref = ksvd_sweep(X, Z.toarray(), D, positive)
    np.testing.assert_allclose(D_new, D_ref, rtol=0, atol=AGREE)
    np.testing.assert_allclose(Z_new.toarray(), Z_ref, rtol=0, atol=AGREE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("positive", [False, True])
def test_ksvd_keeps_supports_and_fits_better(exact, positive, dtype):
    X, Z, D = coded(1, OMPCoder(3, positive=positive), dtype=dtype)
    D_new, Z_new = KSVDUpdate(exact).update(D, CodedRows(X, Z, positive))
    assert D_new.dtype == Z_new.dtype == dtype
    assert not (Z_new.toarray()[Z.toarray() == 0]).any()
    np.testing.assert_allclose(np.linalg.norm(D_new, axis=1), 1, rtol=1e-5)
    assert residual(X, Z_new, D_new) < residual(X, Z, D)
    assert not positive or Z_new.data.min() >= 0


@pytest.mark.parametrize("n", [4, 200])
def test_an_exact_atom_is_the_best_of_all(n):
    """One atom, used by all: d and z are the leading singular pair of X."""
    X = np.random.default_rng(2).standard_normal((n, 6))
    Z, D = csr_array(np.ones((n, 1))), np.full((1, 6), 6**-0.5)
    D_new, Z_new = KSVDUpdate(exact=True).update(D, CodedRows(X, Z))
    s = np.linalg.svd(X)[1]
    assert residual(X, Z_new, D_new) == pytest.approx(np.sqrt((s[1:] ** 2).sum()), rel=1e-9)


@pytest.mark.parametrize("update", [MODUpdate(), OnlineUpdate(), ProjectedUpdate(), KSVDUpdate()])
def test_atoms_that_nobody_uses_stay(update):
    X, Z, D = coded(3)
    Z = csr_array(Z.toarray() * (np.arange(20) != 7))
    given = CodedRows(X, Z) if update.needs == "rows" else CodeStatistics.of_codes(X, Z)
    np.testing.assert_array_equal(update.update(D, given)[0][7], D[7])


def test_mod_is_least_squares():
    X, Z, D = coded(4)
    D_new, lengths = MODUpdate().update(D, CodeStatistics.of_codes(X, Z))
    expected = np.linalg.lstsq(Z.toarray(), X, rcond=None)[0]
    np.testing.assert_allclose(D_new * lengths[:, None], expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(D_new, axis=1), 1, rtol=ROUNDING)


@pytest.mark.parametrize("k", [20, 70])
def test_descent_over_blocks_equals_one_atom_at_a_time(k):
    X, Z, D = coded(5, LassoCoder(0.05), k=k)
    given = CodeStatistics.of_codes(X, Z)
    expected = atom_descent(given.A, given.B, D)
    np.testing.assert_allclose(OnlineUpdate().update(D, given)[0], expected, rtol=0, atol=AGREE)


@pytest.mark.parametrize("update", [OnlineUpdate(sweeps=200), ProjectedUpdate(max_iter=5000, tol=1e-12)])
def test_both_reach_the_minimum_over_unit_balls(update):
    X, Z, D = coded(6, LassoCoder(0.05))
    given = CodeStatistics.of_codes(X, Z)
    D_new = update.update(D, given)[0]
    lengths = np.linalg.norm(D_new, axis=1)
    assert (lengths <= 1 + 1e-12).all()
    gradient = given.A @ D_new - given.B
    inside = lengths < 1 - 1e-9
    scale = np.abs(given.B).max()
    np.testing.assert_allclose(gradient[inside], 0, atol=1e-6 * scale)
    along = (gradient * D_new).sum(axis=1, keepdims=True)  # on the sphere −gradient is a multiple ≥ 0 of the atom
    np.testing.assert_allclose(gradient[~inside], (along * D_new)[~inside], atol=1e-5 * scale)
    assert (along[~inside] <= 1e-6 * scale).all()


def test_dropped_atoms_are_zero():
    X, Z, D = coded(7)
    Z = csr_array(Z.toarray() * (np.arange(20) % 2))
    D_new = ProjectedUpdate(unused="drop").update(D, CodeStatistics.of_codes(X, Z))[0]
    assert not D_new[::2].any()
    assert (np.linalg.norm(D_new[1::2], axis=1) > 0).all()


def test_procrustes_is_the_best_of_many_orthonormal_dictionaries():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((50, 5))
    Z = csr_array(X * (rng.random(X.shape) < 0.4))
    D = ProcrustesUpdate().update(np.eye(5), CodeStatistics.of_codes(X, Z))[0]
    np.testing.assert_allclose(D @ D.T, np.eye(5), atol=ROUNDING)
    others = [np.linalg.qr(rng.standard_normal((5, 5)))[0] for _ in range(200)]
    near = [np.linalg.qr(D + 1e-3 * rng.standard_normal((5, 5)))[0] for _ in range(200)]
    assert residual(X, Z, D) <= min(residual(X, Z, Q) for Q in others + near) + ROUNDING


def test_complete_atoms_can_be_inverted():
    X, _, _ = planted(9, p=6, k=6)
    D = unit(np.random.default_rng(9).standard_normal((6, 6)))
    D[5] = unit((D[4] + 1e-6 * D[5])[None])[0]
    Z = OMPCoder(3).encode(X, D)
    D_new = CompleteUpdate(condition=50.0).update(D, CodeStatistics.of_codes(X, Z))[0]
    assert np.linalg.cond(D_new) <= 50 * (1 + 1e-6)
    np.testing.assert_allclose(np.linalg.norm(D_new, axis=1), 1, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_statistics_are_sums_over_rows(dtype):
    X, Z, _ = coded(10, n=9000, dtype=dtype)
    whole = CodeStatistics.of_codes(X, Z)
    dense = Z.toarray().astype(np.float64)
    tolerance = 1e-9 if dtype == np.float64 else FLOAT32 * 9000
    np.testing.assert_allclose(whole.A, dense.T @ dense, rtol=0, atol=tolerance)
    np.testing.assert_allclose(whole.B, dense.T @ X, rtol=0, atol=tolerance)
    parts = [CodeStatistics.of_codes(X[a:b], Z[a:b]) for a, b in ((0, 10), (10, 4000), (4000, 9000))]
    merged = parts[0].merge(parts[1]).merge(parts[2])
    np.testing.assert_allclose(merged.A, whole.A, rtol=0, atol=1e-9)
    assert merged.n_rows == 9000
    np.testing.assert_array_equal(merged.usage, whole.usage)
    taken_out = whole.add(X[:10], Z[:10], sign=-1.0)
    rest = parts[1].merge(parts[2])
    np.testing.assert_allclose(taken_out.B, rest.B, rtol=0, atol=1e-8)
    assert taken_out.squares == pytest.approx(rest.squares, rel=1e-9)


def test_the_objective_of_statistics_is_that_of_the_rows():
    X, Z, D = coded(11, LassoCoder(0.1))
    statistics = CodeStatistics.of_codes(X, Z, LassoCoder(0.1).penalties(Z))
    expected = 0.5 * residual(X, Z, D) ** 2 / 300 + 0.1 * np.abs(Z.data).sum() / 300
    assert statistics.objective(D) == pytest.approx(expected, rel=1e-9)
