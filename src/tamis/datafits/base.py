"""The contract every datafit keeps, and the abilities it may add.

A datafit is a weighted mean over rows, D(Z) = Σ sᵢ ℓ(yᵢ, zᵢ) / Σ sᵢ. It knows the target y and the prediction
Z = Xw + b, (n,) or (n, n_outputs), never X. Weights ``s=None`` are all ones.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Datafit(Protocol):
    """How far the prediction is from y."""

    def value(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> float: ...

    def gradient(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        """dD/dZ, of the shape of Z."""
        ...


@runtime_checkable
class HasCurvature(Protocol):
    """Second derivatives exist."""

    lipschitz: float  # the largest eigenvalue of ℓ'' at any y and z

    def hessian(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        """The diagonal of d²D/dZ², of the shape of Z."""
        ...


@runtime_checkable
class CouplesOutputs(Protocol):
    """The outputs of a row meet in the second derivative, whose diagonal then does not tell all."""

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        """d²D/dZ² times V."""
        ...


@runtime_checkable
class HasDual(Protocol):
    """The conjugate is known, so that a duality gap can be computed."""

    def conjugate(self, y: np.ndarray, theta: np.ndarray, s: np.ndarray | None = None) -> float:
        """D*(θ) = max_Z ⟨θ, Z⟩ − D(Z), infinite outside its domain."""
        ...


@runtime_checkable
class HasNull(Protocol):
    """The best constant prediction is known in closed form."""

    def null_prediction(self, y: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        """argmin_b D(b): a number, or one per output."""
        ...


@runtime_checkable
class HasLocal(Protocol):
    """Value, gradient and hessian come from one pass over the rows, as prox-Newton on a working set asks for them."""

    def local(
        self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None
    ) -> tuple[float, np.ndarray, np.ndarray]: ...


@runtime_checkable
class HasNewtonStep(Protocol):
    """A kernel takes a whole Newton step on gathered columns: predictions, derivatives and correlations at once."""

    def newton_step(
        self, rows: np.ndarray, rest: np.ndarray, d: np.ndarray, shift: float, y: np.ndarray, share: np.ndarray,
        z: np.ndarray, g: np.ndarray, model_h: np.ndarray, ratio: float, n_threads: int,
    ) -> tuple[np.ndarray, ...]: ...  # fmt: skip


@runtime_checkable
class HasTargets(Protocol):
    """Not every y will do."""

    def check_target(self, y: np.ndarray, s: np.ndarray | None = None) -> None:
        """InputError where y, weighted by s, holds what cannot be fitted."""
        ...


@runtime_checkable
class HasSmoothing(Protocol):
    """The loss bends within a distance that is chosen from the target; with more smoothing it is easier to minimise."""

    def for_target(self, y: np.ndarray, s: np.ndarray | None = None) -> Any: ...

    delta: float  # the distance

    def smoother(self, factor: float) -> Any: ...


@runtime_checkable
class HasOffset(Protocol):
    """A known part o of the prediction, ℓ(y, z + o), is the same loss of another target and other weights."""

    def with_offset(
        self, y: np.ndarray, s: np.ndarray | None, offset: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]: ...


@runtime_checkable
class HasMean(Protocol):
    """What is predicted is not z itself."""

    def mean(self, Z: np.ndarray) -> np.ndarray:
        """E[y | x] where the linear prediction is z."""
        ...


class PiecewiseQuadratic:
    """Derive from it to declare that second derivatives jump.

    The gradient that the quadratic model of a step has at its end may then lie far outside the domain of the conjugate,
    so that solvers take the gradient itself as their dual point.
    """


class LeastSquares:
    """Derive from it to declare that D(Z) is Σ sᵢ ½‖yᵢ − zᵢ‖² / Σ sᵢ, nothing else.

    Then XᵀX, Xᵀy and yᵀy replace the rows, and the best multiple of a dual point has a closed form.
    """


class ForClasses:
    """Derive from it to declare that y holds classes: ±1 for two of them, one-hot rows for more."""

    vanishes_at_infinity = False  # whether the loss of separated classes falls towards 0 for ever

    def for_classes(self, n_classes: int) -> Any:
        """The datafit for so many classes."""
        del n_classes
        return self


def shares(y: np.ndarray, s: np.ndarray | None) -> np.ndarray:
    """sᵢ / Σ sᵢ, in the shape that multiplies rows of y."""
    share = np.full(len(y), 1.0 / len(y)) if s is None else s / s.sum()
    return share if y.ndim == 1 else share[:, None]
