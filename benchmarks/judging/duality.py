"""What a path costs, and what no path can cost less than: primal values and lower bounds proved by a dual point.

For P(w, b) = mean ℓ(yᵢ, xᵢᵀw + b) + α Ω(w) and any T whose columns sum to zero (the intercept's constraint), −ℓ* finite
at T and Ω°(XᵀT / n) ≤ α, weak duality gives P ≥ D(T) = −mean ℓ*(yᵢ, −tᵢ). The T taken here is that of a path's own
residuals, shrunk until it is feasible, so a bound is a proof whoever made the path.

Shapes, for m alphas and K outputs: coefficients (m, p) or (m, K, p), intercepts (m,) or (m, K), Z and T (n, m) or
(n, m, K).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import entr, expit, log_softmax, softmax, xlogy

BLOCK = 2**26  # bytes of X turned to float64 at a time


class Loss(Protocol):
    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray: ...
    def null_value(self, y: np.ndarray) -> float: ...
    def dual_point(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray: ...
    def dual_value(self, y: np.ndarray, T: np.ndarray) -> np.ndarray: ...


class Penalty(Protocol):
    def value(self, coefs: np.ndarray) -> np.ndarray: ...
    def shrinkage(self, C: np.ndarray, alphas: np.ndarray) -> np.ndarray: ...


def primal_values(loss: Loss, penalty: Penalty, data: Any, coefs: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    return loss.value(data.y, predictions(data.X, coefs, intercepts)) + data.alphas * penalty.value(coefs)


def dual_values(loss: Loss, penalty: Penalty, data: Any, coefs: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    """D(sT) (m,), T the balanced residuals of the path and s ≤ 1 making Ω°(Xᵀ sT / n) ≤ α."""
    T = loss.dual_point(data.y, predictions(data.X, coefs, intercepts))
    s = penalty.shrinkage(correlations(data.X, T) / len(data.y), data.alphas)
    return loss.dual_value(data.y, T * s.reshape(1, -1, *[1] * (T.ndim - 2)))


def predictions(X: Any, coefs: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    """Z = X w + b."""
    W = np.asarray(coefs, dtype=np.float64)
    flat = W.reshape(-1, W.shape[-1]).T
    Z = np.concatenate([B @ flat for B in row_blocks(X)])
    return Z.reshape(len(Z), *W.shape[:-1]) + intercepts


def correlations(X: Any, T: np.ndarray) -> np.ndarray:
    """Xᵀ T, (p, m) or (p, m, K)."""
    flat = T.reshape(len(T), -1)
    start, total = 0, np.zeros((X.shape[1], flat.shape[1]))
    for B in row_blocks(X):
        total += B.T @ flat[start : start + B.shape[0]]
        start += B.shape[0]
    return total.reshape(-1, *T.shape[1:])


def row_blocks(X: Any) -> Iterator[Any]:
    """X in float64, a bounded piece at a time; sparse X as it is."""
    if not isinstance(X, np.ndarray):
        yield X
        return
    rows = max(1, BLOCK // (8 * X.shape[1])) if X.dtype != np.float64 else len(X)
    for start in range(0, len(X), rows):
        yield X[start : start + rows].astype(np.float64, copy=False)


class Squares:
    """ℓ = (y − z)² / 2;  D(T) = (‖y_c‖² − ‖y_c − T‖²) / (2n), T = r less its mean."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return ((y[:, None] - Z) ** 2).mean(axis=0) / 2

    def null_value(self, y: np.ndarray) -> float:
        return float(np.var(y) / 2)

    def dual_point(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        R = y[:, None] - Z
        return R - R.mean(axis=0)

    def dual_value(self, y: np.ndarray, T: np.ndarray) -> np.ndarray:
        c = (y - y.mean())[:, None]
        return ((c**2).sum() - ((c - T) ** 2).sum(axis=0)) / (2 * len(y))


class Logistic:
    """ℓ = log(1 + e^(−yz)), y = ±1;  D(T) = mean H(yᵢtᵢ), H(u) = −u log u − (1 − u) log(1 − u), T = y σ(−yz)."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.logaddexp(0, -y[:, None] * Z).mean(axis=0)

    def null_value(self, y: np.ndarray) -> float:
        share = np.mean(y > 0)
        return float(entr(share) + entr(1 - share))

    def dual_point(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """At the intercepts where every column of T sums to zero."""

        def newton(Z: np.ndarray) -> np.ndarray:
            U = expit(-y[:, None] * Z)
            return (y[:, None] * U).sum(axis=0) / (U * (1 - U)).sum(axis=0)

        Z = balanced(Z, newton)
        return y[:, None] * expit(-y[:, None] * Z)

    def dual_value(self, y: np.ndarray, T: np.ndarray) -> np.ndarray:
        U = y[:, None] * T
        return (entr(U) + entr(1 - U)).mean(axis=0)


class Poisson:
    """ℓ = e^z − yz;  D(T) = mean v − v log v, v = y − t, T = y − e^z. Values are above that of perfect predictions."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return (np.exp(Z) - y[:, None] * Z).mean(axis=0)

    def null_value(self, y: np.ndarray) -> float:
        mean = y.mean()
        return float(mean - mean * np.log(mean) - (y - xlogy(y, y)).mean())

    def dual_point(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """At the intercepts where every column of T sums to zero."""
        Z = Z + np.log(y.sum() / np.exp(Z).sum(axis=0))
        return y[:, None] - np.exp(Z)

    def dual_value(self, y: np.ndarray, T: np.ndarray) -> np.ndarray:
        v = np.maximum(y[:, None] - T, 0.0)  # e^z, but for rounding
        return (v - xlogy(v, v)).mean(axis=0)


class SquaredHinge:
    """ℓ = max(0, 1 − yz)², y = ±1, without an intercept;  D(T) = mean u − u²/4, u = yt, T = 2y max(0, 1 − yz)."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return (np.maximum(0.0, 1 - y[:, None] * Z) ** 2).mean(axis=0)

    def null_value(self, y: np.ndarray) -> float:
        return 1.0

    def dual_point(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return 2 * y[:, None] * np.maximum(0.0, 1 - y[:, None] * Z)

    def dual_value(self, y: np.ndarray, T: np.ndarray) -> np.ndarray:
        u = y[:, None] * T
        return (u - u**2 / 4).mean(axis=0)


class Multinomial:
    """ℓ = log Σ_k e^(z_k) − yᵀz, y one-hot;  D(T) = mean H(yᵢ − tᵢ), H the entropy, T = y − softmax(z)."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return -(y[:, None] * log_softmax(Z, axis=-1)).sum(axis=-1).mean(axis=0)

    def null_value(self, y: np.ndarray) -> float:
        return float(entr(y.mean(axis=0)).sum())

    def dual_point(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """At the intercepts where every column of T sums to zero."""

        def newton(Z: np.ndarray) -> np.ndarray:
            P = softmax(Z, axis=-1)
            H = P.sum(axis=0)[..., None] * np.eye(P.shape[-1]) - np.einsum("nmk,nml->mkl", P, P)
            gradient = (y[:, None] - P).sum(axis=0)
            return (np.linalg.pinv(H, hermitian=True) @ gradient[..., None])[..., 0]  # H 1 = 0: shifts change nothing

        Z = balanced(Z, newton)
        return y[:, None] - softmax(Z, axis=-1)

    def dual_value(self, y: np.ndarray, T: np.ndarray) -> np.ndarray:
        return entr(y[:, None] - T).sum(axis=-1).mean(axis=0)


def balanced(Z: np.ndarray, newton: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Z at the best intercepts, by Newton's steps of at most 1: there the sum of T, the gradient, vanishes."""
    for _ in range(100):
        step = newton(Z)
        Z = Z + np.clip(step, -1, 1)
        if np.abs(step).max() <= 1e-13:
            break
    return Z


class L1:
    """Ω = Σ |w|;  Ω°(c) = max |c|."""

    def value(self, coefs: np.ndarray) -> np.ndarray:
        return np.abs(coefs).reshape(len(coefs), -1).sum(axis=1)

    def shrinkage(self, C: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        return _at_most_one(alphas, np.abs(C).max(axis=0).reshape(len(alphas), -1).max(axis=1))


class Rows:
    """Ω = Σ_j ‖w_j‖ over the K outputs of a column;  Ω°(c) = max_j ‖c_j‖."""

    def value(self, coefs: np.ndarray) -> np.ndarray:
        return np.linalg.norm(coefs, axis=1).sum(axis=1)

    def shrinkage(self, C: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        return _at_most_one(alphas, np.linalg.norm(C, axis=2).max(axis=0))


@dataclass(frozen=True)
class Groups:
    """Ω = √size Σ_g ‖w_g‖, groups of neighbours;  Ω°(c) = max_g ‖c_g‖ / √size."""

    size: int

    def value(self, coefs: np.ndarray) -> np.ndarray:
        return np.sqrt(self.size) * self.norms(coefs).sum(axis=1)

    def norms(self, coefs: np.ndarray) -> np.ndarray:
        return np.linalg.norm(coefs.reshape(len(coefs), -1, self.size), axis=2)

    def shrinkage(self, C: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        return _at_most_one(alphas * np.sqrt(self.size), self.norms(C.T).max(axis=1))


@dataclass(frozen=True)
class SparseGroups:
    """Ω = ρ Σ |w| + (1 − ρ) √size Σ_g ‖w_g‖;  Ω°(c) ≤ α when ‖ST(c_g, αρ)‖ ≤ α (1 − ρ) √size for every g."""

    size: int
    l1_ratio: float

    def value(self, coefs: np.ndarray) -> np.ndarray:
        return self.l1_ratio * L1().value(coefs) + (1 - self.l1_ratio) * Groups(self.size).value(coefs)

    def shrinkage(self, C: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        """By bisection, from below, so that the answer is feasible."""
        low, high = np.zeros(len(alphas)), np.ones(len(alphas))
        if self._feasible(C, alphas).all():
            return high
        for _ in range(60):
            middle = (low + high) / 2
            inside = self._feasible(C * middle, alphas)
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return np.where(self._feasible(C, alphas), 1.0, low)

    def _feasible(self, C: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        beyond = np.maximum(np.abs(C) - alphas * self.l1_ratio, 0).T
        return Groups(self.size).norms(beyond).max(axis=1) <= alphas * (1 - self.l1_ratio) * np.sqrt(self.size)


def _at_most_one(alphas: np.ndarray, dual_norms: np.ndarray) -> np.ndarray:
    return np.minimum(1, alphas / np.maximum(dual_norms, np.finfo(float).tiny))
