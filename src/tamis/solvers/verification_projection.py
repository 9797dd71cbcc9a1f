"""A dual point without correlation with the intercept and the unpenalised columns, from passes over the rows.

With A = (1, x_U) and curvatures C = ℓ'', θ − C A·move has none where AᵀCA move = Aᵀθ. The triangle R of √C A = QR is
made block by block; of columns that nearly depend on each other it keeps the digits that AᵀCA = RᵀR loses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

EPS = np.finfo(float).eps
KNOWN = 2 * EPS  # of Σ|xθ|: how well a correlation is known
STRETCH = 4096  # rows at a time


class Projection:
    """``move`` (n_along, K), and ``fixed``, where correlations are made to vanish: elsewhere w ≥ 0 asks for ≤ 0."""

    def __init__(self, R: np.ndarray, n_rows: int, move: np.ndarray, fixed: np.ndarray, sharp: bool) -> None:
        self.R, self.move, self.fixed = R, move, fixed
        # of the largest singular value: less is rounding; of curvatures that differ by rows, less is none of its own
        self.least = 4 * np.sqrt(max(n_rows, 1)) * len(R) * EPS if sharp else np.sqrt(len(R) * EPS)

    def advance(self, m: np.ndarray, size: np.ndarray) -> None:
        """The correlations m, of sums of this size, taken off; what then is forbidden elsewhere becomes fixed too."""
        for right, known, fixed, step in self._each(m, KNOWN * size, self.fixed, self.move):
            while True:
                x = self._solve(right, fixed)
                beyond = ~fixed & (right - self.R.T @ (self.R @ x) > -known)
                if not beyond.any():
                    break
                fixed |= beyond
            step += x

    def cost(self, left: np.ndarray, slack: np.ndarray, size: np.ndarray, at: np.ndarray) -> float:
        """What rounding leaves in the correlations costs the bound: ⟨e, v⟩ + ½ eᵀ(AᵀCA)⁻¹e, in sums over the rows.

        v are the coefficients of A in the prediction; ``at`` is AᵀC times that prediction. Infinite where a correlation
        that should vanish with others, or be ≤ 0, is more than ``slack``.
        """
        total = 0.0
        for e, most, u, right, fixed in self._each(left, slack, size, at, self.fixed):
            v = self._solve(right, fixed)
            if (e > most)[~fixed].any() or not self._vanishes(e, most, fixed):
                return np.inf
            e, u = np.where(fixed, e, 0.0), np.where(fixed, KNOWN * u, 0.0)
            total += max(0.0, float(e @ v)) + float(u @ np.abs(v)) + 0.5 * self._square(e, u, fixed)
        return total

    def _each(self, *arrays: np.ndarray) -> Any:
        """Columns of one system each: views, so that what is written to them stays."""
        return zip(*(a.reshape(len(self.R), -1).T for a in arrays), strict=True) if len(self.R) else ()

    def _svd(self, fixed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Singular values and vectors of R on the fixed columns; what is lost in rounding is left out.

        The columns come with unit spread. In units by curvature, a class that is all but nowhere would move furthest.
        """
        _, values, Vt = np.linalg.svd(self.R[:, fixed], full_matrices=False)
        kept = values > self.least * values.max(initial=0.0)
        return values[kept], Vt[kept]

    def _solve(self, m: np.ndarray, fixed: np.ndarray) -> np.ndarray:
        x = np.zeros(len(m))
        if fixed.any():
            values, Vt = self._svd(fixed)
            x[fixed] = Vt.T @ ((Vt @ m[fixed]) / values**2)
        return x

    def _vanishes(self, e: np.ndarray, slack: np.ndarray, fixed: np.ndarray) -> bool:
        """Whether e is no more than slack along what was left out: columns that depend on others vanish with them."""
        if not fixed.any():
            return True
        _, Vt = self._svd(fixed)
        return bool(np.linalg.norm(e[fixed] - Vt.T @ (Vt @ e[fixed])) <= np.linalg.norm(slack[fixed]))

    def _square(self, e: np.ndarray, u: np.ndarray, fixed: np.ndarray) -> float:
        """The most that xᵀ(AᵀCA)⁻¹x can be for |x − e| ≤ u."""
        if not fixed.any():
            return 0.0
        values, Vt = self._svd(fixed)
        return float(np.sum(((np.abs(Vt @ e[fixed]) + np.abs(Vt) @ u[fixed]) / values) ** 2))


def triangle(blocks: Any, size: int) -> tuple[np.ndarray, int]:
    """R of √C A from blocks (s, A, √C), and how many rows there were."""
    R, n_rows = np.zeros((0, size)), 0
    for s, A, root in blocks:
        n_rows += len(s)
        for k in range(0, len(s), STRETCH):
            part = slice(k, k + STRETCH)
            rows = np.einsum("i,ia,ikj->ijak", np.sqrt(s[part]), A[part], root[part], optimize=True)
            R = np.asarray(np.linalg.qr(np.vstack([R, rows.reshape(-1, size)]), mode="r"))
    return np.pad(R, ((0, size - len(R)), (0, 0))), n_rows
