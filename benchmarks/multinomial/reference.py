"""A precise multinomial path: FISTA with restarts on centred columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax

from benchmarks import proof

STEPS, CHECK = 100_000, 25
SETTLED = 1e-10  # of the null value


@dataclass
class Centred:
    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray


def precise_path(
    X: np.ndarray, y: np.ndarray, alphas: np.ndarray, penalty: proof.L1 | proof.Rows
) -> tuple[np.ndarray, np.ndarray]:
    m = X.mean(axis=0)
    data = Centred(X - m, y, alphas)
    step = 2 * len(X) / np.linalg.norm(data.X, 2) ** 2  # the Hessian of a row is at most ½
    V = np.zeros((X.shape[1] + 1, y.shape[1]))  # the intercepts in the last row
    coefs, intercepts = [], []
    for alpha in alphas:
        V = _fista(replace(data, alphas=np.array([alpha])), penalty, V, step)
        coefs.append(V[:-1].T)
        intercepts.append(V[-1] - m @ V[:-1])
    return np.array(coefs), np.array(intercepts)


def _fista(data: Centred, penalty: proof.L1 | proof.Rows, W: np.ndarray, step: float) -> np.ndarray:
    """Accelerated proximal gradient, its momentum dropped when it points uphill (O'Donoghue and Candès 2015)."""
    V, t, n = W, 1.0, len(data.y)
    enough = SETTLED * proof.Multinomial().null_value(data.y)
    for k in range(STEPS):
        T = (data.y - softmax(data.X @ V[:-1] + V[-1], axis=1)) / n
        to = np.vstack([_prox(penalty, V[:-1] + step * data.X.T @ T, step * data.alphas[0]), V[-1] + 2 * T.sum(axis=0)])
        if np.sum((V - to) * (to - W)) > 0:
            t = 1.0
        s = (1 + np.sqrt(1 + 4 * t**2)) / 2
        V, W, t = to + (t - 1) / s * (to - W), to, s
        if k % CHECK == 0 and _gap(data, penalty, W) <= enough:
            break
    return W


def _prox(penalty: proof.L1 | proof.Rows, V: np.ndarray, threshold: float) -> np.ndarray:
    size = np.linalg.norm(V, axis=1, keepdims=True) if isinstance(penalty, proof.Rows) else np.abs(V)
    return V * np.maximum(1 - threshold / np.maximum(size, np.finfo(float).tiny), 0)


def _gap(data: Centred, penalty: proof.L1 | proof.Rows, W: np.ndarray) -> float:
    path = W[:-1].T[None], W[-1][None]
    loss = proof.Multinomial()
    return float((proof.primal_values(loss, penalty, data, *path) - proof.dual_values(loss, penalty, data, *path))[0])
