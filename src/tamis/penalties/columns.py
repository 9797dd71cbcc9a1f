"""What penalties share that treat each coefficient by itself and are no sum of terms: a weight for every column."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from tamis.penalties.weights import as_weights


class ColumnPenalty(BaseEstimator):
    """Σ Ω_a(|wⱼ|), a = α vⱼ; v are the ``weights``, None: all ones."""

    weights: Any

    def bound(self, p: int, names: list[str] | None = None, blocks: Any = None) -> Self:
        """The same penalty with weights as an array that fits p columns."""
        del blocks  # they tell of groups, and here each coefficient stands alone
        self.check()
        other = copy(self)
        other.weights = as_weights(self.weights, p, "column", names)
        return other

    def check(self) -> None:
        """InputError where a parameter cannot be used."""

    def entry_weights(self, curvature: np.ndarray) -> np.ndarray:
        """(p,) the correlation at which a coefficient of this curvature leaves 0, at α = 1."""
        return self.weights_of(len(curvature))

    def weights_of(self, p: int) -> np.ndarray:
        return as_weights(self.weights, p, "column")

    @property
    def free(self) -> np.ndarray:
        """Columns without a penalty, where the weights are an array."""
        return np.zeros(0, bool) if self.weights is None else np.asarray(self.weights) == 0

    def levels(self, w: np.ndarray, alpha: float) -> np.ndarray:
        """a of every coefficient."""
        v = np.ones(len(w)) if self.weights is None else self.weights_of(len(w))
        return np.broadcast_to(alpha * (v if w.ndim == 1 else v[:, None]), w.shape)


def largest_ratio(g: np.ndarray, per: np.ndarray) -> float:
    """max |gⱼ| / perⱼ over the columns with perⱼ > 0; of several outputs the largest."""
    size = np.abs(g)
    per = np.broadcast_to(per if g.ndim == 1 else per[:, None], size.shape)
    return float(np.divide(size, per, out=np.zeros(size.shape), where=per > 0).max(initial=0.0))
