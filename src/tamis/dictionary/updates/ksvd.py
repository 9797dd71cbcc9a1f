"""K-SVD: atom by atom, each with the codes that use it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array

from tamis._core.checks import check_choice
from tamis._kernels import kernels
from tamis._kernels.interruption import check_interrupted
from tamis.dictionary.updates.base import CodedRows, Update


class KSVDUpdate(Update):
    """Atoms one after the other: d and z minimise ‖E − z d‖ over the signals that use the atom, where E is their
    residual without it (11.17, 11.18). Nobody else's code changes, so supports stay as they are, and ‖X − ZD‖ falls.

    Parameters
    ----------
    exact : bool
        True: the leading singular pair of E (Aharon, Elad and Bruckstein 2006). False: one power step from the present
        atom, d ← Eᵀz/‖Eᵀz‖, z ← E d (Rubinstein, Zibulevsky and Elad 2008), which is about as good and much faster.
    """

    needs: Literal["statistics", "rows"] = "rows"

    def __init__(self, exact: bool = False) -> None:
        self.exact = exact

    def check(self) -> None:
        check_choice("exact", self.exact, (False, True))

    def update(self, D: np.ndarray, given: CodedRows) -> tuple[np.ndarray, csr_array]:
        X, Z, positive = given
        D = np.array(D, dtype=X.dtype, order="C")
        columns = _by_columns(Z)
        values = Z.data.astype(X.dtype)
        R = np.ascontiguousarray(X - Z @ D, dtype=X.dtype)
        if self.exact:
            _exact_sweep(D, R, *columns, values, positive)
        else:
            kernels.ksvd_sweep(D, R, *columns, values, bool(positive))
        return D, csr_array((values, Z.indices, Z.indptr), shape=Z.shape)


def _by_columns(Z: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each column begins, its rows, and where they are among the values of the CSR array."""
    places = csr_array((np.arange(Z.nnz, dtype=np.int64), Z.indices, Z.indptr), shape=Z.shape).tocsc()
    return places.indptr.astype(np.int64), places.indices.astype(np.int32), places.data


def _exact_sweep(
    D: np.ndarray,
    R: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    places: np.ndarray,
    values: np.ndarray,
    positive: bool,
) -> None:
    for j in range(len(D)):
        check_interrupted()
        at = slice(starts[j], starts[j + 1])
        if at.start == at.stop:
            continue
        mine, z = rows[at], values[places[at]]
        E = R[mine] + np.outer(z, D[j])
        d, z_new = _leading_pair(E, z, D[j], positive)
        D[j], values[places[at]] = d, z_new
        R[mine] = E - np.outer(z_new, d)


def _leading_pair(E: np.ndarray, z: np.ndarray, d: np.ndarray, positive: bool) -> tuple[np.ndarray, np.ndarray]:
    """d of unit length and z = E d with the smallest ‖E − z d‖; where z ≥ 0, or what there was if that is better."""
    E64 = E.astype(np.float64)
    m, p = E.shape
    if m >= p:
        new = eigh(E64.T @ E64, subset_by_index=[p - 1, p - 1])[1][:, 0]
    else:
        new = E64.T @ eigh(E64 @ E64.T, subset_by_index=[m - 1, m - 1])[1][:, 0]
    length = np.linalg.norm(new)
    if not length > 0:
        return d, z
    new /= length
    along = E64 @ new
    if along @ z < 0:  # of the two signs the one that leaves codes theirs
        new, along = -new, -along
    if not positive:
        return new.astype(E.dtype), along.astype(E.dtype)
    along = np.maximum(along, 0)
    gain, before = along @ along, 2 * (E64 @ d) @ z - z @ z  # how much each takes off ‖E‖²
    return (new.astype(E.dtype), along.astype(E.dtype)) if gain >= before else (d, z)
