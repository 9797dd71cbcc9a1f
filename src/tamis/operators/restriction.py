"""Some entries of a vector: subsampled transforms are ``Restriction(n, rows) @ DCT(n)`` and the like."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis.operators.base import Linear


class Restriction(Linear):
    """Some of the numbers of a vector.

    x ↦ x[rows]; its adjoint puts the numbers back in their places, zeros elsewhere.

    Parameters
    ----------
    n : int
        Length of the vectors.
    rows : array of int or bool
        The positions to keep, in this order; a position given twice is measured twice. Or a mask of n booleans.

    Examples
    --------
    >>> from tamis.operators import DCT, Restriction
    >>> A = Restriction(8, [0, 3, 5]) @ DCT(8)
    >>> A.shape
    (3, 8)
    """

    takes_complex = True

    def __init__(self, n: int, rows: Any) -> None:
        n = check_count("n", n)
        self.rows = _positions(n, rows)
        self.distinct = len(np.unique(self.rows)) == len(self.rows)
        self.shape = (len(self.rows), n)
        self.dtype = np.dtype(np.float64)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.take(x, self.rows, axis=0)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        out = np.zeros((self.shape[1], *r.shape[1:]), r.dtype)
        if self.distinct:
            out[self.rows] = r
        else:
            np.add.at(out, self.rows, r)
        return out

    def columns(self, S: Any) -> sp.csc_array:
        m, n = self.shape
        R = sp.csr_array((np.ones(m), self.rows, np.arange(m + 1)), shape=(m, n))
        return R[:, np.asarray(S, dtype=np.intp)].tocsc()


class Mask(Restriction):
    """The entries of a vector, or of an image as a row-major vector, where ``observed`` is True.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import Mask
    >>> Mask(np.array([[True, False], [False, True]])) @ np.array([1.0, 2.0, 3.0, 4.0])
    array([1., 4.])
    """

    def __init__(self, observed: Any) -> None:
        observed = np.asarray(observed)
        if observed.dtype != bool or observed.ndim == 0:
            raise InputError(f"observed must be an array of booleans, got {observed.dtype} of shape {observed.shape}")
        super().__init__(observed.size, observed.ravel())


def _positions(n: int, rows: Any) -> np.ndarray:
    rows = np.asarray(rows)
    if rows.dtype == bool:
        if rows.shape != (n,):
            raise InputError(f"rows is a mask of shape {rows.shape}: a mask needs n = {n} booleans")
        return np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise InputError(f"rows must be a list of positions, got {rows.dtype} of shape {rows.shape}")
    if rows.size and (rows.min() < 0 or rows.max() >= n):
        outside = rows[(rows < 0) | (rows >= n)][0]
        raise InputError(f"rows must be positions from 0 to {n - 1}, got {outside}")
    return rows.astype(np.intp)
