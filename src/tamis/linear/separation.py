"""Whether columns without a penalty separate classes, so that no finite coefficients are best.

Let aᵢ be the intercept and the unpenalised columns of row i, and B one column of coefficients for each class. The loss
falls for ever along B, and only there, where ⟨aᵢ, B_yᵢ − B_k⟩ ≥ 0 for every row i and class k ≠ yᵢ, and > 0 for some.
Whether there is such a B is a linear program (Konis 2007).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from tamis.datafits import ForClasses

MOST_ENTRIES = 10**6  # of the linear program, which takes about a second then
NONE = 1e-6  # a probability of 0 to so many digits
BORDER, BEYOND = 1e-9, 1e-6  # margins of columns scaled to 1: what counts as none, and what surely is one


def separated_loss(y: np.ndarray, s: np.ndarray | None) -> float:
    """A mean loss below it leaves no row on the wrong side, where its loss would be log 2 or more."""
    least = 1.0 / len(y) if s is None else s[s > 0].min() / s.sum()
    return float(np.log(2) * least)


def separates_all(datafit: Any, loss: float, y: np.ndarray, s: np.ndarray | None) -> bool:
    """Whether a model of this mean loss tells all classes apart: its multiples then have losses down to 0."""
    vanishes = isinstance(datafit, ForClasses) and datafit.vanishes_at_infinity
    return vanishes and loss < separated_loss(y, s)


def some_class_is_ruled_out(problem: Any, A: Any, certificate: Any) -> bool:
    """Whether a row has a class with a probability of 0 to six digits, as rows come to have under separation."""
    y = problem.y
    Z = (A @ certificate.w.T + certificate.intercept).reshape(y.shape)
    return bool(len(y) * np.abs(problem.datafit.gradient(y, Z)).min() <= NONE)


def separates_some(columns: Any, U: np.ndarray, y: np.ndarray, s: np.ndarray | None, n_positive: int = 0) -> bool:
    """Whether a combination of ``columns(U)`` has no row on its wrong side, and not every row on its border.

    y is ±1 or one-hot; coefficients of the last ``n_positive`` columns are ≥ 0. False where the table is too large.
    """
    K = 1 if y.ndim == 1 else y.shape[1]
    if len(y) * (len(U) + 1) * K**2 > MOST_ENTRIES:
        return False
    along = columns(U) if s is None else columns(U)[s > 0]
    size = np.abs(along).max(axis=0, initial=0.0)
    margins = _margins(along / np.where(size > 0, size, 1.0), y if s is None else y[s > 0])
    low = np.where(np.arange(along.shape[1]) < along.shape[1] - n_positive, -1.0, 0.0)
    bounds = np.column_stack([np.tile(low, K), np.ones(margins.shape[1])])
    found = linprog(-margins.sum(axis=0), A_ub=-margins, b_ub=np.zeros(margins.shape[0]), bounds=bounds)
    reached = np.zeros(1) if found.x is None else margins @ found.x
    return bool(reached.max() > BEYOND and reached.min() >= -BORDER)


def _margins(along: np.ndarray, y: np.ndarray) -> Any:
    """The matrix that takes coefficients, class by class, to ⟨aᵢ, B_yᵢ − B_k⟩ of all rows i and classes k ≠ yᵢ."""
    if y.ndim == 1:
        return sp.csr_array(y[:, None] * along)
    own, K = y.argmax(axis=1), y.shape[1]
    parts = []
    for k in range(K):
        i = np.flatnonzero(own != k)
        signs = np.zeros((len(i), K))
        signs[np.arange(len(i)), own[i]], signs[:, k] = 1.0, -1.0
        parts.append(sp.csr_array((signs[:, :, None] * along[i][:, None, :]).reshape(len(i), -1)))
    return sp.vstack(parts, format="csr")
