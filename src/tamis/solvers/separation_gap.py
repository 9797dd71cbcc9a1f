"""How far a split X = L + S can be from the best one: the duality gap of robust PCA.

min ‖L‖_* + α‖S‖₁ over L + S = X at the observed entries is at least ⟨X, Z⟩ for every Z that is 0 elsewhere, with
‖Z‖₂ ≤ 1 and |Z_ij| ≤ α. With dense noise, min ‖L‖_* + α‖S‖₁ + ‖X − L − S‖²/(2μ) is at least ⟨X, Z⟩ − μ‖Z‖²/2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.evidence import ObjectiveGap
from tamis.solvers.svd import Factors


@dataclass(frozen=True, repr=False)
class SeparationGap(ObjectiveGap):
    """Objective of (L, X − L), or of L with its best S where there is noise, minus the bound of the dual point Z.

    ``mu`` is 0 where X = L + S exactly.
    """

    primal: float
    dual: float
    alpha: float
    low_rank: Factors
    Z: np.ndarray
    mu: float = 0.0
    location: np.ndarray | None = None  # taken off the columns of X first

    def verify(self, X: Any, y: Any = None) -> SeparationGap:
        """The same two numbers recomputed from X, in plain NumPy and float64."""
        X = np.asarray(X, dtype=np.float64)
        X = X if self.location is None else X - self.location
        observed = np.isfinite(X)
        L = (self.low_rank.U.astype(np.float64) * self.low_rank.s) @ self.low_rank.Vt
        E = np.abs(X - L)[observed]
        nuclear = float(np.linalg.svd(L, compute_uv=False).sum())
        primal = nuclear + (self.alpha * float(E.sum()) if self.mu == 0 else _huber(E, self.alpha, self.mu))
        Z = np.where(observed, self.Z, 0.0).astype(np.float64)
        scale = max(1.0, float(np.linalg.norm(Z, 2)), float(np.abs(Z).max(initial=0.0)) / self.alpha)
        Z = Z / scale
        dual = float((X[observed] * Z[observed]).sum()) - 0.5 * self.mu * float((Z**2).sum())
        return replace(self, primal=primal, dual=max(0.0, dual))


def separation_gap(X: np.ndarray, low_rank: Factors, Z: np.ndarray, alpha: float, mu: float = 0.0) -> SeparationGap:
    """The gap of L with the dual point that Z gives, once it is scaled to be allowed; X has NaN where missing."""
    L = low_rank.toarray()
    E = np.abs(np.subtract(X, L, out=L), out=L)
    np.nan_to_num(E, copy=False, nan=0.0)
    nuclear = float(low_rank.s.sum(dtype=np.float64))
    beyond = alpha * float(E.sum(dtype=np.float64)) if mu == 0 else _huber(E, alpha, mu)
    scale = max(1.0, spectral_norm(Z), float(np.abs(Z).max(initial=0.0)) / alpha)
    along = float(np.nansum(X * Z, dtype=np.float64)) / scale
    dual = along - 0.5 * mu * float(np.square(Z, dtype=np.float64).sum()) / scale**2
    return SeparationGap(nuclear + beyond, max(0.0, dual), alpha, low_rank, Z, mu)


def spectral_norm(Z: np.ndarray) -> float:
    """σ₁ from the eigenvalues of the smaller Gram, plus what their rounding may hide."""
    Z = Z.astype(np.float64, copy=False)
    G = Z @ Z.T if len(Z) <= Z.shape[1] else Z.T @ Z
    largest = float(np.linalg.eigvalsh(G)[-1])
    return float(np.sqrt(max(0.0, largest) + len(G) * np.finfo(float).eps * max(0.0, largest)))


def _huber(E: np.ndarray, alpha: float, mu: float) -> float:
    """min_S α‖S‖₁ + ‖E − S‖²/(2μ), entry by entry: a square up to μα, then a straight line."""
    near = np.minimum(E, mu * alpha)
    return float((near * (E - 0.5 * near)).sum(dtype=np.float64) / mu)
