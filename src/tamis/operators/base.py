"""The contract of an operator: y = A x and x = Aᴴ y, the gathered columns and the moments, whatever holds the numbers.

Products accumulate in float64 and are float64, or complex128 where the operator or the vector is complex, whatever the
precision of the entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

from tamis.operators.products import SLAB_BYTES, moments


@runtime_checkable
class Operator(Protocol):
    """A linear map of shape (n, p); ``dtype`` is float32, float64, complex64 or complex128."""

    shape: tuple[int, int]
    dtype: np.dtype

    @property
    def T(self) -> Operator:
        """The transpose."""
        ...

    @property
    def H(self) -> Operator:
        """The adjoint, ⟨A u, v⟩ = ⟨u, Aᴴ v⟩: the transpose where A is real, its conjugate where A is complex."""
        ...

    def __matmul__(self, x: np.ndarray) -> np.ndarray:
        """A x for x of shape (p,) or (p, k)."""
        ...

    def columns(self, S: Any) -> Any:
        """The columns at the positions S: an F-ordered array (n, |S|), or a csc_array where the storage is sparse."""
        ...

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance E|x − mean|² of every column, rows weighted by s; no degrees of freedom are taken off."""
        ...


class Linear:
    """An operator made of two products: a subclass gives ``forward``, ``adjoint`` and, where cheaper, the rest.

    ``forward`` and ``adjoint`` of a real operator are given real vectors only, unless it ``takes_complex`` ones too;
    those of a complex one are given either and return complex128.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    by_columns: bool = False  # whether some columns are read at about their share of the cost of all
    takes_complex: bool = False  # whether both products of a real operator also take complex vectors
    parts: tuple[Any, ...] = ()  # the operators it is made of
    __array_ufunc__ = None  # NumPy leaves x @ A, 2 * A and X + A to the methods below

    def forward(self, x: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        """The entries S of Aᴴ r."""
        return self.adjoint(r)[S]

    @property
    def H(self) -> Any:
        return Adjoint(self)

    @property
    def T(self) -> Any:
        return Conjugate(self.H) if is_complex(self) else self.H

    def __matmul__(self, x: Any) -> Any:
        if _is_operator(x):
            return _algebra().product(self, x)
        x = as_argument(x, self.shape[1])
        split = x.dtype.kind == "c" and not (self.takes_complex or is_complex(self))
        return _by_parts(self.forward, x) if split else self.forward(x)

    def __rmatmul__(self, x: Any) -> Any:
        return _algebra().product(x, self) if _is_operator(x) else (self.T @ np.asarray(x).T).T

    def __add__(self, other: Any) -> Any:
        return _algebra().total(self, other)

    def __radd__(self, other: Any) -> Any:
        return _algebra().total(other, self)

    def __sub__(self, other: Any) -> Any:
        return _algebra().total(self, _algebra().scaled(-1.0, other))

    def __rsub__(self, other: Any) -> Any:
        return _algebra().total(other, -self)

    def __mul__(self, scalar: Any) -> Any:
        return _algebra().scaled(scalar, self)

    __rmul__ = __mul__

    def __truediv__(self, scalar: Any) -> Any:
        return _algebra().divided(self, scalar)

    def __neg__(self) -> Any:
        return _algebra().scaled(-1.0, self)

    def columns(self, S: Any) -> Any:
        """Products with unit vectors, some at a time."""
        S = np.asarray(S, dtype=np.intp)
        n, p = self.shape
        out = np.empty((n, len(S)), dtype=wide(self.dtype), order="F")
        step = max(1, SLAB_BYTES // (8 * max(n, p, 1)))
        for start in range(0, len(S), step):
            some = S[start : start + step]
            E = np.zeros((p, len(some)), order="F")
            E[some, np.arange(len(some))] = 1.0
            out[:, start : start + step] = self.forward(E)
        return out

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        n, p = self.shape
        share, step = row_shares(n, s), max(1, SLAB_BYTES // (8 * max(n, 1)))
        parts = [moments_of(self.columns(np.arange(start, min(p, start + step))), share) for start in range(0, p, step)]
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


class Adjoint(Linear):
    """Aᴴ as an operator of its own."""

    def __init__(self, A: Any) -> None:
        self.A = A
        self.shape = (A.shape[1], A.shape[0])
        self.dtype = A.dtype
        self.takes_complex = A.takes_complex
        self.parts = (A,)

    @property
    def H(self) -> Any:
        return self.A

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self.A.adjoint(x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return self.A.forward(r)


class Conjugate(Linear):
    """Ā, whose entries are the conjugates of those of A."""

    def __init__(self, A: Any) -> None:
        self.A = A
        self.shape = A.shape
        self.dtype = A.dtype
        self.parts = (A,)

    @property
    def H(self) -> Any:
        return self.A.T

    @property
    def T(self) -> Any:
        return self.A.H

    def forward(self, x: np.ndarray) -> np.ndarray:
        return (self.A @ x.conj()).conj()

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return (self.A.H @ r.conj()).conj()

    def columns(self, S: Any) -> Any:
        return self.A.columns(S).conj()


class HasEntries(Linear):
    """An operator whose entries have a closed form: columns and rows cost no products."""

    def entries(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The entries at these rows and columns, (|rows|, |columns|)."""
        raise NotImplementedError

    @property
    def H(self) -> Any:
        return AdjointEntries(self)

    def columns(self, S: Any) -> np.ndarray:
        return np.asfortranarray(self.entries(np.arange(self.shape[0]), np.asarray(S, dtype=np.intp)))


