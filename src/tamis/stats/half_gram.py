"""Centred second moments with products of columns in single precision: half the work, and a bound on what it costs.

Products of two columns are rounded to float32 and summed in it over at most 128 rows, at most 32 of these sums are
added up in it, and what comes of them in double. So |Ĝⱼₖ − Gⱼₖ| ≤ γ sⱼ sₖ with γ = 165 · 2⁻²⁴: 128 additions and 32, a
product, two roundings of the numbers and one of their sum, and one for what is of second order (Higham 2002, section
3.1). sⱼ is the spread about the points near the mean that the sums are about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tamis._kernels import kernels
from tamis._kernels.room import square

ROUNDING = 165 * 2.0**-24
SPREADS = (1e-12, 1e12)  # between them no product of two numbers near the spread leaves the range of float32
WIDER = 1 + 1e-4  # the spreads are themselves known in single precision


@dataclass(frozen=True)
class HalfGram:
    """Ĝ ≈ XᵀX/n in float32, and in double q = Xᵀy/n, yy = yᵀy/n and the means that x and y are taken about."""

    G: np.ndarray
    q: np.ndarray
    yy: float
    mean: np.ndarray
    y_mean: float
    spread: np.ndarray

    @staticmethod
    def takes(X: Any) -> bool:
        """Whether X is a dense float64 array in C or Fortran order."""
        return isinstance(X, np.ndarray) and X.dtype == np.float64 and X.itemsize in X.strides

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, n_threads: int) -> Self:
        """One pass over rows in memory."""
        n, p = X.shape
        centre, offset, squares, cross = (np.empty(p + 1) for _ in range(4))
        G = square(p, np.float32)
        kernels.half_moments(X, y, centre, offset, squares, cross, G, n_threads)
        mean = centre + offset
        spread = WIDER * np.sqrt(squares[:p] / n)
        return cls(G, cross[:p] / n, float(cross[p]) / n, mean[:p], float(mean[p]), spread)

    @property
    def usable(self) -> bool:
        """Whether all numbers are finite, and no column is constant or out of the range of float32."""
        variance = self.G.diagonal()
        least = np.maximum(SPREADS[0], 64 * np.finfo(float).eps * np.abs(self.mean)) ** 2
        fair = (variance > least) & (self.spread < SPREADS[1])
        return bool(fair.all() and np.isfinite(self.q).all() and np.isfinite(self.yy))

    def alpha_max(self) -> float:
        """Beyond it the lasso has no coefficient."""
        return float(np.abs(self.q).max(initial=0.0))

    def doubt(self, V: np.ndarray) -> np.ndarray:
        """A bound on |(Ĝ − G) v| for each row v of V, the same for all columns in units of their spread."""
        bound: np.ndarray = ROUNDING * (np.abs(V) @ self.spread)
        return bound[:, None]
