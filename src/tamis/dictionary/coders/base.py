"""A coder finds codes given atoms: X ≈ Z D, Z sparse."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from tamis._core.checks import check_choice, check_number
from tamis._core.errors import ConvergenceWarning
from tamis._core.evidence import Status
from tamis._core.warn import warn
from tamis.solvers.lasso_codes import TOLERANCE, LassoCodes


class Coder(BaseEstimator):
    """Codes Z (n, k) of the rows of X (n, p) on the atoms in the rows of D (k, p), in CSR.

    A subclass writes ``codes`` for rows without gaps; ``encode`` codes rows with missing entries (NaN) on the columns
    that they have. ``penalties`` is what is added to ½‖x − zD‖² in the objective, for each row.
    """

    positive: bool = False

    def check(self) -> None:
        """Complain about arguments; called where ``fit`` begins."""

    def encode(self, X: Any, D: np.ndarray, start: Any = None) -> csr_array:
        """``start`` (n, k) holds codes to begin with, as found for nearby atoms."""
        missing = None if sp.issparse(X) else np.isnan(X)
        if missing is None or not missing.any():
            return _with_short_indices(self.codes(X, D, start))
        return _with_short_indices(self._on_observed(X, D, None if start is None else csr_array(start), ~missing))

    def codes(self, X: Any, D: np.ndarray, start: Any) -> csr_array:
        raise NotImplementedError(f"{type(self).__name__} does not say how rows are coded")

    def penalties(self, Z: csr_array) -> np.ndarray:
        return np.zeros(Z.shape[0])

    def for_share(self, share: float) -> Self:
        """The coder of rows of which only this share of the entries is observed."""
        del share
        return self

    def observed_atoms(self, D: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Of each atom what rows can be coded on that have these columns."""
        return np.ascontiguousarray(D[:, columns])

    def _on_observed(self, X: np.ndarray, D: np.ndarray, start: csr_array | None, observed: np.ndarray) -> csr_array:
        """Rows with the same gaps are coded together, on the columns they have; nothing observed, nothing coded."""
        patterns, pattern_of = np.unique(np.packbits(observed, axis=1), axis=0, return_inverse=True)
        order = np.argsort(pattern_of.ravel(), kind="stable")
        cuts = np.searchsorted(pattern_of.ravel()[order], np.arange(1, len(patterns)))
        pieces = []
        for rows in np.split(order, cuts):
            columns = observed[rows[0]]
            if not columns.any():
                pieces.append(csr_array((len(rows), len(D)), dtype=D.dtype))
                continue
            coder = self.for_share(columns.mean())
            before = None if start is None else start[rows]
            pieces.append(coder.codes(X[np.ix_(rows, columns)], self.observed_atoms(D, columns), before))
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return sp.vstack(pieces, format="csr")[back]


class L1Coder(Coder):
    """Codes that minimise ½‖x − zD‖² + α‖z‖₁, whatever the algorithm: what coders of the lasso share."""

    alpha: float
    tol: float | None
    remedy = "raise tol or alpha"  # where gaps stay above ``tol``

    def solve(self, X: Any, D: np.ndarray, start: Any = None) -> LassoCodes:
        """Codes with the proof of their gaps; rows without missing entries."""
        raise NotImplementedError

    def codes(self, X: Any, D: np.ndarray, start: Any) -> csr_array:
        found = self.solve(X, D, start)
        if found.status != Status.CONVERGED and self.tol != 0:
            tol = TOLERANCE[D.dtype.itemsize] if self.tol is None else self.tol
            warn(f"some codes have a duality gap above {tol:g} ½‖x‖²: {self.remedy}", ConvergenceWarning)
        return found.Z

    def check(self) -> None:
        check_number("alpha", self.alpha, at_least=0.0)
        check_choice("positive", self.positive, (False, True))
        if self.tol is not None:
            check_number("tol", self.tol, at_least=0.0)

    def penalties(self, Z: csr_array) -> np.ndarray:
        return self.alpha * np.asarray(abs(Z).sum(axis=1), dtype=np.float64).ravel()


def _with_short_indices(Z: csr_array) -> csr_array:
    """Indices of 32 bits where they suffice: scikit-learn's classifiers take no others."""
    if Z.nnz < np.iinfo(np.int32).max:
        Z.indices, Z.indptr = Z.indices.astype(np.int32, copy=False), Z.indptr.astype(np.int32, copy=False)
    return Z


def with_rows(Z: csr_array, rows: np.ndarray, those: csr_array) -> csr_array:
    """Z with ``those`` for its rows of these numbers."""
    if len(rows) == 0:
        return Z
    order = np.arange(Z.shape[0])
    order[rows] = Z.shape[0] + np.arange(len(rows))
    return sp.vstack([Z, those], format="csr")[order]
