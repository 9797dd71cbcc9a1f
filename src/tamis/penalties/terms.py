"""The one form every built-in penalty compiles to, and the only one the kernels know.

Ω(w) = Σⱼ l1ⱼ|wⱼ| + ½ Σⱼ l2ⱼ wⱼ² + Σ_g group_g ‖w_g‖, with w ≥ 0 where ``positive``.

With several outputs w is (p, K), l1 and l2 hold for a whole row, and ‖w_g‖ runs over the rows of g and all outputs.
A unit is what enters together: a group, or without groups a feature.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tamis._kernels import kernels


@dataclass(frozen=True, eq=False)
class Terms:
    """Weights of the three terms; ``labels`` holds the group number of each feature, None when there are no groups.

    No feature has both an ℓ₂ and a group term: their common prox has no closed form.
    """

    l1: np.ndarray
    l2: np.ndarray
    group: Any = None  # (n_groups,)
    labels: Any = None  # (p,) int64
    positive: bool = False

    @property
    def n_units(self) -> int:
        return len(self.l1) if self.group is None else len(self.group)

    @cached_property
    def free(self) -> np.ndarray:
        """(p,) features that are not penalised at all."""
        untouched = (self.l1 == 0) & (self.l2 == 0)
        return untouched if self.group is None else untouched & (self.group[self.labels] == 0)

    @cached_property
    def ridged(self) -> bool:
        """Whether any feature has a squared term."""
        return bool(self.l2.any())

    def take(self, features: np.ndarray) -> Terms:
        """The terms of some features, whole groups of them, numbered in the order in which the groups come."""
        if self.labels is None:
            return Terms(self.l1[features], self.l2[features], positive=self.positive)
        groups, first, labels = np.unique(self.labels[features], return_index=True, return_inverse=True)
        rank = np.argsort(np.argsort(first))
        group = np.empty(len(groups))
        group[rank] = self.group[groups]
        return Terms(self.l1[features], self.l2[features], group, rank[labels], self.positive)

    def times(self, alpha: float) -> Terms:
        """αΩ; with α = 0 every feature is free."""
        group = None if self.group is None else alpha * self.group
        return Terms(alpha * self.l1, alpha * self.l2, group, self.labels, self.positive)

    def value(self, w: np.ndarray, alpha: float = 1.0) -> float:
        """α Ω(w)."""
        if self.positive and (w < 0).any():
            return np.inf
        total = np.abs(w).T @ self.l1 + 0.5 * (w**2).T @ self.l2
        grouped = 0.0 if self.group is None else self.group @ self.norms(w)
        return alpha * float(np.sum(total) + grouped)

    def prox(self, v: np.ndarray, step: float, alpha: float = 1.0) -> np.ndarray:
        """argmin_z ‖z − v‖²/(2 step) + α Ω(z), with τ = step · α: soft-threshold, then shrink each group, then divide
        by 1 + τ l2.
        """
        tau = step * alpha
        z = self.soft(v, tau)
        if self.group is not None:
            z = z * _rows(self._shrinkage(self.norms(z), tau)[self.labels], z)
        return z / _rows(1 + tau * self.l2, z)

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        """|−gradient − nearest point of α ∂Ω(w)| by coordinate; its norm over a group is the group's distance."""
        c = -gradient - alpha * _rows(self.l2, w) * w
        if self.group is None:
            return self._distance_without_groups(w, c, alpha)
        norms = self.norms(w)
        nonzero = norms[self.labels] > 0
        per_norm = np.divide(self.group, norms, out=np.zeros_like(norms), where=norms > 0)
        inside = self._distance_without_groups(w, c - alpha * _rows(per_norm[self.labels], w) * w, alpha)
        beyond = self.soft(c, alpha)  # at w_g = 0 the set is α (l1 box + group ball)
        left = _rows(self._shrinkage(self.norms(beyond), alpha)[self.labels], w)
        return np.where(_rows(nonzero, w), inside, np.abs(beyond) * left)

    def violation(self, gradient: np.ndarray, alpha: float) -> np.ndarray:
        """(n_units,) how far −gradient lies outside α ∂Ω(0); ≤ 0: the unit may stay at zero."""
        if self.group is None:
            return self._strength(gradient) - alpha * self.l1
        return self.norms(self.soft(-gradient, alpha)) - alpha * self.group

    def survey(self, c: np.ndarray, alpha: float, slack: float, inside: np.ndarray) -> tuple[float, np.ndarray]:
        """For c = −gradient: the largest dual norm of a penalised unit, and the units not ``inside`` that violate.

        A unit violates when its ``violation`` exceeds slack. Units with l2 > 0 have no bound on c and give no norm.
        """
        if self.labels is None and c.ndim == 1 and not self.ridged:
            found, n_found = np.empty(1024, np.int64), np.zeros(1, np.int64)
            largest = kernels.survey(c, self.l1, inside, self.positive, alpha, slack, found, n_found)
            if n_found[0] > len(found):
                found = np.empty(n_found[0], np.int64)
                kernels.survey(c, self.l1, inside, self.positive, alpha, slack, found, n_found)
            return largest, found[: n_found[0]]
        beyond = (self.violation(-c, alpha) > slack) & ~inside
        norms = self.entry_alphas(-np.where(_rows(self.l2 > 0, c), 0.0, c))
        return float(norms.max(initial=0.0)), np.flatnonzero(beyond)

    def entry_alphas(self, gradient: np.ndarray) -> np.ndarray:
        """(n_units,) the smallest α with violation ≤ 0: the dual norm of each unit. 0 for unpenalised features."""
        if self.group is None:
            c = np.where(self.free, 0.0, self._strength(gradient))
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(c > 0, c / self.l1, 0.0)
        return self._group_entry_alphas(np.where(_rows(self.free, gradient), 0.0, gradient))

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        """Beyond it every penalised coefficient is zero; infinite where one is penalised by its square alone."""
        return float(self.entry_alphas(gradient_at_null).max(initial=0.0))

    def norms(self, w: np.ndarray) -> np.ndarray:
        """‖w_g‖ of every group."""
        squares = np.square(w).sum(axis=tuple(range(1, w.ndim)))
        return np.sqrt(np.bincount(self.labels, weights=squares, minlength=self.n_units))

    def soft(self, v: np.ndarray, step: float) -> np.ndarray:
        """sign(v) · max(|v| − step · l1, 0), or max(v − step · l1, 0) where positive."""
        level = _rows(step * self.l1, v)
        return np.maximum(v - level, 0.0) if self.positive else np.sign(v) * np.maximum(np.abs(v) - level, 0.0)

    def _shrinkage(self, norms: np.ndarray, step: float) -> np.ndarray:
        """max(1 − step · group / norm, 0), the factor left of each group."""
        left = np.maximum(norms - step * self.group, 0.0)
        return np.divide(left, norms, out=np.zeros_like(norms), where=norms > 0)

    def _distance_without_groups(self, w: np.ndarray, c: np.ndarray, alpha: float) -> np.ndarray:
        level = _rows(alpha * self.l1, w)
        if self.positive:  # α ∂(l1|·| + [w ≥ 0]) at 0 is (−∞, α l1]
            inside = np.where(w > 0, np.abs(c - level), np.maximum(c - level, 0.0))
            return np.where(w < 0, np.inf, inside)
        at_zero = np.maximum(np.abs(c) - level, 0.0)  # distance of −g to [−α l1, α l1] = α ∂ l1|·| at 0
        return np.where(w == 0, at_zero, np.abs(c - level * np.sign(w)))

    def _strength(self, gradient: np.ndarray) -> np.ndarray:
        """|cⱼ| with c = −gradient, or max(cⱼ, 0) where positive; of several outputs the largest."""
        c = np.maximum(-gradient, 0.0) if self.positive else np.abs(gradient)
        return c if c.ndim == 1 else c.max(axis=1, initial=0.0)

    def _group_entry_alphas(self, gradient: np.ndarray) -> np.ndarray:
        """Root of h(α) = ‖(|c_g| − α l1)₊‖ − α group_g by Newton, which climbs to it because h is convex and falls."""
        c = np.maximum(-gradient, 0.0) if self.positive else np.abs(gradient)
        c = c[:, None] if c.ndim == 1 else c
        l1, group = _rows(self.l1, c), self.group
        reach = _rows(self.l1 + group[self.labels], c)
        alphas = np.zeros(self.n_units)
        least = np.divide(c, reach, out=np.zeros_like(c), where=c > 0).max(axis=1, initial=0.0)
        np.maximum.at(alphas, self.labels, least)  # one coordinate alone asks for so much
        for _ in range(NEWTON_STEPS):
            rest = np.maximum(c - _rows(alphas[self.labels], c) * l1, 0.0)
            norms = self.norms(rest)
            slope = np.bincount(self.labels, weights=(l1 * rest).sum(axis=1), minlength=self.n_units)
            slope = np.divide(slope, norms, out=np.zeros_like(norms), where=norms > 0) + group
            step = np.divide(norms - alphas * group, slope, out=np.zeros_like(norms), where=slope > 0)
            if not (step > 4 * np.finfo(float).eps * alphas).any():
                break
            alphas = alphas + np.maximum(step, 0.0)
        return alphas


NEWTON_STEPS = 100  # a bound only: convergence is quadratic


def _rows(v: np.ndarray, like: np.ndarray) -> np.ndarray:
    """One number per feature, spread over the outputs where there are several."""
    return v if like.ndim == 1 else v[:, None]