class AdjointEntries(Adjoint, HasEntries):
    """Aᴴ of an operator whose entries have a closed form."""

    def entries(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        entries: np.ndarray = self.A.entries(columns, rows).conj().T
        return entries


def is_complex(A: Any) -> bool:
    return np.dtype(A.dtype).kind == "c"


def wide(dtype: Any) -> np.dtype:
    """complex128 for complex entries, float64 for real ones: what products are in."""
    return np.dtype(np.complex128 if np.dtype(dtype).kind == "c" else np.float64)


def _is_operator(x: Any) -> bool:
    """Whether A @ x is an operator and not a product with numbers."""
    if isinstance(x, (np.ndarray, list, tuple)):
        return False
    return sp.issparse(x) or isinstance(x, (Linear, Operator)) or (hasattr(x, "matvec") and hasattr(x, "rmatvec"))


def _algebra() -> Any:
    from tamis.operators import algebra  # it is made of what stands here

    return algebra


def _by_parts(product: Any, x: np.ndarray) -> np.ndarray:
    """A real product of complex vectors: of their real and imaginary parts, which lie side by side as columns."""
    width = 1 if x.ndim == 1 else x.shape[1]
    parts = np.ascontiguousarray(x).view(np.float64).reshape(len(x), 2 * width)
    out = np.ascontiguousarray(product(parts))
    return out.view(np.complex128).reshape(len(out), *x.shape[1:])


def as_argument(x: Any, length: int) -> np.ndarray:
    """float64 or complex128, (length,) or (length, k)."""
    x = np.asarray(x)
    x = x.astype(wide(x.dtype), copy=False)
    if x.ndim not in (1, 2) or x.shape[0] != length:
        raise ValueError(
            f"the operator takes vectors of {length} numbers, or as many rows of them; got shape {x.shape}"
        )
    return x


def row_shares(n: int, s: np.ndarray | None) -> np.ndarray:
    """sᵢ / Σ sᵢ."""
    return np.full(n, 1.0 / n) if s is None else s / s.sum()


def moments_of(X: Any, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of gathered columns: of complex ones, those of their real and imaginary parts together."""
    X = X.toarray(order="F") if sp.issparse(X) else X
    if X.dtype.kind != "c":
        return moments(X, share)
    (mean, variance), (mean_imag, variance_imag) = moments(X.real, share), moments(X.imag, share)
    return mean + 1j * mean_imag, variance + variance_imag


def row_blocks(A: Any) -> Iterator[tuple[slice, Any]]:
    """Rows of an operator and the operator of these rows; of one that holds all of them, all."""
    return A.row_blocks() if hasattr(A, "row_blocks") else iter([(slice(0, A.shape[0]), A)])
