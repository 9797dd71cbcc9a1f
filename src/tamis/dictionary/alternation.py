"""Codes and atoms in turn, rows in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tamis.dictionary.coders.base import Coder
from tamis.dictionary.replacement import decorrelated, duplicates, replaced
from tamis.dictionary.updates.base import CodedRows, Update
from tamis.stats.code_statistics import CodeStatistics, filled, squared_residuals, worst_rows


@dataclass(frozen=True)
class Upkeep:
    """What is done to atoms beside the update."""

    replace: bool
    max_coherence: float | None
    rng: np.random.Generator

    def kept_apart(self, D: np.ndarray) -> np.ndarray:
        return D if self.max_coherence is None else decorrelated(D, self.max_coherence)


@dataclass
class Progress:
    """Atoms after a sweep, the objective of them with the codes they come from, and the statistics if there are."""

    D: np.ndarray
    objective: float
    statistics: CodeStatistics | None = None


class Alternation:
    """Sweeps over rows in memory: code all rows, update all atoms."""

    def __init__(self, X: Any, coder: Coder, update: Update, upkeep: Upkeep, D: np.ndarray) -> None:
        self.X, self.coder, self.update, self.upkeep = X, coder, update, upkeep
        self.D, self.Z = D, None
        self.last = np.inf

    def sweeps(self) -> Iterator[Progress]:
        while True:
            D, Z = self._coded()
            X = filled(self.X, Z, D)
            statistics = None
            if self.update.needs == "statistics":
                statistics = CodeStatistics.of_codes(X, Z, self.coder.penalties(Z))
                D, change = self.update.update(D, statistics)
                Z, statistics = scaled(Z, change), statistics.rescaled(change)
            else:
                D, Z = self.update.update(D, CodedRows(X, Z, self.coder.positive))
            value = self._objective(Z, D) if statistics is None or X is not self.X else statistics.objective(D)
            D, Z = self._kept_up(D, Z)
            self.D, self.Z, self.last = D, Z, value
            yield Progress(D, value, statistics)

    def _coded(self) -> tuple[np.ndarray, csr_array]:
        """Codes for the atoms, of which those there twice are replaced where that does not raise the objective."""
        if self.Z is None or not self.upkeep.replace:
            return self.D, self.coder.encode(self.X, self.D, self.Z)
        twice = duplicates(self.D, _usage(self.Z))
        if twice.any():
            D = self._replaced(self.D, self.Z, twice)
            Z = self.coder.encode(self.X, D, self.Z)
            if self._objective(Z, D) <= self.last:
                return D, Z
        return self.D, self.coder.encode(self.X, self.D, self.Z)

    def _kept_up(self, D: np.ndarray, Z: csr_array) -> tuple[np.ndarray, csr_array]:
        if self.upkeep.replace:
            unused = _usage(Z) == 0
            if unused.any():
                D = self._replaced(D, Z, unused)
        return self.upkeep.kept_apart(D), Z

    def _replaced(self, D: np.ndarray, Z: csr_array, which: np.ndarray) -> np.ndarray:
        """By the rows that are represented worst."""
        rows, squares = worst_rows(filled(self.X, Z, D), Z, D, 2 * int(which.sum()) + 10)
        return replaced(D, which, rows[squares > 0], self.upkeep.rng)

    def _objective(self, Z: csr_array, D: np.ndarray) -> float:
        return objective(self.coder, self.X, Z, D)


def objective(coder: Coder, X: Any, Z: csr_array, D: np.ndarray) -> float:
    """(1/n) Σᵢ [½‖xᵢ − zᵢD‖² + penalty]."""
    return float((0.5 * squared_residuals(X, Z, D) + coder.penalties(Z)).mean())


def scaled(Z: csr_array, change: Any) -> csr_array:
    """Codes after an update: as they were, or each atom's multiplied by its factor."""
    if change is None:
        return Z
    factors = np.asarray(change, dtype=Z.dtype)
    return csr_array((Z.data * factors[Z.indices], Z.indices, Z.indptr), shape=Z.shape)


def _usage(Z: csr_array) -> np.ndarray:
    return np.bincount(Z.indices[Z.data != 0], minlength=Z.shape[1])


class Batches:
    """Epochs over batches of the rows in memory: each row counts with its newest code."""

    def __init__(self, X: Any, coder: Coder, update: Update, upkeep: Upkeep, D: np.ndarray) -> None:
        self.X, self.coder, self.update, self.upkeep, self.D = X, coder, update, upkeep, D
        order = upkeep.rng.permutation(X.shape[0])
        size = min(update.batch_size or len(order), len(order))
        self.batches = np.array_split(order, -(-len(order) // size))
        self.coded: list[tuple[Any, csr_array] | None] = [None] * len(self.batches)  # rows without gaps, and codes

    def sweeps(self) -> Iterator[Progress]:
        total = CodeStatistics.zero(*self.D.shape)
        while True:
            for b in self.upkeep.rng.permutation(len(self.batches)):
                total = self._renewed(total, b)
                self.D = self.update.update(self.D, total)[0]
            value = total.objective(self.D)
            self._keep_up(total, b)
            yield Progress(self.D, value, total.copy())

    def _renewed(self, total: CodeStatistics, b: int) -> CodeStatistics:
        """The statistics when batch b is coded on the present atoms."""
        rows, before = self.X[self.batches[b]], self.coded[b]
        Z = self.coder.encode(rows, self.D, None if before is None else before[1])
        now = filled(rows, Z, self.D), Z
        if before is not None:
            total = total.add(before[0], before[1], self.coder.penalties(before[1]), sign=-1.0)
        self.coded[b] = now if now[0] is not rows else (rows, Z)
        return total.add(*now, self.coder.penalties(Z))

    def _keep_up(self, total: CodeStatistics, b: int) -> None:
        """Atoms that nobody uses become the rows of batch b that are represented worst."""
        unused = total.usage < 0.5
        coded = self.coded[b]
        if self.upkeep.replace and unused.any() and coded is not None:
            worst = worst_rows(*coded, self.D, 2 * int(unused.sum()) + 10)
            self.D = replaced(self.D, unused, worst[0], self.upkeep.rng)
        self.D = self.upkeep.kept_apart(self.D)
