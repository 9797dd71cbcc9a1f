"""What an update of atoms needs to know of codes: ZᵀZ and ZᵀX, sums over rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array

from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.sources.base import Block

MOST_NUMBERS = 2**22  # of the partial sums of all parts together
PART = 4096  # rows of a part, at least


class Encoder(Protocol):
    """Whatever codes rows on atoms."""

    def encode(self, X: Any, D: np.ndarray, start: Any = None) -> csr_array: ...

    def penalties(self, Z: csr_array) -> np.ndarray: ...


@dataclass(frozen=True)
class CodeStatistics:
    """A = ZᵀZ (k, k), B = ZᵀX (k, p), Σ‖xᵢ‖², the sum of the penalties, how many rows use each atom, Σᵢ|zᵢⱼ| of each,
    and the rows that are represented worst, which may become atoms. All in float64.
    """

    A: np.ndarray
    B: np.ndarray
    n_rows: float = 0.0
    squares: float = 0.0
    penalty: float = 0.0
    usage: np.ndarray = field(default_factory=lambda: np.zeros(0))
    sizes: np.ndarray = field(default_factory=lambda: np.zeros(0))
    worst: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    worst_squares: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def zero(cls, k: int, p: int) -> Self:
        return cls(np.zeros((k, k)), np.zeros((k, p)), usage=np.zeros(k), sizes=np.zeros(k), worst=np.zeros((0, p)))

    @classmethod
    def of_codes(cls, X: Any, Z: csr_array, penalties: Any = 0.0, *, n_jobs: int | None = None) -> Self:
        """The statistics of rows X without gaps and their codes."""
        return cls.zero(Z.shape[1], X.shape[1]).add(X, Z, penalties, n_jobs=n_jobs)

    def add(self, X: Any, Z: csr_array, penalties: Any = 0.0, *, sign: float = 1.0, n_jobs: int | None = None) -> Self:
        """With rows X and their codes, or without them (``sign=-1``); the memory of A and B is used again."""
        _add(self.A, self.B, X, Z, sign, n_jobs)
        squares = float((X.multiply(X)).sum() if sp.issparse(X) else np.einsum("ij,ij->", X, X, dtype=np.float64))
        return replace(
            self,
            n_rows=self.n_rows + sign * Z.shape[0],
            squares=self.squares + sign * squares,
            penalty=self.penalty + sign * float(np.sum(penalties)),
            usage=self.usage + sign * np.bincount(Z.indices[Z.data != 0], minlength=Z.shape[1]),
            sizes=self.sizes + sign * np.bincount(Z.indices, np.abs(Z.data), minlength=Z.shape[1]),
        )

    def merge(self, other: Self) -> Self:
        """Of both sets of rows; of the rows represented worst as many are kept as either has."""
        rows = np.concatenate([self.worst, other.worst])
        squares = np.concatenate([self.worst_squares, other.worst_squares])
        kept = np.argsort(-squares, kind="stable")[: max(len(self.worst), len(other.worst))]
        return replace(
            self,
            A=self.A + other.A,
            B=self.B + other.B,
            n_rows=self.n_rows + other.n_rows,
            squares=self.squares + other.squares,
            penalty=self.penalty + other.penalty,
            usage=self.usage + other.usage,
            sizes=self.sizes + other.sizes,
            worst=rows[kept],
            worst_squares=squares[kept],
        )

    def forgotten(self, factor: float) -> Self:
        """All sums multiplied by the factor."""
        sums = ("A", "B", "n_rows", "squares", "penalty", "usage", "sizes")
        return replace(self, **{name: factor * getattr(self, name) for name in sums})

    def rescaled(self, factors: Any) -> Self:
        """Of codes whose column j is multiplied by factors[j] ≥ 0, or is as it was (None); penalties are multiples of
        ‖z‖₁.
        """
        if factors is None:
            return self
        sizes, before = self.sizes * factors, float(self.sizes.sum())
        return replace(
            self,
            A=self.A * np.outer(factors, factors),
            B=self.B * factors[:, None],
            penalty=self.penalty * float(sizes.sum()) / before if before > 0 else self.penalty,
            sizes=sizes,
        )

    def copy(self) -> Self:
        """With sums of its own, that ``add`` to this one leaves as they are."""
        return replace(self, A=self.A.copy(), B=self.B.copy())

    def objective(self, D: np.ndarray) -> float:
        """(1/n) Σᵢ [½‖xᵢ − zᵢD‖² + penalty], which is ½(Σ‖x‖² − 2⟨B, D⟩ + ⟨A, DDᵀ⟩)/n + …; the surrogate of D where the
        codes were found for other atoms.
        """
        D = np.asarray(D, dtype=np.float64)
        quadratic = self.squares - 2 * np.vdot(self.B, D) + np.vdot(self.A, D @ D.T)
        return float((0.5 * max(0.0, quadratic) + self.penalty) / max(self.n_rows, np.finfo(float).tiny))


@dataclass(frozen=True)
class Coding:
    """The statistic that codes each block on D and sums ``CodeStatistics``; it keeps ``n_worst`` rows."""

    coder: Encoder
    D: np.ndarray
    n_worst: int = 0
    total: CodeStatistics | None = None

    def of(self, block: Block) -> Self:
        return replace(self, total=coded_statistics(self.coder, block.X, self.D, n_worst=self.n_worst)[0])

    def merge(self, other: Self) -> Self:
        if self.total is None or other.total is None:
            return other if self.total is None else self
        return replace(self, total=self.total.merge(other.total))


def coded_statistics(
    coder: Encoder, X: Any, D: np.ndarray, start: Any = None, *, n_worst: int = 0
) -> tuple[CodeStatistics, csr_array]:
    """The rows coded on D: their statistics, gaps filled in by what the codes say, and the codes."""
    X = X if sp.issparse(X) else np.ascontiguousarray(X, dtype=D.dtype)
    Z = coder.encode(X, D, start)
    X = filled(X, Z, D)
    statistics = CodeStatistics.of_codes(X, Z, coder.penalties(Z))
    if n_worst:
        rows, squares = worst_rows(X, Z, D, n_worst)
        statistics = replace(statistics, worst=rows, worst_squares=squares)
    return statistics, Z


def filled(X: Any, Z: csr_array, D: np.ndarray) -> Any:
    """X with (ZD)ᵢⱼ where it is NaN: atoms that lower the objective of that lower the one on the observed entries."""
    if sp.issparse(X):
        return X
    missing = np.isnan(X)
    return np.where(missing, Z @ D, X).astype(X.dtype, copy=False) if missing.any() else X


def squared_residuals(X: Any, Z: csr_array, D: np.ndarray, *, n_jobs: int | None = None) -> np.ndarray:
    """‖xᵢ − zᵢD‖² over the observed entries, summed in float64; sparse rows some at a time."""
    out = np.empty(X.shape[0])
    if sp.issparse(X):
        for i in range(0, len(out), PART):
            R = X[i : i + PART].toarray() - Z[i : i + PART] @ D
            out[i : i + PART] = np.square(R, dtype=np.float64).sum(axis=1)
        return out
    dtype = np.result_type(X, D, Z)
    kernels.code_residuals(
        np.ascontiguousarray(X, dtype=dtype), np.ascontiguousarray(D, dtype=dtype), *in_parts(Z, dtype), out,
        thread_count(n_jobs),
    )  # fmt: skip
    return out


def in_parts(Z: csr_array, dtype: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where rows begin, columns and values, as kernels take codes."""
    return (
        Z.indptr.astype(np.int64, copy=False),
        Z.indices.astype(np.int32, copy=False),
        Z.data.astype(dtype, copy=False),
    )


def worst_rows(X: Any, Z: csr_array, D: np.ndarray, n_worst: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of largest ‖x − zD‖², descending, and these squares."""
    squares = squared_residuals(X, Z, D)
    which = np.argsort(-squares, kind="stable")[:n_worst]
    rows = X[which].toarray() if sp.issparse(X) else X[which]
    return np.asarray(rows, dtype=np.float64), squares[which]


def _add(A: np.ndarray, B: np.ndarray, X: Any, Z: csr_array, sign: float, n_jobs: int | None) -> None:
    k, p = B.shape
    if sp.issparse(X):
        B += sign * (Z.T @ X).toarray()
        X = np.empty((Z.shape[0], 0), Z.dtype)
    X = np.ascontiguousarray(X, dtype=Z.dtype)
    parts = int(min(8, max(1, Z.shape[0] // PART), max(1, MOST_NUMBERS // (k * k + k * p))))
    along = np.zeros((k, 0)) if X.shape[1] == 0 else B
    kernels.code_statistics(*in_parts(Z, Z.dtype), X, sign, parts, thread_count(n_jobs), A, along)
