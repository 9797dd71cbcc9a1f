"""Penalties that treat each coefficient by itself."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tamis._core.checks import check_choice, check_number
from tamis.penalties.base import CompiledPenalty
from tamis.penalties.terms import Terms
from tamis.penalties.weights import as_weights


class _Plain(CompiledPenalty):
    weights: Any
    positive: bool

    def bound(self, p: int, names: list[str] | None = None, blocks: Any = None) -> Self:
        del blocks  # they tell of groups, and here each coefficient stands alone
        return self._with(weights=self._weights(p, names))

    def _weights(self, p: int, names: list[str] | None = None) -> np.ndarray:
        check_choice("positive", self.positive, (True, False))
        return as_weights(self.weights, p, "column", names)


class L1(_Plain):
    """Ω(w) = Σ vⱼ|wⱼ|;  prox_τ(w) = sign(w) · max(|w| − τv, 0), τ = step · α: (11.14) with τ = λ/L.

    Parameters
    ----------
    weights : array of p numbers ≥ 0, or {column: number}
        v; 0 leaves a column unpenalised. None: all ones.
    positive : bool
        Ask for w ≥ 0.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.penalties import L1
    >>> L1(weights=[1.0, 0.0]).prox(np.array([3.0, -2.0]), step=1.0, alpha=1.0)
    array([ 2., -2.])
    """

    def __init__(self, weights: Any = None, positive: bool = False) -> None:
        self.weights = weights
        self.positive = positive

    def terms(self, p: int) -> Terms:
        v = self._weights(p)
        return Terms(v, np.zeros(p), positive=bool(self.positive))


class L2(_Plain):
    """Ω(w) = ½ Σ vⱼwⱼ², the ridge of (11.6) with λ = nα;  prox_τ(w) = w / (1 + τv).

    Parameters are those of L1. There is no α beyond which the null model is optimal: ``alpha_max`` is infinite.
    """

    def __init__(self, weights: Any = None, positive: bool = False) -> None:
        self.weights = weights
        self.positive = positive

    def terms(self, p: int) -> Terms:
        v = self._weights(p)
        return Terms(np.zeros(p), v, positive=bool(self.positive))


class L1L2(_Plain):
    """Ω(w) = Σ vⱼ (ρ|wⱼ| + (1 − ρ)/2 wⱼ²), the elastic net;  prox_τ(w) = soft(w, τρv) / (1 + τ(1 − ρ)v).

    Parameters
    ----------
    l1_ratio : float in [0, 1]
        ρ. With 0 no α makes the null model optimal.
    weights, positive
        As in L1.
    """

    def __init__(self, l1_ratio: float = 0.5, weights: Any = None, positive: bool = False) -> None:
        self.l1_ratio = l1_ratio
        self.weights = weights
        self.positive = positive

    def terms(self, p: int) -> Terms:
        rho = check_number("l1_ratio", self.l1_ratio, at_least=0, at_most=1)
        v = self._weights(p)
        return Terms(rho * v, (1 - rho) * v, positive=bool(self.positive))
