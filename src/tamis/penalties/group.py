"""Penalties under which groups of coefficients enter and leave together."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tamis._core.checks import check_number
from tamis.penalties.base import CompiledPenalty
from tamis.penalties.feature_groups import as_labels
from tamis.penalties.terms import Terms
from tamis.penalties.weights import as_weights


class _Grouped(CompiledPenalty):
    feature_groups: Any
    weights: Any

    def bound(self, p: int, names: list[str] | None = None, blocks: Any = None) -> Self:
        labels, weights = self._resolved(p, names, blocks)
        return self._with(feature_groups=labels, weights=weights)

    def _resolved(self, p: int, names: list[str] | None = None, blocks: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """The group number of every feature, and the weight v_g of every group."""
        labels, group_names = as_labels(self.feature_groups, p, names, blocks)
        return labels, as_weights(self.weights, len(group_names), "group", group_names)


class Group(_Grouped):
    """Ω(w) = Σ_g v_g √|g| ‖w_g‖, |g| the number of features;  prox_τ(w)_g = w_g · max(1 − τ v_g √|g| / ‖w_g‖, 0).

    Parameters
    ----------
    feature_groups : labels, lists, {name: columns}, int or "one-hot"
        A label for each column; or lists of columns (names, positions or masks), where columns in no list stand alone;
        one mask is one group; or the size of consecutive groups; or the indicator columns of each encoded column.
        None: every column stands alone, which with several outputs makes a group of each row of w.
    weights : array of numbers ≥ 0, one per group, or {group: number}
        v; 0 leaves a group unpenalised. Labels count in sorted order, lists in the order given and then the columns
        that stand alone. None: all ones.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.penalties import Group
    >>> Group(feature_groups=[0, 0, 0, 0, 1]).prox(np.array([5.0, 5.0, 5.0, 5.0, 0.5]), step=2.5, alpha=1.0)
    array([2.5, 2.5, 2.5, 2.5, 0. ])
    """

    def __init__(self, feature_groups: Any = None, weights: Any = None) -> None:
        self.feature_groups = feature_groups
        self.weights = weights

    def terms(self, p: int) -> Terms:
        labels, v = self._resolved(p)
        return Terms(np.zeros(p), np.zeros(p), v * np.sqrt(np.bincount(labels)), labels)


class SparseGroup(_Grouped):
    """Ω(w) = Σ_g v_g (ρ‖w_g‖₁ + (1 − ρ)√|g| ‖w_g‖): few groups, and few features in them (Simon et al. 2013).

    prox_τ soft-thresholds by τρv_g and then shrinks each group as Group does with (1 − ρ)v_g.

    Parameters
    ----------
    feature_groups, weights
        As in Group; a weight counts for both terms.
    l1_ratio : float in [0, 1]
        ρ: 1 is L1, 0 is Group.
    """

    def __init__(self, feature_groups: Any = None, l1_ratio: float = 0.5, weights: Any = None) -> None:
        self.feature_groups = feature_groups
        self.l1_ratio = l1_ratio
        self.weights = weights

    def terms(self, p: int) -> Terms:
        rho = check_number("l1_ratio", self.l1_ratio, at_least=0, at_most=1)
        labels, v = self._resolved(p)
        return Terms(rho * v[labels], np.zeros(p), (1 - rho) * v * np.sqrt(np.bincount(labels)), labels)
