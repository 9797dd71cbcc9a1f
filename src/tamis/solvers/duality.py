"""The dual side of datafit + penalty, for problems with rows and for problems with statistics alone.

For F(w, b) = D(Xw + b) + Ω(w), α being part of Ω, every θ that Ω and the intercept allow bounds the minimum from below:
F ≥ −D*(−θ) − Ω*(Xᵀθ). With c = Xᵀθ the conjugate of Ω is, feature by feature or group by group,

    Σⱼ max(|cⱼ| − l1ⱼ, 0)² / (2 l2ⱼ)   where l2ⱼ > 0,
    0 if ‖soft(c_g, l1)‖ ≤ group_g     elsewhere, infinite if not,

which asks cⱼ = 0 of an unpenalised column (cⱼ ≤ 0 where w ≥ 0 is asked), as Σ θᵢ = 0 for the intercept. D ≥ 0, hence
θ = 0 always is a dual point, and 0 a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.penalties import CompiledPenalty, HasConjugate, HasDualNorm, HasFree, Penalty, Terms


def compiled(penalty: Penalty, p: int) -> Terms | Penalty:
    """The penalty's terms, or the penalty itself where it has none."""
    return penalty.terms(p) if isinstance(penalty, CompiledPenalty) else penalty


def require_terms(omega: Terms | Penalty) -> Terms:
    if not isinstance(omega, Terms):
        raise InputError(f"{omega!r} is no sum of Terms, which the Gram and working-set solvers need: use Fista")
    return omega


def unpenalised(omega: Any) -> np.ndarray:
    """Positions of the columns the penalty leaves alone; of a penalty that does not tell none is known."""
    return np.flatnonzero(omega.free) if isinstance(omega, HasFree) else np.zeros(0, np.intp)


def nonzero_unpenalised(terms: Terms, w: np.ndarray) -> np.ndarray:
    """Of the shape of w: coefficients whose correlation is to vanish. Where w ≥ 0 is asked, only those with w > 0."""
    free = np.broadcast_to(terms.free.reshape(-1, *[1] * (w.ndim - 1)), w.shape)
    return free & (w > 0) if terms.positive else free.copy()


def project_unpenalised(
    terms: Terms, w: np.ndarray, project: Callable[[np.ndarray], tuple[Any, np.ndarray, Any]]
) -> list[Any]:
    """Projections until no unpenalised coefficient is left with a correlation that its w ≥ 0 forbids.

    ``project(mask)`` gives what it likes, the correlations c and how well they are known, after making c vanish where
    the mask is. Where w ≥ 0 is asked there are two ways to begin: c = 0 for every w > 0, and c = 0 nowhere, for which
    c < 0 costs the bound −cᵀw; either can be the better one.
    """
    mask = nonzero_unpenalised(terms, w)
    starts = [mask, np.zeros_like(mask)] if terms.positive and mask.any() else [mask]
    return [_projected_from(start, terms, project) for start in starts]


def _projected_from(
    mask: np.ndarray, terms: Terms, project: Callable[[np.ndarray], tuple[Any, np.ndarray, Any]]
) -> Any:
    free = terms.free.reshape(-1, *[1] * (mask.ndim - 1))
    while True:
        found, c, known_to = project(mask)
        beyond = free & ~mask & (c > -known_to) if terms.positive else np.zeros_like(mask)
        if not beyond.any():
            return found
        mask = mask | beyond


def largest_scale(terms: Terms, c: np.ndarray) -> float:
    """The largest t with Ω*(t c) finite."""
    entries = terms.entry_alphas(-c)
    hard = entries if terms.group is not None else entries[terms.l2 == 0]
    largest = float(hard.max(initial=0.0))
    return 1.0 / largest if largest > 0 else np.inf


def penalty_conjugate(terms: Terms, c: np.ndarray) -> float:
    """Ω*(c) of a feasible c."""
    over, l2 = _excess(terms, c, 1.0)
    return float((over**2 / (2 * l2)).sum())


def best_scale(yr: float, rr: float, terms: Terms, c: np.ndarray) -> float:
    """The t ≥ 0 with the largest t·yr − t²/2·rr − Ω*(t c): Newton, exact because the slope is linear between kinks."""
    most = largest_scale(terms, c)
    t = 0.0
    for _ in range(NEWTON_STEPS):
        over, l2 = _excess(terms, c, t)
        slope, curvature = yr - t * rr, rr
        if len(l2):
            strength = _strength(terms, c)
            slope -= float((strength * over / l2).sum())
            curvature += float((strength**2 / l2)[over > 0].sum())
        step = slope / curvature if curvature > 0 else 0.0
        t, before = float(np.clip(t + step, 0.0, most)), t
        if abs(t - before) <= 4 * np.finfo(float).eps * t:
            break
    return t


NEWTON_STEPS = 100  # a bound only: every step passes a kink or is the last


