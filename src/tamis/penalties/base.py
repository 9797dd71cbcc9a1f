"""The contract every penalty keeps, and the one the built-in penalties add to it."""

from __future__ import annotations

from copy import copy
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from sklearn.base import BaseEstimator

from tamis.penalties.terms import Terms


@runtime_checkable
class Penalty(Protocol):
    """What is asked of the coefficients: the term Ω_α(w) of the objective. w is (p,) or (p, n_outputs).

    α is an argument because it need not be a factor: for the built-in penalties Ω_α = α Ω, for MCP and SCAD α is
    the knot as well. Ω_α(0) = 0 and Ω_α ≥ 0.
    """

    def value(self, w: np.ndarray, alpha: float) -> float:
        """Ω_α(w)."""
        ...

    def prox(self, v: np.ndarray, step: float, alpha: float) -> np.ndarray:
        """argmin_z ‖z − v‖²/(2 step) + Ω_α(z)."""
        ...

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        """Distance of −gradient to ∂Ω_α(w), for each coordinate."""
        ...

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        """The smallest α at which the null model is stationary, so that for a convex penalty it is optimal."""
        ...


@runtime_checkable
class HasConjugate(Protocol):
    """The conjugate of a convex penalty is known, so that a duality gap can be computed.

    It closes where every column is penalised: of a free one c = 0 is asked, which rounding never leaves. Give such
    penalties no conjugate, or derive from :class:`CompiledPenalty`.
    """

    def conjugate(self, c: np.ndarray, alpha: float) -> float:
        """max_w ⟨c, w⟩ − Ω_α(w), infinite outside its domain."""
        ...


@runtime_checkable
class HasColumns(Protocol):
    """Parameters belong to columns: estimators bind them to those of the table."""

    def bound(self, p: int, names: list[str] | None = None, blocks: Any = None) -> Any:
        """The same penalty with its parameters as arrays that fit p columns, or an error that says why not."""
        ...


@runtime_checkable
class HasFree(Protocol):
    """Which columns are not penalised is known. A conjugate need not count them: their correlations are 0."""

    @property
    def free(self) -> np.ndarray:
        """(p,) the columns without a penalty, or none where no column is."""
        ...


@runtime_checkable
class HasEntry(Protocol):
    """0 is stationary at every α, and when a coefficient leaves it is told by its minimum."""

    def entry_alpha(self, gradient: np.ndarray, curvature: np.ndarray) -> float:
        """The smallest α at which no coefficient alone leaves 0, where the datafit bends by ``curvature`` at most."""
        ...


@runtime_checkable
class HasDualNorm(Protocol):
    """The conjugate of Ω_α is 0 up to a norm of c of α, and infinite beyond."""

    def dual_norm(self, c: np.ndarray) -> float: ...


class NonConvex:
    """Derive from it to declare that the penalty is not convex: momentum might lead uphill, and no gap is known."""


class CompiledPenalty(BaseEstimator):
    """A penalty that is a sum of :class:`Terms`, so that every solver can run it, compiled ones included.

    A subclass says how its parameters become terms; all the rest follows from them.
    """

    def bound(self, p: int, names: list[str] | None = None, blocks: Any = None) -> Self:
        """The same penalty with weights and groups as arrays that fit p columns, or an error that says why not."""
        raise NotImplementedError

    def terms(self, p: int) -> Terms:
        """The compiled form for p columns."""
        raise NotImplementedError

    def _with(self, **parameters: Any) -> Self:
        other = copy(self)
        other.__dict__.update(parameters)
        return other

    def value(self, w: np.ndarray, alpha: float) -> float:
        return self.terms(len(w)).value(w, alpha)

    def prox(self, v: np.ndarray, step: float, alpha: float) -> np.ndarray:
        return self.terms(len(v)).prox(v, step, alpha)

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        return self.terms(len(w)).subdifferential_distance(w, gradient, alpha)

    def violation(self, gradient: np.ndarray, alpha: float) -> np.ndarray:
        """How far −gradient lies outside α ∂Ω(0), unit by unit; ≤ 0: the unit may stay at zero."""
        return self.terms(len(gradient)).violation(gradient, alpha)

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        return self.terms(len(gradient_at_null)).alpha_max(gradient_at_null)
