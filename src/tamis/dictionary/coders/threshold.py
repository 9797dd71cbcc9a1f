"""Codes by thresholding the correlations X Dᵀ: exact where the atoms are orthonormal."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.dictionary.coders.base import Coder, with_rows
from tamis.stats.code_statistics import filled, squared_residuals

AT_ONCE = 2**21  # numbers of a piece of X Dᵀ


class ThresholdCoder(Coder):
    """The ``n_nonzero`` largest entries of each row of X Dᵀ, or all of them shrunk, sign(q) max(|q| − ``alpha``, 0).

    On orthonormal atoms the first minimises ‖x − zD‖² over codes of so many non-zeros, the second ½‖x − zD‖² + α‖z‖₁.
    Of equal entries those of the lowest index are kept. A tenth of the columns, at least one, where neither is given.

    Parameters
    ----------
    n_nonzero : int, optional
    alpha : float, optional
    positive : bool
        Codes z ≥ 0.
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.dictionary import ThresholdCoder
    >>> X = np.array([[3.0, -0.5, 1.0]])
    >>> ThresholdCoder(n_nonzero=1).encode(X, np.eye(3)).toarray()
    array([[3., 0., 0.]])
    >>> ThresholdCoder(alpha=0.75).encode(X, np.eye(3)).toarray()
    array([[2.25, 0.  , 0.25]])
    """

    def __init__(
        self,
        n_nonzero: int | None = None,
        alpha: float | None = None,
        *,
        positive: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.alpha = alpha
        self.positive = positive
        self.n_jobs = n_jobs

    def check(self) -> None:
        if self.n_nonzero is not None and self.alpha is not None:
            raise InputError("n_nonzero and alpha are both given: give one of them", argument="n_nonzero")
        if self.n_nonzero is not None:
            check_count("n_nonzero", self.n_nonzero)
        if self.alpha is not None:
            check_number("alpha", self.alpha, at_least=0.0)
        check_choice("positive", self.positive, (False, True))
        thread_count(self.n_jobs)

    def codes(self, X: Any, D: np.ndarray, start: Any) -> csr_array:
        del start
        step = max(64, AT_ONCE // len(D))
        pieces = [self._of(np.ascontiguousarray(X[i : i + step] @ D.T)) for i in range(0, X.shape[0], step)]
        counts = np.concatenate([piece[0] for piece in pieces])
        indices, values = (np.concatenate([piece[e] for piece in pieces]) for e in (1, 2))
        return csr_array((values, indices, np.append(0, np.cumsum(counts))), shape=(len(counts), len(D)))

    def _on_observed(self, X: np.ndarray, D: np.ndarray, start: csr_array | None, observed: np.ndarray) -> csr_array:
        """With ``start``, also the codes of rows whose gaps are what it says: on orthonormal atoms these are no worse
        than it.
        """
        Z = super()._on_observed(X, D, start, observed)
        if start is None:
            return Z
        other = self.codes(filled(X, start, D), D, None)
        now, then = (0.5 * squared_residuals(X, codes, D) + self.penalties(codes) for codes in (Z, other))
        better = np.flatnonzero(then < now)
        return with_rows(Z, better, other[better])

    def penalties(self, Z: csr_array) -> np.ndarray:
        if self.alpha is None:
            return np.zeros(Z.shape[0])
        return self.alpha * np.asarray(abs(Z).sum(axis=1), dtype=np.float64).ravel()

    def _of(self, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._largest(Q) if self.alpha is None else self._soft(Q)

    def _largest(self, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n, k = Q.shape
        most = min(k, max(1, k // 10) if self.n_nonzero is None else self.n_nonzero)
        indices, values, counts = np.empty((n, most), np.int32), np.empty((n, most), Q.dtype), np.empty(n, np.int64)
        kernels.largest_codes(Q, bool(self.positive), thread_count(self.n_jobs), indices, values, counts)
        if (counts == most).all():
            return counts, indices.ravel(), values.ravel()
        used = np.arange(most) < counts[:, None]
        return counts, indices[used], values[used]

    def _soft(self, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        alpha = Q.dtype.type(self.alpha)
        kept = alpha < Q if self.positive else np.abs(Q) > alpha
        values = Q[kept]
        return kept.sum(axis=1), np.nonzero(kept)[1].astype(np.int32), values - np.copysign(alpha, values)
