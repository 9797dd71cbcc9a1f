"""Products, sums and multiples of operators: ``A @ B``, ``A + B``, ``A - B``, ``2 * A``, ``A / 2``."""

from __future__ import annotations

import itertools
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis.operators.base import Adjoint, HasEntries, Linear, is_complex, wide
from tamis.operators.restriction import Restriction


class Product(Linear):
    """A₁ A₂ … Aₖ, applied from the right; no product is ever written out."""

    takes_complex = True

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts
        self.shape = (parts[0].shape[0], parts[-1].shape[1])
        self.dtype = joint_dtype(parts)

    @property
    def H(self) -> Product:
        return Product(tuple(A.H for A in reversed(self.parts)))

    @property
    def T(self) -> Product:
        return Product(tuple(A.T for A in reversed(self.parts)))

    def forward(self, x: np.ndarray) -> np.ndarray:
        for A in reversed(self.parts):
            x = A @ x
        return x

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        for A in self.parts:
            r = A.H @ r
        return r

    def columns(self, S: Any) -> Any:
        S = np.asarray(S, dtype=np.intp)
        left, last = self.parts[:-1], self.parts[-1]
        if isinstance(last, Adjoint) and isinstance(last.A, Restriction):  # B Rᴴ: columns of B
            return product(*left).columns(last.A.rows[S])
        if isinstance(left[-1], Restriction) and isinstance(last, HasEntries):  # R B: some entries of some columns of B
            X: Any = np.asfortranarray(last.entries(left[-1].rows, S))
            left = left[:-1]
        else:
            X = _dense(last.columns(S))
        for A in reversed(left):
            X = A @ X
        return np.asfortranarray(X)


class Sum(Linear):
    """A₁ + A₂ + … + Aₖ."""

    takes_complex = True

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts
        self.shape = parts[0].shape
        self.dtype = joint_dtype(parts)

    @property
    def H(self) -> Sum:
        return Sum(tuple(A.H for A in self.parts))

    def forward(self, x: np.ndarray) -> np.ndarray:
        return add_up([A @ x for A in self.parts])

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return add_up([A.H @ r for A in self.parts])

    def columns(self, S: Any) -> Any:
        return np.asfortranarray(add_up([_dense(A.columns(S)) for A in self.parts]))


class Scaled(Linear):
    """c A for a number c."""

    takes_complex = True

    def __init__(self, scalar: Any, A: Any) -> None:
        self.scalar = scalar
        self.A = A
        self.parts = (A,)
        self.shape = A.shape
        self.dtype = np.dtype(np.complex128 if isinstance(scalar, complex) else joint_dtype((A,)))

    @property
    def H(self) -> Scaled:
        return Scaled(self.scalar.conjugate(), self.A.H)

    def forward(self, x: np.ndarray) -> np.ndarray:
        product: np.ndarray = self.scalar * (self.A @ x)
        return product

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        product: np.ndarray = self.scalar.conjugate() * (self.A.H @ r)
        return product

    def columns(self, S: Any) -> Any:
        X = self.scalar * self.A.columns(S).astype(self.dtype, copy=False)
        return X if sp.issparse(X) else np.asfortranarray(X)

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = self.A.moments(s)
        return self.scalar * mean, abs(self.scalar) ** 2 * variance


def product(*factors: Any) -> Any:
    """The product of operators whose shapes fit; a product of products is one product."""
    operators = [as_part(A) for A in factors]
    for A, B in itertools.pairwise(operators):
        if A.shape[1] != B.shape[0]:
            raise InputError(f"A @ B needs as many columns in A as rows in B: A is {_called(A)} and B is {_called(B)}")
    parts = tuple(part for A in operators for part in (A.parts if isinstance(A, Product) else (A,)))
    return parts[0] if len(parts) == 1 else Product(parts)


def total(A: Any, B: Any) -> Sum:
    """A + B for operators of one shape."""
    A, B = as_part(A), as_part(B)
    if A.shape != B.shape:
        raise InputError(f"A + B needs operators of one shape: A is {_called(A)} and B is {_called(B)}")
    return Sum(tuple(part for C in (A, B) for part in (C.parts if isinstance(C, Sum) else (C,))))


def scaled(scalar: Any, A: Any) -> Scaled:
    """A number times an operator."""
    number = scalar.item() if isinstance(scalar, (np.generic, np.ndarray)) and np.size(scalar) == 1 else scalar
    if not isinstance(number, Number) or not np.isfinite(complex(number)):  # type: ignore[call-overload]
        raise InputError(
            f"an operator can be multiplied by a finite number, got {scalar!r}: use @ for vectors and operators"
        )
    A = as_part(A)
    exact = complex(number) if isinstance(number, complex) else float(number)  # type: ignore[arg-type]
    return Scaled(exact * A.scalar, A.A) if isinstance(A, Scaled) else Scaled(exact, A)


def divided(A: Any, scalar: Any) -> Scaled:
    """An operator over a number that is not 0."""
    if np.size(scalar) == 1 and not np.all(scalar):
        raise InputError("an operator cannot be divided by 0")
    return scaled(1.0 / scalar, A)


def as_part(A: Any) -> Any:
    """Whatever stands for a matrix, complex or not, as an operator."""
    from tamis.operators import as_operator  # what it recognises includes what stands here

    return A if isinstance(A, Linear) else as_operator(A, complex_ok=True)


def joint_dtype(parts: tuple[Any, ...]) -> np.dtype:
    return np.dtype(np.complex128 if any(is_complex(A) for A in parts) else np.float64)


def add_up(terms: list[np.ndarray]) -> np.ndarray:
    """Their sum, in memory of its own: a term may be the vector that was given."""
    out = terms[0].astype(np.result_type(*terms))
    for term in terms[1:]:
        out += term
    return out


def _dense(X: Any) -> np.ndarray:
    X = X.toarray(order="F") if sp.issparse(X) else X
    return X.astype(wide(X.dtype), copy=False)


def _called(A: Any) -> str:
    return f"{type(A).__name__} {A.shape[0]} × {A.shape[1]}"