class DualOfTerms:
    """The conjugate of αΩ, Ω a sum of terms."""

    def __init__(self, terms: Terms, alpha: float) -> None:
        self.terms, self.positive = terms.times(alpha), terms.positive

    def projections(self, w: np.ndarray, project: Callable[[np.ndarray], tuple[Any, np.ndarray, Any]]) -> list[Any]:
        """What ``project`` found, of dual points that the unpenalised columns allow."""
        return project_unpenalised(self.terms, w, project)

    def scale(self, c: np.ndarray) -> float:
        """The largest t ≤ 1 with Ω*(t c) finite."""
        return min(1.0, largest_scale(self.terms, c))

    def best_scale(self, yr: float, rr: float, c: np.ndarray) -> float:
        return best_scale(yr, rr, self.terms, c)

    def conjugate(self, c: np.ndarray) -> float:
        """Of a feasible c."""
        return penalty_conjugate(self.terms, c)


class DualOfPenalty:
    """The same of a penalty that says its conjugate and nothing else. Ω_α ≥ 0 = Ω_α(0), so that Ω*(t c) does not fall
    as t grows from 0, where it is 0.
    """

    positive = False

    def __init__(self, penalty: HasConjugate, alpha: float) -> None:
        self.penalty, self.alpha = penalty, alpha

    def projections(self, w: np.ndarray, project: Callable[[np.ndarray], tuple[Any, np.ndarray, Any]]) -> list[Any]:
        mask = np.zeros(w.shape, bool)
        mask[unpenalised(self.penalty)] = True
        return [project(mask)[0]]

    def scale(self, c: np.ndarray, most: float = 1.0) -> float:
        if isinstance(self.penalty, HasDualNorm):
            norm = self.penalty.dual_norm(c)
            return most if most * norm <= self.alpha else self.alpha / norm
        low, high = (most, most) if np.isfinite(self.conjugate(most * c)) else (0.0, most)
        while low < (middle := 0.5 * (low + high)) < high:
            low, high = (middle, high) if np.isfinite(self.conjugate(middle * c)) else (low, middle)
        return low

    def best_scale(self, yr: float, rr: float, c: np.ndarray) -> float:
        """By golden sections: the bound is concave in t. Beyond yr/rr it falls for any penalty."""
        if yr <= 0 or rr <= 0:
            return 0.0
        most = self.scale(c, yr / rr)
        if self.conjugate(most * c) == 0:
            return most
        low, high = 0.0, most
        for _ in range(SECTIONS):
            left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            rises = self._bound(right, yr, rr, c) >= self._bound(left, yr, rr, c)
            low, high = (left, high) if rises else (low, right)
        return max((low, high, most), key=lambda t: self._bound(t, yr, rr, c))

    def _bound(self, t: float, yr: float, rr: float, c: np.ndarray) -> float:
        return t * yr - 0.5 * t**2 * rr - self.conjugate(t * c)

    def conjugate(self, c: np.ndarray) -> float:
        return float(self.penalty.conjugate(c, self.alpha))


GOLDEN = 0.5 * (np.sqrt(5) - 1)
SECTIONS = 40  # leave 4e-9 of the length, hence 2e-17 of the bound, which is flat at its top


def dual_of(omega: Terms | Penalty, alpha: float) -> DualOfTerms | DualOfPenalty:
    """The conjugate side of a penalty that has one; the error names it otherwise."""
    if isinstance(omega, Terms):
        return DualOfTerms(omega, alpha)
    if isinstance(omega, HasConjugate):
        return DualOfPenalty(omega, alpha)
    raise InputError(f"no duality gap is known for {omega!r}: give it a method conjugate(c, alpha)")


def solve_normal(M: np.ndarray, m: np.ndarray) -> np.ndarray:
    """The shortest β with M β = m, M positive semidefinite; directions lost in rounding are left out."""
    scale = np.sqrt(np.maximum(M.diagonal(), 0.0))
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(M / np.multiply.outer(scale, scale))
    kept = values > len(M) * np.finfo(float).eps * values.max(initial=0.0)
    V = vectors[:, kept] / np.sqrt(values[kept])
    return ((V @ (V.T @ (m.T / scale).T)).T / scale).T


def _strength(terms: Terms, c: np.ndarray) -> np.ndarray:
    """|cⱼ| (max(cⱼ, 0) where w ≥ 0) of the features with an ℓ₂ term."""
    c = c[terms.l2 > 0]
    return np.maximum(c, 0.0) if terms.positive else np.abs(c)


def _excess(terms: Terms, c: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    """max(t|cⱼ| − l1ⱼ, 0) of the features with an ℓ₂ term, and that term."""
    ridged = terms.l2 > 0
    l1, l2 = terms.l1[ridged], terms.l2[ridged]
    if c.ndim == 2:
        l1, l2 = l1[:, None], l2[:, None]
    return np.maximum(t * _strength(terms, c) - l1, 0.0), l2
