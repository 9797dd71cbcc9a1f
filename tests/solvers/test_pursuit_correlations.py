"""Correlations that are updated as columns join, against Aᴴr."""

import numpy as np
import pytest
from scipy.sparse import csc_array

from reference.pursuit import pursuit
from tamis.operators import as_operator
from tamis.solvers import orthogonal_matching_pursuit
from tamis.solvers import pursuit_correlations as module


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("spread", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("seed", range(3))
def test_the_columns_taken_are_those_of_the_plain_pursuit(seed, spread, dtype):
    """Also where amplitudes fall over many decades, so that what is left is far below y."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((80, 240)).astype(dtype)
    if A.dtype.kind == "c":
        A += 1j * rng.standard_normal(A.shape)
    s = np.zeros(240)
    s[rng.choice(240, 16, replace=False)] = np.geomspace(1, 1 / spread, 16)
    wide = A.astype(np.result_type(A, float))
    y = wide @ s
    S, norms = pursuit(wide, y, 16)
    found = orthogonal_matching_pursuit(A, y, n_nonzero=16)
    assert set(np.flatnonzero(found.w)) == set(S)
    np.testing.assert_allclose(found.diagnostics.trace, norms, rtol=1e-9, atol=1e-12 * norms[0])


@pytest.mark.parametrize("make", [np.asfortranarray, csc_array])
def test_what_is_kept_is_the_product(make):
    """After columns that nearly depend on each other, too."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((60, 200))
    A[:, 1:20] = A[:, :1] + 1e-5 * rng.standard_normal((60, 19))
    y = A[:, :40] @ rng.standard_normal(40)
    operator = as_operator(make(A))
    kept = module.Correlations(operator, y, 40)
    Q, r = np.zeros((0, 60)), y
    for k in range(40):
        a = A[:, k]
        along = Q @ a
        q = a - along @ Q
        along, q = along + Q @ q, q - (Q @ q) @ Q
        length = float(np.linalg.norm(q))
        q = q / length
        kept.prepare(k, np.arange(200.0)[::-1], 40 - k)
        amount = q @ r
        r = r - amount * q
        kept.project(k, module.Direction(k, q, along, length), amount, r, float(np.linalg.norm(r)))
        Q = np.vstack([Q, q])
        np.testing.assert_allclose(kept.c, A.T @ r, atol=1e-9 * np.linalg.norm(r) * np.linalg.norm(a) + 1e-11)
