"""Forward selection from the Gram matrices of the folds, in plain NumPy: what a fit per candidate would have chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Fold:
    """Products of the columns, the target last: G of the rows outside the fold, H of those inside.

    Both are centred with the means of the rows outside, whose model is what predicts; ``spread`` is the sum of
    squares of the target inside around its own mean.
    """

    G: np.ndarray
    H: np.ndarray
    spread: float

    def scores(self, chosen: list[int]) -> np.ndarray:
        """R² inside the fold of the least squares fitted outside it, for ``chosen`` with each other column."""
        G, H, p = self.G, self.H, len(self.G) - 1
        B = np.linalg.solve(G[np.ix_(chosen, chosen)], G[chosen])  # every column explained by the chosen
        left = np.diag(G)[:p] - np.sum(G[chosen, :p] * B[:, :p], axis=0)
        left[chosen] = np.inf  # nothing can be added twice
        t = (G[:p, p] - G[:p, chosen] @ B[:, p]) / left
        residual = H[-1] - B[:, -1] @ H[chosen]  # products inside of the target's residual with everything
        cross = residual[:p] - B[:, :p].T @ residual[chosen]
        square = np.diag(H)[:p] - 2 * np.sum(B[:, :p] * H[chosen, :p], axis=0)
        square = square + np.sum(B[:, :p] * (H[np.ix_(chosen, chosen)] @ B[:, :p]), axis=0)
        error = residual[-1] - B[:, -1] @ residual[chosen] - 2 * t * cross + t**2 * square
        return 1 - error / self.spread


def chosen_columns(X: np.ndarray, y: np.ndarray, k: int, n_folds: int) -> list[int]:
    """The columns in their order, each the one of highest mean R² over the folds; ties go to the lowest index."""
    folds, chosen = _folds(X, y, n_folds), []
    for _ in range(k):
        scores = np.mean([fold.scores(chosen) for fold in folds], axis=0)
        scores[chosen] = -np.inf
        chosen.append(int(scores.argmax()))
    return chosen


def _folds(X: np.ndarray, y: np.ndarray, n_folds: int) -> list[Fold]:
    """Neighbouring rows, as ``KFold`` cuts them."""
    n, shift = len(X), np.append(X.mean(axis=0), y.mean())
    parts = [_products(X[rows], y[rows], shift) for rows in np.array_split(np.arange(n), n_folds)]
    everything = np.sum([P for P, _, _ in parts], axis=0)
    total, count = np.sum([s for _, s, _ in parts], axis=0), sum(m for _, _, m in parts)
    return [_fold(everything - P, total - s, count - m, P, s, m) for P, s, m in parts]


def _products(X: np.ndarray, y: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    A = np.column_stack([X, y]) - shift
    return A.T @ A, A.sum(axis=0), len(A)


def _fold(P_out: np.ndarray, s_out: np.ndarray, n_out: int, P: np.ndarray, s: np.ndarray, m: int) -> Fold:
    mean = s_out / n_out
    H = P - np.outer(s, mean) - np.outer(mean, s) + m * np.outer(mean, mean)
    return Fold(P_out - np.outer(s_out, mean), H, float(P[-1, -1] - s[-1] ** 2 / m))
