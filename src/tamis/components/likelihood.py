"""PCA as a model of the rows: x ~ N(mean, C), C = V(Λ − σ²I)Vᵀ + σ²I in units of the scale (Tipping & Bishop 1999).

Along V rows have the variances Λ, across them σ² in each of the p − k other directions, so

−2 log N(x) = Σₖ zₖ²/λₖ + ‖r‖²/σ² + Σₖ log λₖ + (p − k) log σ² + 2 Σⱼ log scaleⱼ + p log 2π

with z = Vᵀ(x − mean)/scale and r the rest of the row. Whitening divides scores and changes nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis.components.base import SLAB_BYTES, scores_of
from tamis.components.missing import MissingRows


@dataclass(frozen=True)
class RowModel:
    """V (k, p) with orthonormal rows, their variances, the variance ``noise`` of other directions, and the units."""

    V: np.ndarray
    variances: np.ndarray
    noise: float
    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, pca: Any) -> Self:
        V = np.asarray(pca.components_, dtype=np.float64)
        noise = float(pca.noise_variance_)
        return cls(V, np.maximum(pca.explained_variance_, noise), noise, pca.mean_, pca.scale_)

    def covariance(self) -> np.ndarray:
        """C (p, p) in the units of the columns."""
        C = (self.V.T * (self.variances - self.noise)) @ self.V
        C[np.diag_indices(len(C))] += self.noise
        return np.asarray(C * np.multiply.outer(self.scale, self.scale))

    def precision(self) -> np.ndarray:
        """C⁻¹ (p, p), which has the same directions."""
        self.require_density()
        across = 0.0 if self._is_full else 1 / self.noise
        P = (self.V.T * (1 / self.variances - across)) @ self.V
        P[np.diag_indices(len(P))] += across
        return np.asarray(P / np.multiply.outer(self.scale, self.scale))

    def loglikelihoods(self, X: Any) -> np.ndarray:
        """log N(x) of complete rows, some at a time; sparse rows stay sparse."""
        step = X.shape[0] if sp.issparse(X) else max(1, SLAB_BYTES // (8 * max(1, X.shape[1])))
        slabs = [self._slab(X[start : start + step]) for start in range(0, X.shape[0], step)]
        return self._constant() - 0.5 * np.concatenate([np.zeros(0), *slabs])

    def loglikelihoods_of_the_observed(self, rows: MissingRows) -> np.ndarray:
        """log N of what is there of each row."""
        if self._is_full:
            raise InputError("rows with gaps have a likelihood where noise_variance_ > 0: fit fewer components")
        return rows.loglikelihoods(self.V.T * np.sqrt(self.variances - self.noise), self.mean, self.noise)

    def require_density(self) -> None:
        if (self.variances <= 0).any() or (self.noise <= 0 and not self._is_full):
            k = len(self.V)
            raise InputError(
                f"the covariance of {k} components has no inverse, for {self._flat()}: fit rows of full rank, "
                "or fewer components, which leave some variance as noise",
                argument="n_components",
            )

    def _flat(self) -> str:
        return "noise_variance_ is 0" if self.noise <= 0 else "some of explained_variance_ are 0"

    @property
    def _is_full(self) -> bool:
        return self.V.shape[0] == self.V.shape[1]

    def _constant(self) -> float:
        k, p = self.V.shape
        across = (p - k) * np.log(self.noise) if p > k else 0.0
        logdet = np.log(self.variances).sum() + across + 2 * np.log(self.scale).sum()
        return float(-0.5 * (logdet + p * np.log(2 * np.pi)))

    def _slab(self, X: Any) -> np.ndarray:
        """Σₖ zₖ²/λₖ + ‖r‖²/σ²."""
        if sp.issparse(X):
            Z = scores_of(X, self.mean, self.V / self.scale)
            across = self._lengths(X) - (Z**2).sum(axis=1)
        else:
            Y = (X - self.mean) / self.scale
            Z = Y @ self.V.T
            across = ((Y - Z @ self.V) ** 2).sum(axis=1)
        along = (Z**2 / self.variances).sum(axis=1)
        return np.asarray(along if self._is_full else along + np.maximum(across, 0.0) / self.noise)

    def _lengths(self, X: Any) -> np.ndarray:
        """‖(x − mean)/scale‖² of sparse rows."""
        weight, centre = 1 / self.scale**2, self.mean / self.scale**2
        return np.asarray(X.multiply(X) @ weight - 2 * (X @ centre) + self.mean @ centre)
