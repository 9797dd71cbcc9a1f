"""A = Q R with orthonormal columns, however the columns of A are scaled or depend on each other."""

import numpy as np
import pytest

from tamis.solvers.thin_qr import thin_qr
from tolerances import ROUNDING


def columns(kind, dtype):
    A = np.random.default_rng(0).standard_normal((300, 8))
    if kind == "scaled":
        A *= np.geomspace(1, 1e-12, 8)
    elif kind == "nearly dependent":
        A[:, 3] = A[:, 2] + 1e-9 * A[:, 3]
    elif kind == "dependent":
        A[:, 3] = A[:, 2]
    elif kind == "zero":
        A[:, 5] = 0
    elif kind == "wide":
        A = A[:5]
    return A.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["plain", "scaled", "nearly dependent", "dependent", "zero", "wide"])
def test_columns_are_orthonormal_and_give_the_matrix_back(kind, dtype):
    A = columns(kind, dtype)
    Q, R = thin_qr(A)
    tolerance = ROUNDING if dtype == np.float64 else 1e-5
    assert Q.dtype == R.dtype == dtype
    np.testing.assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=tolerance)
    sizes = np.maximum(np.linalg.norm(A, axis=0), 1e-30)
    np.testing.assert_allclose((Q @ R) / sizes, A / sizes, atol=tolerance)
    np.testing.assert_array_equal(R, np.triu(R))


def test_no_columns():
    Q, R = thin_qr(np.zeros((5, 0)))
    assert Q.shape == (5, 0)
    assert R.shape == (0, 0)
