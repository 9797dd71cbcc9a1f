"""How sure an entry of a completed matrix is: the noise of the observed ones, and leverages of rows and columns.

A row's factors are a ridge regression on the columns', and the other way round: to first order the error of ⟨uᵢ, vⱼ⟩
has the variance σ²(vⱼᵀ(VᵢᵀVᵢ + αI)⁻¹vⱼ + uᵢᵀ(UⱼᵀUⱼ + αI)⁻¹uᵢ), with Vᵢ the factors of the columns that row i has
observed (Chen, Fan, Ma & Yan 2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from tamis.lowrank.completion.choice import PSEUDO_ENTRIES
from tamis.lowrank.completion.leverages import leverage_sum, row_leverages, sampled_rows
from tamis.lowrank.completion.on_workers import WorkerEntries
from tamis.solvers.als import FactorPair, ridge_of
from tamis.solvers.nuclear_completion import narrow

QUERIES = 5000  # held-out entries whose leverages are compared with their errors
LEAST_FREE = 0.1  # of the entries: degrees of freedom that are left for the noise, at least


@dataclass(frozen=True)
class Leverages:
    """U (m, k) and V (n, k) at α, fitted to the entries of X; with biases a column of ones beside them."""

    X: csr_array | WorkerEntries
    U: np.ndarray
    V: np.ndarray
    alpha: float
    biased: bool
    n_threads: int

    def at(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The two terms of the variance over σ², for each pair."""
        V, U = _with_ones(self.V, self.biased), _with_ones(self.U, self.biased)
        if isinstance(self.X, WorkerEntries):
            return self.X.leverages(FactorPair(U, V), self._ridges(), rows, columns)
        of_rows = row_leverages(self.X, V, self._ridge(self.V), rows, V[columns], self.n_threads)
        turned = narrow(self.X.T.tocsr())
        return of_rows + row_leverages(turned, U, self._ridge(self.U), columns, U[rows], self.n_threads)

    def noise(self, square: float) -> float:
        """σ from the squared residuals at the entries, summed, degrees of freedom taken off."""
        n = self.X.nnz
        return float(np.sqrt(square / max(n - self._degrees_of_freedom(), LEAST_FREE * n)))

    def inflation(self, squares: np.ndarray, rows: np.ndarray, columns: np.ndarray, noise: float) -> float:
        """By how much held-out squared errors say that the variances are too small; at least 1.

        E e² = σ²(1 + c·leverage); c is above 1 where shrinkage bends what it keeps. A standard error of the mean of e²
        is taken off, so that few errors do not enlarge by chance.
        """
        some = np.random.default_rng(0).permutation(len(rows))[:QUERIES]
        lever = noise**2 * float(self.at(rows[some], columns[some]).mean())
        if lever <= 0 or len(squares) < 2:
            return 1.0
        least = float(squares.mean()) - float(squares.std(ddof=1)) / np.sqrt(len(squares))
        return max(1.0, (least - noise**2) / lever)

    def _degrees_of_freedom(self) -> float:
        """Leverages of the observed entries, summed: a + b − ab/(mn), which without a ridge is r(m + n − r)."""
        m, n = self.X.shape
        a, b = self._sums()
        return a + b - a * b / (m * n)

    def _sums(self) -> tuple[float, float]:
        """Over the entries of all rows, and of all columns, from a sample of each."""
        V, U = _with_ones(self.V, self.biased), _with_ones(self.U, self.biased)
        if isinstance(self.X, WorkerEntries):
            return self.X.leverage_sums(FactorPair(U, V), self._ridges())
        turned, (of_rows, of_columns) = narrow(self.X.T.tocsr()), self._ridges()
        return self._sum_over_rows(self.X, V, of_rows), self._sum_over_rows(turned, U, of_columns)

    def _sum_over_rows(self, X: csr_array, V: np.ndarray, ridge: np.ndarray) -> float:
        rows = sampled_rows(X.shape[0])
        return leverage_sum(X, V, ridge, rows, self.n_threads) * X.shape[0] / len(rows)

    def _ridges(self) -> tuple[np.ndarray, np.ndarray]:
        return self._ridge(self.V), self._ridge(self.U)

    def _ridge(self, V: np.ndarray) -> np.ndarray:
        ridge = ridge_of(V, self.alpha)
        return np.append(ridge, PSEUDO_ENTRIES) if self.biased else ridge


def _with_ones(V: np.ndarray, biased: bool) -> np.ndarray:
    return np.hstack([V, np.ones((len(V), 1))]) if biased else V
