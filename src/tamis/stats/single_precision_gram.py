"""Second moments with products of columns in single precision: half the work, and a bound on what it costs.

Products of two columns about points near their means are rounded to float32 and summed in it over at most 128 rows, at
most 32 of these sums are added up in it, and what comes of them in double, where the products of the means are added if
the moments are about zero. So |Ĝⱼₖ − Gⱼₖ| ≤ γ sⱼsₖ + u tⱼtₖ with γ = 164 u, u = 2⁻²⁴: 128 additions and 32, a product,
two roundings of the numbers and one for what is of second order (Higham 2002, section 3.1); and one of the entry. sⱼ is
the spread about the points that the sums are about, tⱼ = √Gⱼⱼ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from tamis._core.far_columns import real_variance
from tamis._kernels import kernels
from tamis._kernels.workspace import square

UNIT = 2.0**-24
SUMS = 164 * UNIT
SIZES = (1e-12, 1e12)  # between them no product of two numbers of this size leaves the range of float32
WIDER = 1 + 1e-4  # the sizes are themselves known in single precision


@dataclass(frozen=True)
class SinglePrecisionGram:
    """Ĝ ≈ XᵀX/n in float32, and in double q = Xᵀy/n and yy = yᵀy/n, with x and y about ``mean`` and ``y_mean``.

    ``weight`` is n, the sum of the weights. ``deviations`` are the columns' standard deviations where they were asked
    for.
    """

    G: np.ndarray
    q: np.ndarray
    yy: float
    weight: float
    mean: np.ndarray
    y_mean: float
    spread: np.ndarray
    about_means: bool = True
    deviations: np.ndarray | None = None

    @staticmethod
    def takes(X: Any) -> bool:
        """Whether X is a dense float64 array in C or Fortran order."""
        return isinstance(X, np.ndarray) and X.dtype == np.float64 and X.itemsize in X.strides

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray | None = None,
        *,
        about_means: bool = True,
        deviations: bool = False,
        n_threads: int = 1,
    ) -> Self:
        """One pass over rows in memory; about the weighted means, or about zero."""
        p = X.shape[1]
        centre, offset, squares, cross = (np.empty(p + 1) for _ in range(4))
        diagonal = np.empty(p + 1) if deviations else None
        G = square(p, np.float32)
        n = kernels.single_precision_moments(
            X, y, weight, about_means, centre, offset, squares, cross, diagonal, G, n_threads
        )
        with np.errstate(divide="ignore", invalid="ignore"):  # ``usable`` tells of what is no number
            mean, cross = centre + offset, cross / n
            spread = WIDER * np.sqrt(squares[:p] / n)
            sd = None if diagonal is None else np.sqrt(real_variance(diagonal[:p] / n, mean[:p]))
        if not about_means:
            cross += mean * mean[p]
            mean = np.zeros(p + 1)
        return cls(G, cross[:p], float(cross[p]), n, mean[:p], float(mean[p]), spread, about_means, sd)

    @cached_property
    def size(self) -> np.ndarray:
        """√Gⱼⱼ or more."""
        return WIDER * np.sqrt(np.maximum(self.G.diagonal().astype(np.float64), 0.0))

    @property
    def usable(self) -> bool:
        """Whether all numbers are finite, and no column is constant or out of the range of float32."""
        squares = self.G.diagonal()
        least = np.maximum(SIZES[0], 64 * np.finfo(float).eps * np.abs(self.mean)) ** 2
        with np.errstate(invalid="ignore"):
            fair = (squares > least) & (self.size < SIZES[1]) & (self.spread < SIZES[1])
        return bool(fair.all() and np.isfinite(self.q).all() and np.isfinite(self.yy))

    def rounding(self, V: np.ndarray) -> np.ndarray:
        """A bound on |(Ĝ − G) v| for each row v of V."""
        V = np.abs(V)
        if self.about_means:  # no entry is larger than the sums that it is made of
            return np.multiply.outer((SUMS + UNIT) * (V @ self.spread), self.spread)
        sums = np.multiply.outer(SUMS * (V @ self.spread), self.spread)
        sums += np.multiply.outer(UNIT * (V @ self.size), self.size)
        return sums
