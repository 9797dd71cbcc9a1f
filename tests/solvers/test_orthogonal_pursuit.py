"""Orthogonal matching pursuit of one signal, against the plain one."""

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import aslinearoperator

from reference.pursuit import pursuit
from tamis.operators import as_operator
from tamis.solvers import PursuitStatus, orthogonal_matching_pursuit
from tamis.solvers import orthogonal_pursuit as module

STORAGES = {"C": np.ascontiguousarray, "F": np.asfortranarray, "csc": csc_array, "csr": csr_array}


def planted(seed, dtype=np.float64, m=80, n=240, k=16, spread=1.0):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((m, n)).astype(dtype)
    if A.dtype.kind == "c":
        A += 1j * rng.standard_normal(A.shape)
    A *= rng.uniform(0.1, 10, n)
    s = np.zeros(n)
    s[rng.choice(n, k, replace=False)] = np.geomspace(1, 1 / spread, k)
    wide = A.astype(np.result_type(A, float))
    return A, wide, wide @ s


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("spread", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("seed", range(2))
def test_the_columns_taken_are_those_of_the_plain_pursuit(seed, spread, storage, dtype):
    """Also where amplitudes fall over many decades, so that what is left is far below y."""
    A, wide, y = planted(seed, dtype, spread=spread)
    S, norms = pursuit(wide, y, 16)
    found = orthogonal_matching_pursuit(STORAGES[storage](A), y, n_nonzero=16)
    assert set(np.flatnonzero(found.w)) == set(S)
    np.testing.assert_allclose(found.diagnostics.trace, norms, rtol=1e-9, atol=1e-12 * norms[0])


@pytest.mark.parametrize("storage", ["C", "F"])
def test_columns_that_nearly_depend_on_each_other_leave_a_residual_orthogonal_to_all(storage):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((60, 200))
    A[:, 1:20] = A[:, :1] + 1e-5 * rng.standard_normal((60, 19))
    y = A[:, :40] @ rng.standard_normal(40) + rng.standard_normal(60)
    found = orthogonal_matching_pursuit(STORAGES[storage](A), y, n_nonzero=40)
    S = np.flatnonzero(found.w)
    assert len(S) == 40
    r = y - A @ found.w
    assert np.abs(A[:, S].T @ r).max() <= 1e-9 * np.linalg.norm(y) * np.linalg.norm(A, axis=0).max()
    assert np.linalg.norm(r) == pytest.approx(found.diagnostics["residual_norm"], rel=1e-8)


def test_copies_of_a_column_are_taken_once_and_zero_columns_never():
    A = np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [1.0, 2.0, 0.0, 0.0]])
    found = orthogonal_matching_pursuit(A, [3.0, 1.0, 2.0], tol=1e-9)
    assert np.flatnonzero(found.w).tolist() == [0, 2]
    assert found.reason is PursuitStatus.EXHAUSTED
    assert found.diagnostics["residual_norm"] == pytest.approx(np.sqrt(0.5))


@pytest.mark.parametrize("storage", ["C", "F", "csc"])
def test_the_columns_given_first_are_taken_first_and_the_time_is_asked_after_them(storage):
    A, _, y = planted(0)
    given = [5, 9]
    found = orthogonal_matching_pursuit(STORAGES[storage](A), y, n_nonzero=16, first=given, over=lambda: True)
    assert found.status.value == "time_limit"
    assert np.flatnonzero(found.w).tolist() == given
    whole = orthogonal_matching_pursuit(STORAGES[storage](A), y, n_nonzero=16, first=given)
    assert set(given) < set(np.flatnonzero(whole.w))
    assert np.count_nonzero(whole.w) == 16


def test_pauses_do_not_change_the_pursuit(monkeypatch):
    A, _, y = planted(3)
    whole = orthogonal_matching_pursuit(A, y, n_nonzero=16)
    monkeypatch.setattr(module, "AT_ONCE", 3 * A.size)
    pauses = []
    paused = orthogonal_matching_pursuit(A, y, n_nonzero=16, over=lambda: bool(pauses.append(1)))
    np.testing.assert_array_equal(paused.w, whole.w)
    assert len(pauses) == 6


@pytest.mark.parametrize("storage", ["C", "F"])
def test_threads_do_not_change_the_pursuit(storage, monkeypatch):
    A, _, y = planted(4, m=300, n=500)
    found = []
    for n in ("1", "3"):
        monkeypatch.setenv("TAMIS_NUM_THREADS", n)
        found.append(orthogonal_matching_pursuit(STORAGES[storage](A), y, n_nonzero=20).w)
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("storage", ["C", "F"])
@pytest.mark.parametrize("shape", [(1, 1), (7, 300), (40, 3), (1, 9)])
def test_squares_of_columns(shape, storage, dtype):
    A = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    np.testing.assert_allclose(
        as_operator(STORAGES[storage](A)).column_squares(), (A.astype(float) ** 2).sum(axis=0), rtol=1e-13
    )


@pytest.mark.parametrize("storage", ["C", "F"])
@pytest.mark.parametrize(("m", "n"), [(13, 65), (33, 64), (64, 200), (301, 130)])
@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9])
def test_columns_that_16_bits_cannot_tell_apart_are_told_apart(m, n, apart, storage):
    """Every column stands beside one that is nearly the same; m odd and even, tiles of columns full and not."""
    rng = np.random.default_rng(m)
    A = rng.standard_normal((m, n))
    A[:, 1::2] = A[:, : 2 * (n // 2) : 2] + apart * rng.standard_normal((m, n // 2))
    A *= 10.0 ** rng.integers(-3, 4, n)
    y, k = rng.standard_normal(m), min(m // 2, 12)
    S, norms = pursuit(A, y, k)
    found = orthogonal_matching_pursuit(STORAGES[storage](A), y, n_nonzero=k, tol=0.0)
    assert set(np.flatnonzero(found.w)) <= set(S)
    np.testing.assert_allclose(found.diagnostics.trace, norms[: len(found.diagnostics.trace)], rtol=1e-7)


@pytest.mark.parametrize("storage", ["C", "F"])
def test_lengths_that_are_given_decide_though_they_are_not_those_of_the_columns(storage):
    """|⟨aⱼ, r⟩|/λⱼ with any λ: also far from ‖aⱼ‖, and as an operator that is not in memory takes them."""
    rng = np.random.default_rng(0)
    A, y = rng.standard_normal((40, 150)), rng.standard_normal(40)
    lengths = 10.0 ** rng.uniform(-4, 4, 150)
    theirs = orthogonal_matching_pursuit(aslinearoperator(A), y, n_nonzero=12, column_norms=lengths)
    ours = orthogonal_matching_pursuit(STORAGES[storage](A), y, n_nonzero=12, column_norms=lengths)
    np.testing.assert_allclose(ours.w, theirs.w, rtol=1e-9)
