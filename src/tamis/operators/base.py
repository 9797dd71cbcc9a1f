"""The contract of an operator: y = A x and x = Aᵀ y, the gathered columns and the moments, whatever holds the numbers.

Products are float64 and accumulate in float64, whatever the dtype of the entries.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from tamis.operators.products import moments


@runtime_checkable
class Operator(Protocol):
    """A linear map of shape (n, p)."""

    shape: tuple[int, int]
    dtype: np.dtype

    @property
    def T(self) -> Operator:
        """The adjoint."""
        ...

    def __matmul__(self, x: np.ndarray) -> np.ndarray:
        """A x for x of shape (p,) or (p, k)."""
        ...

    def columns(self, S: Any) -> Any:
        """The columns at the positions S: an F-ordered array (n, |S|), or a csc_array where the storage is sparse."""
        ...

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of every column, rows weighted by s; no degrees of freedom are taken off."""
        ...


class Linear:
    """An operator made of two products: a subclass gives ``forward``, ``adjoint`` and, where cheaper, the rest."""

    shape: tuple[int, int]
    dtype: np.dtype
    by_columns: bool = False  # whether some columns are read at about their share of the cost of all

    def forward(self, x: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        """The entries S of Aᵀ r."""
        return self.adjoint(r)[S]

    @property
    def T(self) -> Any:
        return Transposed(self)

    def __matmul__(self, x: np.ndarray) -> np.ndarray:
        return self.forward(as_argument(x, self.shape[1]))

    def columns(self, S: Any) -> Any:
        S = np.asarray(S, dtype=np.intp)
        out = np.empty((self.shape[0], len(S)), order="F")
        for k, j in enumerate(S):
            e = np.zeros(self.shape[1])
            e[j] = 1.0
            out[:, k] = self.forward(e)
        return out

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        parts = [moments(self.columns([j]), row_shares(self.shape[0], s)) for j in range(self.shape[1])]
        return np.concatenate([m for m, _ in parts]), np.concatenate([v for _, v in parts])

    def far_columns(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Positions of columns whose means are far from zero against their spread, and these means.

        None are looked for where columns are not at hand: they cost digits, and the duality gap counts these.
        """
        return np.zeros(0, np.intp), np.zeros(0)

    def minus(self, S: np.ndarray, c: np.ndarray) -> Linear:
        """The operator with the columns S minus the numbers c."""
        from tamis.operators.shifted import Shifted

        return Shifted(self, S, c)


class Transposed(Linear):
    """Aᵀ as an operator of its own."""

    def __init__(self, A: Linear) -> None:
        self.A = A
        self.shape = (A.shape[1], A.shape[0])
        self.dtype = A.dtype

    @property
    def T(self) -> Linear:
        return self.A

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self.A.adjoint(x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return self.A.forward(r)


def as_argument(x: Any, length: int) -> np.ndarray:
    """float64, (length,) or (length, k)."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim not in (1, 2) or x.shape[0] != length:
        raise ValueError(
            f"the operator takes vectors of {length} numbers, or as many rows of them; got shape {x.shape}"
        )
    return x


def row_shares(n: int, s: np.ndarray | None) -> np.ndarray:
    """sᵢ / Σ sᵢ."""
    return np.full(n, 1.0 / n) if s is None else s / s.sum()
