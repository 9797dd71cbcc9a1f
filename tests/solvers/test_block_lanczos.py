"""Block Lanczos on the smaller side: planted triplets, multiple and vanishing values, restarts, and every storage."""

import numpy as np
import pytest
import scipy.sparse as sp

from tamis.operators.sparse import Sparse, SparseBothWays
from tamis.solvers import block_lanczos
from tamis.solvers.block_lanczos import is_block_small, largest_directions

SHAPES = [(150, 90), (90, 150)]
SPECTRA = {
    "falling": 0.9 ** np.arange(90),
    "flat tail": np.r_[3.0, 2.5, 2.0, 1.6, np.full(86, 1.0)],
    "copies": np.r_[np.full(4, 2.0), 0.5 * 0.99 ** np.arange(86)],
    "far below the first": np.r_[1.0, 1e-3, 1e-5, 1e-6, 1e-7 * 0.9 ** np.arange(86)],
    "of rank 2": np.r_[2.0, 1.0, np.zeros(88)],
}


def planted(n, p, s, seed=0):
    rng = np.random.default_rng(seed)
    U, V = (np.linalg.qr(rng.standard_normal((size, len(s))))[0] for size in (n, p))
    return (U * s) @ V.T, V


@pytest.mark.parametrize("n, p", SHAPES)
@pytest.mark.parametrize("name", SPECTRA)
def test_planted_values_and_their_subspace_are_found(n, p, name):
    s = SPECTRA[name]
    A, V = planted(n, p, s)
    found = largest_directions(A, 4, 1e-10, 300, np.random.default_rng(1))
    assert found.converged
    rank = min(4, np.count_nonzero(s))
    # residuals are at most tol s₁, or 50 ε s₁² of rounding over s; values are as near, angles that over the gap
    residual = max(1e-10 * s[0], 50 * np.finfo(float).eps * s[0] ** 2 / s[rank - 1])
    np.testing.assert_allclose(found.s, s[:4], atol=residual)
    np.testing.assert_allclose(found.V.T @ found.V, np.eye(4), atol=1e-12)
    Q = found.V[:, :rank]
    error = np.linalg.norm(Q - V[:, :rank] @ (V[:, :rank].T @ Q), 2)
    assert error <= 4 * residual / (s[rank - 1] - s[rank])


def test_a_space_that_is_cut_back_goes_on(monkeypatch):
    """A spectrum without a gap, and no room for more than three blocks."""
    monkeypatch.setattr(block_lanczos, "STEPS", 3)
    s = np.linspace(2.0, 1.0, 90)
    A, _ = planted(150, 90, s)
    found = largest_directions(A, 4, 1e-8, 300, np.random.default_rng(0))
    assert found.converged
    assert found.n_iter > 5
    np.testing.assert_allclose(found.s, s[:4], rtol=1e-10)
    short = largest_directions(A, 4, 1e-8, 2, np.random.default_rng(0))
    assert not short.converged
    assert short.residuals.max() > 1e-8


@pytest.mark.parametrize("n, p", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_storage_both_ways_is_one_way(n, p, dtype):
    rng = np.random.default_rng(2)
    dense = np.where(rng.uniform(size=(n, p)) < 0.2, rng.standard_normal((n, p)), 0.0).astype(dtype)
    for X in (sp.csr_array(dense), sp.csc_array(dense)):
        A, B = SparseBothWays(X, 2), Sparse(X, 2)
        for size in ((), (1,), (9,)):
            v, r = rng.standard_normal((p, *size)), rng.standard_normal((n, *size))
            np.testing.assert_allclose(A @ v, B @ v, atol=1e-12)
            np.testing.assert_allclose(A.T @ r, B.T @ r, atol=1e-12)
    found = largest_directions(A, 3, 1e-9, 300, rng)
    np.testing.assert_allclose(found.s, np.linalg.svd(dense.astype(float))[1][:3], rtol=1e-10)


def test_blocks_must_fit_the_smaller_side():
    assert is_block_small(20, (2_000, 20_000))
    assert not is_block_small(20, (90, 20_000))
