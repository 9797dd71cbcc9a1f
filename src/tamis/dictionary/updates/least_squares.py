"""All atoms at once by least squares: the method of optimal directions, and a complete dictionary."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lstsq

from tamis._core.checks import check_number
from tamis._core.errors import InputError
from tamis._core.vectors import unit_rows
from tamis.dictionary.updates.base import Update, in_use
from tamis.stats.code_statistics import CodeStatistics


class MODUpdate(Update):
    """All atoms at once by least squares, the method of optimal directions.

    D = (ZᵀZ)⁺ZᵀX, the least squares solution of X ≈ ZD, then scaled to unit length (Engan, Aase and Husøy 1999).

    Codes grow by the lengths the atoms had, so that ZD stays the same; where codes are penalised, that may raise the
    objective. Atoms that no code uses stay as they are.
    """

    def update(self, D: np.ndarray, given: CodeStatistics) -> tuple[np.ndarray, np.ndarray]:
        used = in_use(given.A)
        new = np.array(D, dtype=np.float64)
        lengths = np.ones(len(D))
        if used.any():
            solved, lengths[used] = unit_rows(lstsq(given.A[np.ix_(used, used)], given.B[used])[0])
            new[used] = np.where((lengths[used] > 0)[:, None], solved, new[used])
        return new.astype(D.dtype), lengths


class CompleteUpdate(Update):
    """A complete dictionary, as many atoms as columns, invertible but not orthogonal: MOD's atoms, whose singular
    values are raised to at least the largest divided by ``condition``.

    Every x then has exactly one z with x = zD, and D never comes near to losing a direction.

    Parameters
    ----------
    condition : float
        The largest condition number allowed.
    """

    square = True
    replaceable = False

    def __init__(self, condition: float = 100.0) -> None:
        self.condition = condition

    def check(self) -> None:
        check_number("condition", self.condition, above=1.0)

    def update(self, D: np.ndarray, given: CodeStatistics) -> tuple[np.ndarray, np.ndarray]:
        new, lengths = MODUpdate().update(D.astype(np.float64), given)
        return conditioned(new, self.condition).astype(D.dtype), lengths


def conditioned(D: np.ndarray, condition: float) -> np.ndarray:
    """Square D with rows of unit length and condition number at most ``condition``."""
    if D.shape[0] != D.shape[1]:
        raise InputError(
            f"a complete dictionary has as many atoms as columns, got {D.shape[0]} and {D.shape[1]}: "
            f"give n_atoms={D.shape[1]}",
            argument="n_atoms",
        )
    for _ in range(20):  # unit rows change the singular values again, by little
        U, s, Vt = np.linalg.svd(D)
        if s[-1] > 0 and s[0] <= condition * s[-1] * (1 + 1e-9):
            return D
        D = unit_rows((U * np.maximum(s, 1.05 * s[0] / condition)) @ Vt)[0]
    return D
