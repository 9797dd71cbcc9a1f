"""What columns have to do with the target and with each other: by counts, or by correlations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import check_choice
from tamis._core.errors import InputError
from tamis._core.progress import Steps
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.base.training_data import require_numbers
from tamis.operators import as_operator
from tamis.selection.evaluation.counting import IMPURITY, SUMS, PartitionSums
from tamis.sources.base import Source
from tamis.sources.learnable import require_finite_squares, require_squares
from tamis.stats import collect
from tamis.stats.coded import CodedTable, read_target
from tamis.stats.gram import Gram

MOST_GRAM = 5_000  # columns of a file whose Gram matrix is kept, 200 MB, instead of reading the file over and over
MOST_F = 1e12  # an F-statistic is at most this: sums of it stay finite where a column tells the classes exactly


class CountedAssociation:
    """Relations of a coded table, one counting pass for each row."""

    ahead = 1

    def __init__(self, table: CodedTable, n_jobs: int | None) -> None:
        self.table, self.values = table, table.values
        self.counting = PartitionSums(table, thread_count(n_jobs), IMPURITY)

    def rows(self, ks: Sequence[int]) -> np.ndarray:
        return np.stack([self._row(int(k)) for k in ks])

    def _row(self, k: int) -> np.ndarray:
        raise NotImplementedError

    def _gains(self) -> np.ndarray:
        """I(x; y) of every column."""
        c = self.counting
        return np.maximum(c.entropy - c.with_each((), range(len(self.table.levels)))[:, 0] / self.table.total, 0.0)

    def _column_entropies(self) -> np.ndarray:
        t, c = self.table, self.counting
        sums = np.empty((len(t.levels), SUMS))
        kernels.column_sums(t.codes, t.levels, *c.target, sums, c.n_threads)
        return c.entropies(sums)[0]

    def _with_column(self, k: int) -> np.ndarray:
        """I(x; x_k) of every column x: the column takes the place of the class."""
        t, c = self.table, self.counting
        y, K = t.codes[k].astype(np.int32), int(t.levels[k])
        target = (y, K, t.weight, t.total, c.xlogx)
        own, rest = np.empty(SUMS), np.empty((len(t.levels), IMPURITY))
        kernels.class_sums(*target, own)
        kernels.column_sums(t.codes, t.levels, *target, rest, c.n_threads)
        return np.maximum(own[0] - own[1] - rest[:, 0], 0.0) / t.total


class MutualInformation(CountedAssociation):
    """I(x; y) and I(x; x′) in bits."""

    def __init__(self, table: CodedTable, n_jobs: int | None) -> None:
        super().__init__(table, n_jobs)
        self.relevance = self._gains()

    def _row(self, k: int) -> np.ndarray:
        return self._with_column(k)


class SymmetricUncertainties(CountedAssociation):
    """Symmetric uncertainties: 2 I(x; y) / (H(x) + H(y)) and 2 I(x; x′) / (H(x) + H(x′))."""

    def __init__(self, table: CodedTable, n_jobs: int | None) -> None:
        super().__init__(table, n_jobs)
        self.entropies = self._column_entropies()
        entropy = self.counting.entropy
        gains = self.counting.resolved(self._gains(), self.entropies, entropy)
        self.relevance = _share(2 * gains, self.entropies + entropy)

    def _row(self, k: int) -> np.ndarray:
        gains = self.counting.resolved(self._with_column(k), self.entropies, self.entropies[k])
        return _share(2 * gains, self.entropies + self.entropies[k])


class JointInformations(CountedAssociation):
    """I(x; y) and I(x, x′; y) in bits; ``given``: I(x; y | x′) instead."""

    def __init__(self, table: CodedTable, n_jobs: int | None, given: bool = False) -> None:
        super().__init__(table, n_jobs)
        self.given = given
        self.relevance = self._gains()

    def _row(self, k: int) -> np.ndarray:
        c = self.counting
        rest = c.with_each((k,), range(len(self.table.levels)))[:, 0] / self.table.total
        return np.maximum((c.entropy - self.relevance[k] if self.given else c.entropy) - rest, 0.0)


class Correlations:
    """|Pearson's correlation| of every two columns, and a relevance made of sums of squares.

    In memory every eight rows of the relation take one look at the table; of a file its Gram matrix is kept.
    """

    ahead = 8

    def __init__(
        self,
        source: Source,
        relevance: Callable[[np.ndarray, int, float, int], np.ndarray],
        task: str,
        name: str,
        n_jobs: int | None,
        steps: Steps,
    ) -> None:
        check_choice("task", task, ("auto", "classification", "regression"))
        require_numbers(source, name, target=False)
        target, y, s = read_target(source, task)
        self.values = target.values
        self.A: Any = as_operator(source, n_jobs=n_jobs)
        n = self.A.shape[0]
        self.s = np.full(n, 1.0 / n) if s is None else s / s.sum()
        self.mean, variance = self.A.moments(self.s)
        require_finite_squares(source, self.mean, variance)
        self.inverse = np.divide(1.0, np.sqrt(variance), out=np.zeros_like(variance), where=variance > 0)
        explained, n_groups = self._explained(None if target.values is None else target.codes, y)
        total = float(n if s is None else s.sum())
        self.relevance = relevance(explained, n_groups, total, int(np.count_nonzero(self.s)))
        self.source, self.n_jobs, self.steps = source, n_jobs, steps

    @cached_property
    def table(self) -> np.ndarray | None:
        """All rows of a file that is not too wide, from one pass when the first is asked for."""
        p = self.source.n_features
        if self.source.in_memory or p > MOST_GRAM:
            return None
        (gram,) = collect(self.source, Gram(n_jobs=self.n_jobs), n_jobs=self.n_jobs, steps=self.steps)
        return np.abs(gram.scatter[:p, :p] / gram.weight * self.inverse * self.inverse[:, None])

    def rows(self, ks: Sequence[int]) -> np.ndarray:
        k = np.asarray(ks, dtype=np.intp)
        if self.table is not None:
            return self.table[k].copy()
        columns = self.A.columns(k)
        columns = columns.toarray() if sp.issparse(columns) else columns
        V = self.s[:, None] * (columns - self.mean[k]) * self.inverse[k]
        return np.abs((self.A.T @ V).T * self.inverse)

    def _explained(self, classes: np.ndarray | None, y: np.ndarray) -> tuple[np.ndarray, int]:
        """The share of each column's variance between the classes, or of a line on y; and how many means that took."""
        if classes is None:
            require_squares(y)
            d = self.s * (y - self.s @ y)
            r = (self.A.T @ d) * self.inverse / np.sqrt(d @ y)
            return np.minimum(r**2, 1.0), 2
        share = np.bincount(classes, self.s)
        present = np.flatnonzero(share)
        indicator = self.s[:, None] * (classes[:, None] == present)
        between = self.A.T @ indicator - np.outer(self.mean, share[present])
        explained = (between**2 / share[present]).sum(axis=1) * self.inverse**2
        return np.minimum(explained, 1.0), len(present)


def f_statistic(explained: np.ndarray, n_groups: int, n: float, n_rows: int) -> np.ndarray:
    """F of the means of K classes, or of a line (K = 2): (η² / (K − 1)) / ((1 − η²) / (n − K)).

    n is the sum of the weights of ``n_rows`` rows.
    """
    degrees = (n - n_groups) / (n_groups - 1)
    if degrees <= 0 and n_rows > n_groups:
        raise InputError(
            f"sample_weight sums to {n:.3g}: an F-statistic counts a row of weight w as w rows and compares "
            f"{n_groups} means with them, so weights must sum to more than {n_groups}: multiply them all by one number"
        )
    if degrees <= 0:  # as many means as rows: nothing is left to compare them with
        return np.zeros_like(explained)
    with np.errstate(divide="ignore"):
        return np.minimum(degrees * explained / (1 - explained), MOST_F)


def correlation_ratio(explained: np.ndarray, n_groups: int, n: float, n_rows: int) -> np.ndarray:
    """η, |r| for a line."""
    return np.sqrt(explained)


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
