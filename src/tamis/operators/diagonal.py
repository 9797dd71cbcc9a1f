"""Diagonal operators: a number for each entry, the identity, random signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.random import as_rng
from tamis.operators.base import Linear, wide


class Diagonal(Linear):
    """diag(d): x ↦ d ∘ x, for real or complex d (n,).

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import Diagonal
    >>> Diagonal([1.0, 2.0]) @ np.array([3.0, 4.0])
    array([3., 8.])
    """

    takes_complex = True

    def __init__(self, d: Any) -> None:
        d = np.asarray(d)
        if d.ndim != 1 or d.dtype.kind not in "fiubc":
            raise InputError(f"d must be a vector of numbers, got {d.dtype} of shape {d.shape}")
        self.d = d.astype(wide(d.dtype), copy=False)
        self.shape = (len(d), len(d))
        self.dtype = self.d.dtype

    @property
    def H(self) -> Diagonal:
        return Diagonal(self.d.conj()) if self.dtype.kind == "c" else self

    def forward(self, x: np.ndarray) -> np.ndarray:
        return (self.d * x.T).T

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return (self.d.conj() * r.T).T

    def columns(self, S: Any) -> sp.csc_array:
        S = np.asarray(S, dtype=np.intp)
        return sp.csc_array((self.d[S], S, np.arange(len(S) + 1)), shape=(self.shape[0], len(S)))


class Identity(Diagonal):
    """The operator that changes nothing.

    x ↦ x on vectors of n numbers.
    """

    def __init__(self, n: int) -> None:
        super().__init__(np.ones(check_count("n", n)))

    def forward(self, x: np.ndarray) -> np.ndarray:
        return x.copy()

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return r.copy()


class RandomSigns(Diagonal):
    """A diagonal of n independent signs, 1 or −1 with equal chances; the same ``random_state`` gives the same signs.

    Before a fast transform it makes any signal spread out in that transform: ``Restriction(n, rows) @ Hadamard(n) @
    RandomSigns(n, 0)`` measures as a random matrix does, in n log n.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import RandomSigns
    >>> D = RandomSigns(5, random_state=0)
    >>> np.abs(D @ np.ones(5))
    array([1., 1., 1., 1., 1.])
    """

    def __init__(self, n: int, random_state: Any = None) -> None:
        bits = as_rng(random_state).integers(0, 2, check_count("n", n))
        super().__init__(1.0 - 2.0 * bits)
