"""Codes and atoms in turn, rows read again for every sweep: nothing is kept of them but statistics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.dictionary.alternation import Progress, Upkeep
from tamis.dictionary.coders.base import Coder
from tamis.dictionary.replacement import replaced
from tamis.dictionary.updates.base import Update
from tamis.sources import Source
from tamis.stats import collect
from tamis.stats.code_statistics import CodeStatistics, Coding, coded_statistics

N_WORST = 32  # rows represented worst that a pass keeps, to become atoms


class Passes:
    """A pass codes all rows, then all atoms are updated."""

    def __init__(self, source: Source, coder: Coder, update: Update, upkeep: Upkeep, D: np.ndarray) -> None:
        self.source, self.coder, self.update, self.upkeep, self.D = source, coder, update, upkeep, D

    def sweeps(self) -> Iterator[Progress]:
        while True:
            total = collect(self.source, Coding(self.coder, self.D, N_WORST))[0].total
            D, change = self.update.update(self.D, total)
            total = total.rescaled(change)
            value = total.objective(D)
            self.D = kept_up(D, total, self.upkeep)
            yield Progress(self.D, value, total)


class BatchPasses(Passes):
    """Atoms are updated after every batch of a pass. What the last pass left counts for the share of rows to come."""

    def sweeps(self) -> Iterator[Progress]:
        last: CodeStatistics | None = None
        while True:
            total = CodeStatistics.zero(*self.D.shape)
            for X in self._batches():
                total = total.merge(coded_statistics(self.coder, X, self.D, n_worst=N_WORST)[0])
                to_come = 0.0 if last is None else max(0.0, 1 - total.n_rows / last.n_rows)
                given = total if last is None else last.forgotten(to_come).merge(total)
                self.D = self.update.update(self.D, given)[0]
            value = total.objective(self.D)
            self.D = kept_up(self.D, total, self.upkeep)
            last = total
            yield Progress(self.D, value, total)

    def _batches(self) -> Iterator[Any]:
        """Rows in batches of the asked size, whatever blocks they come in."""
        size, rest = self.update.batch_size or 1, None
        for block in self.source.blocks():
            X = block.X if rest is None else _stacked(rest, block.X)
            whole = X.shape[0] // size * size
            for i in range(0, whole, size):
                yield X[i : i + size]
            rest = X[whole:] if whole < X.shape[0] else None
        if rest is not None:
            yield rest


def kept_up(D: np.ndarray, total: CodeStatistics, upkeep: Upkeep) -> np.ndarray:
    """Atoms that no code used become the rows represented worst; atoms too close are turned apart."""
    unused = total.usage < 0.5
    if upkeep.replace and unused.any():
        D = replaced(D, unused, total.worst[total.worst_squares > 0], upkeep.rng)
    return upkeep.kept_apart(D)


def _stacked(above: Any, below: Any) -> Any:
    return sp.vstack([above, below], format="csr") if sp.issparse(above) else np.concatenate([above, below])
