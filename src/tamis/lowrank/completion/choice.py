"""α and rank chosen by held-out entries along a path, by the one-standard-error rule."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tamis._core.progress import Steps
from tamis.lowrank.completion.on_workers import WorkerEntries
from tamis.solvers.als import Entries, FactorPair, ObservedEntries, als, als_of_growing_rank, solve_biases, start_pair
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import leading_triplets
from tamis.solvers.nuclear_completion import narrow, with_values

PSEUDO_ENTRIES = 2.0  # at the mean, that shrink a row's or column's bias
POINTS = 12  # of the path of α
LOWEST = 1e-4  # its end, of α_max
PATIENCE = 3  # points without a lower error after which the path ends
MOST_HELD_OUT = 200_000  # entries of a part that is held out
Triplets = Any  # a csr_array, or WorkerEntries
RANKS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)


@dataclass(frozen=True)
class Baseline:
    """What is known without factors: the mean of all entries, and how far rows and columns are from it."""

    mean: float = 0.0
    row_bias: np.ndarray | None = None
    column_bias: np.ndarray | None = None

    @classmethod
    def of(cls, X: Triplets, biases: bool, n_threads: int) -> Baseline:
        if not biases:
            return cls()
        if isinstance(X, WorkerEntries):
            mean = X.mean()
            return cls(mean, *solve_biases(X.off(mean, None, None), PSEUDO_ENTRIES))
        mean = float(X.data.mean(dtype=np.float64))
        values = np.subtract(X.data, mean, dtype=np.float64).astype(X.dtype, copy=False)
        entries = Entries.of(with_values(X, values), n_threads)
        return cls(mean, *solve_biases(entries, PSEUDO_ENTRIES))

    def at(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        if self.row_bias is None or self.column_bias is None:
            return np.full(len(rows), self.mean)
        return self.mean + self.row_bias[rows] + self.column_bias[columns]

    def off(self, X: Triplets) -> Any:
        """X without it."""
        if self.row_bias is None or self.column_bias is None:
            return X
        if isinstance(X, WorkerEntries):
            return X.off(self.mean, self.row_bias, self.column_bias)
        rows = np.repeat(np.arange(X.shape[0], dtype=np.int32), np.diff(X.indptr))
        level = self.mean + self.row_bias[rows]
        level += self.column_bias[X.indices]
        np.subtract(X.data, level, out=level)  # in float64: a float32 level would be rounded at the size of the mean
        return with_values(X, level.astype(X.dtype, copy=False))


@dataclass
class HeldOut:
    """Entries that were held out: positions and values."""

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    def squares(self, pair: FactorPair, baseline: Baseline, bounds: tuple[float, float] | None) -> np.ndarray:
        """Squared errors of the predictions."""
        fitted = baseline.at(self.rows, self.columns)
        if pair.rank:
            fitted += np.einsum("ek,ek->e", pair.U[self.rows], pair.V[self.columns])
        fitted = fitted if bounds is None else np.clip(fitted, *bounds)
        return (self.values - fitted) ** 2


def hold_out(X: Triplets, share: float, rng: np.random.Generator) -> tuple[Any, HeldOut]:
    """A share of the entries apart, at most 200,000; the rest."""
    k = max(1, min(MOST_HELD_OUT, round(share * X.nnz)))
    if isinstance(X, WorkerEntries):
        rest, drawn = X.apart(k, rng)
        return rest, HeldOut(*drawn)
    apart = np.zeros(X.nnz, bool)
    apart[rng.choice(X.nnz, k, replace=False)] = True
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    apart_entries = HeldOut(rows[apart], X.indices[apart].astype(np.int64), X.data[apart].astype(np.float64))
    indptr = np.append(0, np.cumsum(np.bincount(rows[~apart], minlength=X.shape[0])))
    return narrow(csr_array((X.data[~apart], X.indices[~apart], indptr), shape=X.shape)), apart_entries


@dataclass
class Choice:
    """The path: α or ranks tried, mean squared errors at held-out entries with standard errors, and what is chosen."""

    alphas: list[float] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    standard_errors: list[float] = field(default_factory=list)
    pairs: list[FactorPair] = field(default_factory=list)

    def add(self, alpha: float, pair: FactorPair, squares: np.ndarray) -> None:
        self.alphas.append(alpha)
        self.ranks.append(pair.rank)
        self.errors.append(float(squares.mean()))
        self.standard_errors.append(float(squares.std(ddof=1) / np.sqrt(len(squares))) if len(squares) > 1 else 0.0)
        self.pairs.append(pair)

    @property
    def chosen(self) -> int:
        """The first (largest α, smallest rank) within one standard error of the least error."""
        errors = np.array(self.errors)
        best = int(errors.argmin())
        return int(np.flatnonzero(errors <= errors[best] + self.standard_errors[best])[0])

    @property
    def stalled(self) -> bool:
        best = int(np.argmin(self.errors))
        return len(self.errors) - 1 - best >= PATIENCE


@dataclass
class CandidateSearch:
    """Candidates of α or of the rank, fitted one after the other and judged at held-out entries."""

    entries: ObservedEntries
    held_out: HeldOut
    baseline: Baseline
    bounds: tuple[float, float] | None
    limits: IterationLimits
    rng: np.random.Generator

    def over_alphas(self, most: int, grows: bool, steps: Steps) -> Choice:
        """From α_max down; M starts from that of the last α, with directions that the residual still has."""
        choice = Choice()
        top = alpha_max(self.entries, self.rng)
        pair = start_pair(self.entries, 0 if grows else most, self.rng)
        loose = replace(self.limits, tol=max(self.limits.tol, 1e-3), max_iter=min(self.limits.max_iter, 10))
        for alpha in steps(np.geomspace(top, LOWEST * top, POINTS).tolist() if top > 0 else [1.0], "choosing alpha"):
            pair = self.solved(alpha, pair, most if grows else 0, loose)
            choice.add(alpha, pair, self.held_out.squares(pair, self.baseline, self.bounds))
            if choice.stalled or self.limits.late:
                break
        return choice

    def over_ranks(self, most: int, steps: Steps) -> Choice:
        """Ranks upwards, without shrinkage."""
        choice = Choice()
        loose = replace(self.limits, tol=max(self.limits.tol, 1e-4), max_iter=min(self.limits.max_iter, 30))
        for rank in steps([r for r in RANKS if r <= most], "choosing the rank"):
            pair, _, _ = als(self.entries, 0.0, start_pair(self.entries, rank, self.rng), loose)
            choice.add(0.0, pair, self.held_out.squares(pair, self.baseline, self.bounds))
            if choice.stalled or self.limits.late:
                break
        return choice

    def solved(self, alpha: float, pair: FactorPair, most: int, limits: IterationLimits) -> FactorPair:
        pair, _, _ = als_of_growing_rank(self.entries, alpha, pair, most, limits, self.rng)
        return pair


def alpha_max(entries: ObservedEntries, rng: np.random.Generator) -> float:
    """σ₁(P_Ω(X)): at this α and above M = 0."""
    X = entries.matrix().astype(np.float64)
    return float(leading_triplets(X, None, min(4, *X.shape), 6, rng)[1][0])


def mean_of(X: Triplets) -> float:
    """Of the observed values."""
    return X.mean() if isinstance(X, WorkerEntries) else float(X.data.mean(dtype=np.float64))


def entries_of(X: Triplets, n_threads: int) -> ObservedEntries:
    """The entries as alternating least squares takes them."""
    return X if isinstance(X, WorkerEntries) else Entries.of(X, n_threads)
