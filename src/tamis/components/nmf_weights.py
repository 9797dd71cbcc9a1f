"""Rows of NMF that count several times: scaled so that an objective without weights counts them so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.components.nmf_data import Weights


@dataclass(frozen=True)
class WeighedRows:
    """Rows of weight s times f: s‖x − wH‖² = ‖√s x − (√s w)H‖², and s KL(x, wH) = KL(s x, (s w)H).

    f is √s for squares and s for the divergence; codes are f w. So are penalties of them: s‖w‖₁ = (s/f)‖f w‖₁ and
    s‖w‖² = (s/f²)‖f w‖², of which one is 1 and the other ``f`` (squares, ℓ₁) or ``1/s`` (the divergence, ℓ₂).

    ``n`` is the sum of the weights. Of ``n_given`` rows those without weight are left out: ``used`` are the others.
    """

    X: Any
    observed: np.ndarray | None
    n: float
    n_given: int
    used: np.ndarray | None = None
    f: np.ndarray | None = None
    squared: bool = True

    @classmethod
    def of(
        cls, X: Any, observed: np.ndarray | None, weight: np.ndarray | None = None, squared: bool = True
    ) -> WeighedRows:
        if weight is None:
            return cls(X, observed, float(X.shape[0]), X.shape[0])
        used = np.flatnonzero(weight)
        f, rows = np.sqrt(weight[used]) if squared else weight[used], X[used]
        scaled = sp.diags_array(f) @ rows if sp.issparse(rows) else rows * f[:, None].astype(X.dtype)
        scaled = sp.csr_array(scaled, dtype=X.dtype) if sp.issparse(rows) else np.ascontiguousarray(scaled)
        seen = None if observed is None else observed[used]
        return cls(scaled, seen, float(weight.sum()), len(weight), used, f, squared)

    def codes(self, W: np.ndarray) -> np.ndarray:
        """f w of the rows that count, from w of all rows."""
        return W if self.f is None or self.used is None else W[self.used] * self.f[:, None]

    def penalty(self, l1: float, l2: float) -> Weights:
        """s (l1 Σ w + l2/2 Σ w²) as a penalty of f w."""
        if self.f is None:
            return Weights(l1, l2)
        if self.squared:
            return Weights(l1 * self.f[:, None] if l1 else 0.0, l2)
        return Weights(l1, l2 / self.f[:, None] if l2 else 0.0)
