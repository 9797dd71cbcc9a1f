"""Sparse models written out in long double: coordinate and group descent on centred rows, from several starts."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

LONG = np.longdouble


class Squares:
    """½ Σ sᵢ (yᵢ − xᵢᵀw − b)² / Σ sᵢ + α Σ_g [ Σ_{j∈g} (v₁ⱼ|wⱼ| + ½ v₂ⱼ wⱼ²) + v_g ‖w_g‖ ], w ≥ 0 where positive.

    ``scale`` multiplies the coefficients inside the penalty, as standardising does.
    """

    def __init__(self, X: Any, y: Any, s: Any, terms: Any, alpha: float, intercept: bool, scale: Any = 1.0) -> None:
        X, y = np.asarray(X, dtype=LONG), np.asarray(y, dtype=LONG)
        s = np.ones(len(y), dtype=LONG) if s is None else np.asarray(s, dtype=LONG)
        self.s = s / s.sum()
        self.mean, self.y_mean = (self.s @ X, self.s @ y) if intercept else (np.zeros(X.shape[1], dtype=LONG), LONG(0))
        self.X, self.y = X - self.mean, y - self.y_mean
        t = np.broadcast_to(np.asarray(scale, dtype=LONG), X.shape[1:])
        self.v1, self.v2 = alpha * terms.l1 * t, alpha * terms.l2 * t**2
        self.positive = terms.positive
        labels = np.arange(X.shape[1]) if terms.group is None else np.asarray(terms.labels)
        self.groups = [np.flatnonzero(labels == g) for g in range(labels.max() + 1)]
        self.vg = np.zeros(len(self.groups), dtype=LONG) if terms.group is None else alpha * np.asarray(terms.group)
        self.t = t

    def penalty(self, w: np.ndarray) -> Any:
        plain = self.v1 @ np.abs(w) + (self.v2 * w) @ w / 2
        return plain + sum(v * np.sqrt(((self.t * w)[g] ** 2).sum()) for v, g in zip(self.vg, self.groups, strict=True))

    def value(self, w: Any, b: Any = None) -> Any:
        """At the best intercept, or at b."""
        w = np.asarray(w, dtype=LONG)
        r = self.y - self.X @ w
        off = LONG(0) if b is None else LONG(b) - (self.y_mean - self.mean @ w)
        return self.s @ (r - off) ** 2 / 2 + self.penalty(w)

    def descend(self, w: Any, sweeps: int) -> np.ndarray:
        """Better coefficients than w. Where groups couple coordinates, each is moved by a step of a bound on it."""
        w = np.array(w, dtype=LONG)
        r = self.y - self.X @ w
        H = np.array([self.s @ self.X[:, j] ** 2 for j in range(len(w))])
        coupled = [v > 0 and len(g) > 1 for v, g in zip(self.vg, self.groups, strict=True)]
        for _ in range(sweeps):
            before = w.copy()
            for g, v, joint in zip(self.groups, self.vg, coupled, strict=True):
                new = self._group(w, r, g, v) if joint else self._single(w, r, g, v, H)
                r, w[g] = r - self.X[:, g] @ (new - w[g]), new
            if (np.abs(w - before) <= 1e-17 * np.abs(w)).all():
                break
        return w

    def _single(self, w: np.ndarray, r: np.ndarray, g: np.ndarray, v: Any, H: np.ndarray) -> np.ndarray:
        new = w[g].copy()
        for k, j in enumerate(g):
            if H[j] + self.v2[j] == 0:
                new[k] = 0
                continue
            q = (self.s * (r - self.X[:, g] @ (new - w[g]))) @ self.X[:, j] + H[j] * new[k]
            size = max(abs(q) - self.v1[j] - v * self.t[j], LONG(0)) / (H[j] + self.v2[j])
            new[k] = max(np.sign(q), 0) * size if self.positive else np.sign(q) * size
        return new

    def _group(self, w: np.ndarray, r: np.ndarray, g: np.ndarray, v: Any) -> np.ndarray:
        """In u = t w, where the norm is ‖u‖: a prox step with the curvature bounded by the trace."""
        t = np.where(self.t[g] > 0, self.t[g], 1)
        A = self.X[:, g] / t
        bound = sum((self.s @ A[:, k] ** 2) for k in range(len(g))) + (self.v2[g] / t**2).max()
        if bound == 0:
            return np.zeros(len(g), dtype=LONG)
        u = w[g] * t
        z = u + (A.T @ (self.s * r) - self.v2[g] / t**2 * u) / bound
        z = np.sign(z) * np.maximum(np.abs(z) - self.v1[g] / t / bound, 0)
        norm = np.sqrt((z**2).sum())
        return (z * max(1 - v / bound / norm, LONG(0)) if norm > 0 else z) / t

    def candidates(self) -> list[np.ndarray]:
        """With v₂ = v_g = 0 and few columns: the stationary points of every set of columns with every choice of signs.

        On the set S with signs σ it is G_SS w = q_S − v₁σ; the minimiser is one of them, the one of least value.
        """
        p = self.X.shape[1]
        G, q = self.X.T @ (self.s[:, None] * self.X), self.X.T @ (self.s * self.y)
        found = [np.zeros(p, dtype=LONG)]
        for size in range(1, p + 1):
            signs = np.array(list(itertools.product((-1, 1), repeat=size)), dtype=LONG).T
            for S in itertools.combinations(range(p), size):
                chosen = list(S)
                W = eliminate(G[np.ix_(chosen, chosen)], q[chosen, None] - self.v1[chosen, None] * signs)
                for k in [] if W is None else range(W.shape[1]):
                    if (np.sign(W[:, k]) == signs[:, k]).all():
                        found.append(np.zeros(p, dtype=LONG))
                        found[-1][chosen] = W[:, k]
        return found

    def least(self, *starts: Any, sweeps: int = 300) -> Any:
        """The least value found from zero and from these; without a penalty also that of y beside all columns."""
        zero = np.zeros(self.X.shape[1], dtype=LONG)
        found = [self.value(self.descend(start, sweeps)) for start in (zero, *starts)]
        if not (self.positive or self.v1.any() or self.v2.any() or self.vg.any()):
            found.append(self.residual())
        return min(found)

    def residual(self) -> Any:
        """½ Σ sᵢ rᵢ² of y with all columns projected away. Descent takes for ever where columns nearly agree.

        The column that differs most from those before comes next, relative to its length. One that agrees with others
        to 13 digits is taken for one that depends on them: what is left is the rounding of its numbers.
        """
        root = np.sqrt(self.s)
        columns = [root * x for x in self.X.T if x.any()]
        columns, basis = [x / np.sqrt(x @ x) for x in columns if x.any()], []
        while columns:
            rest = [orthogonal(x, basis) for x in columns]
            length, k = max((np.sqrt(x @ x), k) for k, x in enumerate(rest))
            if length <= 1e-13:
                break
            basis.append(rest[k] / length)
            del columns[k]
        r = orthogonal(root * self.y, basis)
        return r @ r / 2


def orthogonal(x: np.ndarray, basis: list[np.ndarray]) -> np.ndarray:
    """x without its part along orthonormal vectors, three times for what rounding leaves."""
    for _ in range(3):
        for q in basis:
            x = x - q * (q @ x)
    return x


def eliminate(A: np.ndarray, B: np.ndarray) -> np.ndarray | None:
    """A⁻¹B for A symmetric and positive definite, by Gauss; None where A is singular to rounding."""
    A, B = A.copy(), B.copy()
    size = np.diag(A).copy()
    for i in range(len(A)):
        if A[i, i] <= 1e-15 * size[i]:
            return None
        for k in range(i + 1, len(A)):
            f = A[k, i] / A[i, i]
            A[k], B[k] = A[k] - f * A[i], B[k] - f * B[i]
    for i in range(len(A) - 1, -1, -1):
        B[i] = (B[i] - A[i, i + 1 :] @ B[i + 1 :]) / A[i, i]
    return B
