"""Forward search by logistic regression: each round adds the column whose score test says that the model gains most.

With Z the chosen columns and a constant, p the fitted probabilities, V = diag(s p (1 − p)) and r = s (y − p), a column
x that joins raises the log-likelihood by about (xᵀr)² / 2 (xᵀVx + λ − xᵀVZ (ZᵀVZ + Λ)⁻¹ ZᵀVx): one Newton step of its
coefficient, the others following (Rao's score test). Only the column that wins is fitted. Columns are standardised, and
a small ridge λ (none for the constant) keeps coefficients finite where the chosen columns separate the classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

RIDGE = 1.0  # against the sum of the log losses of the rows
NEWTON_STEPS = 30
CLOSE = 1e-6  # of the gradient, for each unit of weight: enough to tell which column comes next


def logistic_forward(X: Any, y: np.ndarray, weight: np.ndarray | None, most: int) -> tuple[list[int], np.ndarray]:
    """The first ``most`` columns in the order in which they join a model of y (0 and 1), ties to the lowest; and what
    the last round says each column would gain, −∞ of those that joined and of constant ones.
    """
    s = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    X, usable = _standardised(X, s)
    Z = np.ones((len(y), 1))
    share = np.clip((s @ y) / s.sum(), 1e-12, 1 - 1e-12)
    w = np.array([np.log(share / (1 - share))])
    chosen: list[int] = []
    gains = _gains(X, y, s, Z, w, usable)
    while len(chosen) < most and np.isfinite(gains).any():
        best = int(np.argmax(gains))
        chosen.append(best)
        usable[best] = False
        Z = np.column_stack([Z, _dense_column(X, best)])
        w = _fitted(Z, y, s, np.append(w, 0.0))
        gains = _gains(X, y, s, Z, w, usable)
    return chosen, gains


def _standardised(X: Any, s: np.ndarray) -> tuple[Any, np.ndarray]:
    """Columns of weighted variance 1, about their means unless sparse; and which are not constant."""
    total = s.sum()
    if sp.issparse(X):
        mean = np.asarray(X.T @ s).ravel() / total
        square = np.asarray(X.multiply(X).T @ s).ravel() / total
        spread = np.sqrt(np.maximum(0.0, square - mean**2))
        usable = spread > 1e-8 * np.sqrt(square)
        return (X @ sp.diags_array(1 / np.where(usable, spread, 1.0))).tocsc(), usable
    X = np.asarray(X, dtype=np.float64)
    mean = s @ X / total
    spread = np.sqrt(s @ (X - mean) ** 2 / total)
    usable = spread > 1e-8 * np.abs(X).max(axis=0, initial=0.0)
    return np.where(usable, (X - mean) / np.where(usable, spread, 1.0), 0.0), usable


def _dense_column(X: Any, j: int) -> np.ndarray:
    return X[:, [j]].toarray().ravel() if sp.issparse(X) else X[:, j]


def _ridge(k: int) -> np.ndarray:
    return np.append(0.0, np.full(k - 1, RIDGE))


def _fitted(Z: np.ndarray, y: np.ndarray, s: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Newton's method from ``w`` on Σ s (log(1 + e^z) − y z) + ½ Σ λ w², with steps halved until it falls."""
    ridge = _ridge(len(w))

    def objective(w: np.ndarray) -> float:
        z = Z @ w
        return float(s @ (np.logaddexp(0.0, z) - y * z) + 0.5 * ridge @ w**2)

    value = objective(w)
    for _ in range(NEWTON_STEPS):
        p = expit(Z @ w)
        gradient = Z.T @ (s * (p - y)) + ridge * w
        if np.abs(gradient).max() <= CLOSE * s.sum():
            break
        step = cho_solve(_factor(Z, s * p * (1 - p)), gradient)
        t = 1.0
        while (found := objective(w - t * step)) > value and t > 1e-4:
            t /= 2
        if found >= value:
            break
        w, value = w - t * step, found
    return w


def _factor(Z: np.ndarray, v: np.ndarray) -> Any:
    H = (Z.T * v) @ Z + np.diag(_ridge(Z.shape[1]))
    return cho_factor(H + 1e-12 * np.trace(H) * np.eye(len(H)))


def _gains(X: Any, y: np.ndarray, s: np.ndarray, Z: np.ndarray, w: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """Rao's statistic of each usable column; −∞ of the others."""
    p = expit(Z @ w)
    v = s * p * (1 - p)
    XVZ = np.asarray(X.T @ (v[:, None] * Z))
    xvx = np.asarray(X.multiply(X).T @ v).ravel() if sp.issparse(X) else np.einsum("ij,ij,i->j", X, X, v)
    given = np.einsum("jk,kj->j", XVZ, cho_solve(_factor(Z, v), XVZ.T))
    left = np.maximum(xvx - given, 0.0) + RIDGE
    u = np.asarray(X.T @ (s * (y - p))).ravel()
    gains = u**2 / left
    # Rounding apart, copies of a column gain the same: the first of them joins.
    return np.where(usable, np.round(gains, 9 - int(np.ceil(np.log10(gains.max() + 1e-300)))), -np.inf)
