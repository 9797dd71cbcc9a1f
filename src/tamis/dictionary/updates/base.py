"""An update finds atoms given codes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

UNUSED = 1e-12  # of the largest ZᵀZ_jj: an atom below has no say


class CodedRows(NamedTuple):
    """Rows without gaps (n, p) and their codes (n, k); whether codes stay ≥ 0."""

    X: np.ndarray
    Z: csr_array
    positive: bool = False


class Update(BaseEstimator):
    """New atoms D (k, p) from the old ones and what it needs: "statistics" (`CodeStatistics`, so that rows may be
    streamed) or "rows" (`CodedRows`).

    ``update`` returns the atoms and what becomes of the codes: codes of another value on the same support (K-SVD),
    factors (k,) by which those of each atom grow, or None where they stay.
    """

    needs: Literal["statistics", "rows"] = "statistics"
    orthonormal = False  # whether atoms are kept orthonormal, which at most p can be
    square = False  # whether there are as many atoms as columns
    replaceable = True  # whether atoms that no code uses may become others
    batch_size: int | None = None  # rows between updates, where the statistics of all rows are not waited for

    def check(self) -> None:
        """Complain about arguments; called where ``fit`` begins."""

    def update(self, D: np.ndarray, given: Any) -> tuple[np.ndarray, Any]:
        raise NotImplementedError(f"{type(self).__name__} does not say how atoms are updated")


def in_use(A: np.ndarray) -> np.ndarray:
    """Which atoms some code uses."""
    usage = np.diag(A)
    return usage > UNUSED * usage.max(initial=0.0)
