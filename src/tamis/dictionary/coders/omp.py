"""Codes by orthogonal matching pursuit."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.dictionary.coders.base import Coder, with_rows
from tamis.solvers.omp import omp_codes
from tamis.solvers.positive_omp import positive_omp_codes
from tamis.stats.code_statistics import in_parts, squared_residuals

UNSEEN = 1e-6  # of ‖d‖²: an atom of which a row shows no more is not used for it, as in the kernel


class OMPCoder(Coder):
    """Codes by orthogonal matching pursuit.

    At most ``n_nonzero`` atoms a row, or as few as reach ‖x − zD‖₂ ≤ ``noise``, taken one after the other.

    Parameters
    ----------
    n_nonzero : int, optional
        More than min(k, p) are never used. A tenth of the columns, at least one, where ``noise`` is not given either.
    noise : float, optional
        The residual norm at which a row is done; of a row with gaps, √(share of its entries observed) times that. Atoms
        of whose length a row shows less than a thousandth are not used for it.
    positive : bool
        Codes z ≥ 0, fitted by non-negative least squares to the atoms in use.
    n_jobs : int, optional

    With ``start``, a row keeps the support of its start, fitted again (where z ≥ 0, its code), if its new code is
    worse: the objective then never rises from sweep to sweep.

    References: Pati, Rezaiifar and Krishnaprasad (1993); Rubinstein, Zibulevsky and Elad (2008).

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.dictionary import OMPCoder
    >>> OMPCoder(n_nonzero=1).encode(np.array([[3.0, 0.5]]), np.eye(2)).toarray()
    array([[3., 0.]])
    """

    def __init__(
        self,
        n_nonzero: int | None = None,
        noise: float | None = None,
        *,
        positive: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.noise = noise
        self.positive = positive
        self.n_jobs = n_jobs

    def check(self) -> None:
        if self.n_nonzero is not None:
            check_count("n_nonzero", self.n_nonzero)
        if self.noise is not None:
            check_number("noise", self.noise, at_least=0.0)
        check_choice("positive", self.positive, (False, True))
        thread_count(self.n_jobs)

    def for_share(self, share: float) -> Self:
        if self.noise is None:
            return self
        return type(self)(
            self.n_nonzero, self.noise * float(np.sqrt(share)), positive=self.positive, n_jobs=self.n_jobs
        )

    def codes(self, X: Any, D: np.ndarray, start: Any) -> csr_array:
        n_nonzero = self._most(X.shape[1], D)
        X = X.toarray() if sp.issparse(X) else X
        pursuit = positive_omp_codes if self.positive else omp_codes
        found = pursuit(X, D, n_nonzero=n_nonzero, noise=self.noise, n_jobs=self.n_jobs)
        if start is None:
            return found.Z
        before = csr_array(start)
        rows = self._in_question(before, found.Z)
        X, before = X[rows], before[rows]
        if self.positive:
            squares = squared_residuals(X, before, D, n_jobs=self.n_jobs)
        else:
            before, squares = refitted(X, D, before, thread_count(self.n_jobs))
        keep = self._is_better(squares, found.residual_norms[rows] ** 2)
        return with_rows(found.Z, rows[keep], before[keep])

    def observed_atoms(self, D: np.ndarray, columns: np.ndarray) -> np.ndarray:
        seen = super().observed_atoms(D, columns)
        seen[np.square(seen).sum(axis=1) <= UNSEEN * np.square(D).sum(axis=1)] = 0
        return seen

    def _on_observed(self, X: np.ndarray, D: np.ndarray, start: csr_array | None, observed: np.ndarray) -> csr_array:
        if self.positive:
            return super()._on_observed(X, D, start, observed)
        Z, squares = observed_codes(X, D, observed, self._most(X.shape[1], D), self.noise, thread_count(self.n_jobs))
        if start is None:
            return Z
        rows = self._in_question(start, Z)
        was = squared_residuals(X[rows], start[rows], D, n_jobs=self.n_jobs)
        keep = self._is_better(was, squares[rows], observed[rows].mean(axis=1))
        return with_rows(Z, rows[keep], start[rows[keep]])

    def _most(self, p: int, D: np.ndarray) -> int:
        if self.n_nonzero is None and self.noise is None:
            return max(1, p // 10)
        return min(*D.shape, self.n_nonzero or p)

    def _in_question(self, before: csr_array, after: csr_array) -> np.ndarray:
        """The rows whose earlier code may be better: of another support; under a bound on ‖r‖, of fewer atoms."""
        was, now = np.diff(before.indptr), np.diff(after.indptr)
        if self.noise is not None:
            return np.flatnonzero(was < now)
        differ = was != now
        alike = np.flatnonzero(~differ)
        rows = np.repeat(alike, now[alike])
        differ[rows[before[alike].indices != after[alike].indices]] = True
        return np.flatnonzero(differ)

    def _is_better(self, was: np.ndarray, now: np.ndarray, share: Any = 1.0) -> np.ndarray:
        """Of the rows in question, from ‖r‖² of both codes; ``share`` of the entries are observed."""
        return was < now if self.noise is None else was <= np.maximum(share * self.noise**2, now)


def observed_codes(
    X: np.ndarray, D: np.ndarray, observed: np.ndarray, most: int, noise: float | None, n_threads: int
) -> tuple[csr_array, np.ndarray]:
    """Codes on the entries that are observed, and ‖xᵢ − zᵢD‖² over them."""
    n = len(X)
    limits = np.zeros(n) if noise is None else noise**2 * observed.mean(axis=1)
    indices, values = np.empty((n, most), np.int32), np.empty((n, most), X.dtype)
    counts, squares = np.empty(n, np.int64), np.empty(n)
    kernels.observed_omp(
        np.ascontiguousarray(D.T, dtype=X.dtype), np.ascontiguousarray(X), observed.astype(np.uint8), limits, n_threads,
        indices, values, counts, squares,
    )  # fmt: skip
    used = np.arange(most) < counts[:, None]
    Z = csr_array((values[used], indices[used], np.append(0, np.cumsum(counts))), shape=(n, len(D)))
    Z.sort_indices()
    return Z, squares


def refitted(X: np.ndarray, D: np.ndarray, Z: csr_array, n_threads: int) -> tuple[csr_array, np.ndarray]:
    """Z with the same support, fitted to X by least squares, and ‖xᵢ − zᵢD‖²."""
    starts, indices, _ = in_parts(Z, X.dtype)
    values, squares = np.empty(Z.nnz, X.dtype), np.empty(X.shape[0])
    room = max(1, min(int(np.diff(starts).max(initial=1)), *D.shape))
    G = D.astype(np.float64)
    kernels.refit_codes(
        np.ascontiguousarray(X), np.ascontiguousarray(D, dtype=X.dtype), G @ G.T, starts, indices, values, squares,
        room, n_threads,
    )  # fmt: skip
    return csr_array((values, Z.indices, Z.indptr), shape=Z.shape), squares
