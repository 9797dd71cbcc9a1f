"""The history of a search: every evaluated subset with its score, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tamis._core.html_table import html_table
from tamis._core.text import short
from tamis.base.frames import as_frame
from tamis.selection.search.base import ColumnChanges, Index, SubsetBatch

COLUMNS = ("round", "parent", "added", "removed", "size", "score", "spread", "folds", "seconds", "kept", "reason")


class _Round(NamedTuple):
    """The subsets of one round, their scores, the seconds they took, and what each score is a mean of."""

    batch: SubsetBatch
    scores: np.ndarray
    seconds: float
    spreads: np.ndarray
    folds: Sequence[Sequence[float]] | np.ndarray


class History:
    """One row per evaluated subset; ``len(history)`` counts the evaluations, ``history["score"]`` is a column.

    =========  ====================================================================================================
    round      the round of the search it was evaluated in, from 0
    parent     row of the subset it was made from, −1 for the start
    added      the columns that came (names, or positions without names), a tuple
    removed    the columns that went, a tuple
    size       columns of the subset
    score      its score
    spread     standard deviation of the score where it is a mean of several, else NaN
    folds      the scores it is the mean of, a tuple; () where it is no mean over folds
    seconds    its share of the time of the round
    kept       whether the search went on with it, or returned it
    reason     why it was kept, or why the search ended
    =========  ====================================================================================================
    """

    def __init__(self, names: Sequence[Any], sizes: Sequence[int] | None = None, n_kept: int = 0) -> None:
        self.names = list(names)
        self._sizes = None if sizes is None or all(s == 1 for s in sizes) else list(sizes)
        self._n_kept = n_kept
        self._rounds: list[_Round] = []

    def add(
        self,
        batch: SubsetBatch,
        scores: np.ndarray,
        seconds: float,
        spreads: np.ndarray | None = None,
        folds: Sequence[Sequence[float]] | np.ndarray | None = None,
    ) -> None:
        """One round; ``folds`` are the scores of the folds of each subset, () where it has none."""
        spreads = np.full(len(scores), np.nan) if spreads is None else spreads
        folds = [()] * len(scores) if folds is None else folds
        self._rounds.append(_Round(batch, scores, seconds, spreads, folds))  # at once: Ctrl-C may come at any time

    def _batches(self) -> list[SubsetBatch]:
        return [each.batch for each in self._rounds]

    def __len__(self) -> int:
        return sum(len(each.batch) for each in self._rounds)

    def __repr__(self) -> str:
        """A line, and the best subset of each size that the search went on with."""
        lines = [f"  {size:>4}  {score:<10.4g} {step}" for size, score, step in self._outline_rows()]
        return "\n".join([self._caption(), *lines])

    def _repr_html_(self) -> str:
        return html_table(self._caption(), ("columns", "score", "step"), self._outline_rows())

    def _caption(self) -> str:
        plural = ["" if n == 1 else "s" for n in (len(self), len(self._rounds))]
        what = f"{len(self):,} subset{plural[0]} evaluated in {len(self._rounds):,} round{plural[1]}"
        return f"{what}; the best of each size" if len(self) else what

    def _outline_rows(self, most: int = 20) -> list[tuple[int, float, str]]:
        """Size, score and step of the best subset of each size, the largest ones where there are many sizes."""
        size, score = self["size"], self["score"]
        return [(int(size[row]), float(score[row]), short(self.step(int(row)))) for row in self.outline()[-most:]]

    def keys(self) -> tuple[str, ...]:
        return COLUMNS

    def __iter__(self) -> Iterator[str]:
        return iter(COLUMNS)

    def __getitem__(self, column: str) -> np.ndarray:
        if column not in COLUMNS:
            raise KeyError(column)
        made: np.ndarray = getattr(self, f"_{column}")()
        return made

    def subset(self, row: int) -> tuple[Any, ...]:
        """The columns of the subset in this row beside those always kept, in the order in which they came."""
        batch, i = self.place(row)
        return tuple(self.names[j] for j in batch[i])

    def subsets(self) -> Iterator[tuple[SubsetBatch, int, float, float]]:
        """Every evaluated subset: the round it was part of, its position there, its score, and its spread."""
        for each in self._rounds:
            for i, (score, spread) in enumerate(zip(each.scores.tolist(), each.spreads.tolist(), strict=True)):
                yield each.batch, i, score, spread

    def step(self, row: int) -> str:
        """``+ a``, ``− b`` or both: what makes the subset in this row differ from the one it was made from."""
        batch, i = self.place(row)
        added, removed = batch.change(i)
        return " ".join([*(f"+ {self.names[j]}" for j in added), *(f"− {self.names[j]}" for j in removed)])

    def follows(self, rows: Sequence[int]) -> list[bool]:
        """Whether the subset in each of these rows was made from one in the row before or after it among them, or
        is the first of one candidate.
        """
        parents, positions = self["parent"], [int(row) for row in rows]
        beside = zip([-1, *positions], positions, [*positions[1:], -1], strict=False)
        return [
            parents[row] in (last, following) if parents[row] >= 0 else len(self.subset(row)) == 1
            for last, row, following in beside
        ]

    def outline(self) -> np.ndarray:
        """Rows of the best kept subset of each size, by growing size; the first of equals."""
        kept = np.flatnonzero(self["kept"] & ~np.isnan(self["score"]))
        size, score = self["size"][kept], self["score"][kept]
        order = np.lexsort((-score, size))
        return kept[order[np.unique(size[order], return_index=True)[1]]]

    def place(self, row: int) -> tuple[SubsetBatch, int]:
        """The round of a row, and where in the round it is."""
        row = range(len(self))[row]
        ends = np.cumsum([len(each.batch) for each in self._rounds])
        number = int(np.searchsorted(ends, row, side="right"))
        batch = self._rounds[number].batch
        return batch, row - int(ends[number]) + len(batch)

    def find(self, subset: Index) -> tuple[SubsetBatch, int, float] | None:
        """The last batch that holds the subset, its position there, and its score.

        Of steps from a parent, which may be many, only those that were kept are looked at.
        """
        columns = set(subset)
        for batch, scores in ((each.batch, each.scores) for each in reversed(self._rounds)):
            places = sorted(batch.kept) if isinstance(batch, ColumnChanges) else range(len(batch))
            for i in places:
                if len(batch[i]) == len(columns) and set(batch[i]) == columns:
                    return batch, i, float(scores[i])
        return None

    def _round(self) -> np.ndarray:
        return np.repeat(np.arange(len(self._rounds)), [len(each.batch) for each in self._rounds])

    def _parent(self) -> np.ndarray:
        row_of: dict[frozenset[int], int] = {}
        parents = []
        first = 0
        for batch in self._batches():
            parents.append(np.full(len(batch), row_of.get(frozenset(batch.parent or ()), -1)))
            row_of.update((frozenset(batch[i]), first + i) for i in batch.kept)
            first += len(batch)
        return np.concatenate([*parents, np.zeros(0, int)])

    def _added(self) -> np.ndarray:
        return self._named(0)

    def _removed(self) -> np.ndarray:
        return self._named(1)

    def _named(self, which: int) -> np.ndarray:
        changes = [q.change(i)[which] for q in self._batches() for i in range(len(q))]
        out = np.empty(len(changes), dtype=object)
        out[:] = [tuple(self.names[j] for j in change) for change in changes]
        return out

    def total(self, each: Sequence[int]) -> np.ndarray:
        """Per row, the sum over its subset of a number that each candidate has."""
        return np.array([sum(each[j] for j in q[i]) for q in self._batches() for i in range(len(q))], dtype=int)

    def _size(self) -> np.ndarray:
        if self._sizes is not None:
            return self.total(self._sizes) + self._n_kept
        return np.array([len(q[i]) for q in self._batches() for i in range(len(q))], dtype=int) + self._n_kept

    def _score(self) -> np.ndarray:
        return np.concatenate([*(each.scores for each in self._rounds), np.zeros(0)])

    def _spread(self) -> np.ndarray:
        return np.concatenate([*(each.spreads for each in self._rounds), np.zeros(0)])

    def _folds(self) -> np.ndarray:
        each = [tuple(float(score) for score in folds) for part in self._rounds for folds in part.folds]
        out = np.empty(len(each), dtype=object)
        out[:] = each
        return out

    def _seconds(self) -> np.ndarray:
        sizes = ((len(each.batch), each.seconds) for each in self._rounds)
        return np.concatenate([*(np.full(n, seconds / max(1, n)) for n, seconds in sizes), np.zeros(0)])

    def _kept(self) -> np.ndarray:
        return np.array([i in q.kept for q in self._batches() for i in range(len(q))], dtype=bool)

    def _reason(self) -> np.ndarray:
        return np.array([q.reasons.get(i, "") for q in self._batches() for i in range(len(q))], dtype=object)

    def frame(self, library: str | None = None) -> Any:
        """The history as a frame of the named library, else of the first of pandas, polars and pyarrow that is
        there, else a dict.
        """
        columns = {name: self[name].tolist() for name in COLUMNS}
        for name in ("added", "removed"):
            columns[name] = [" + ".join(str(c) for c in change) for change in columns[name]]
        columns["folds"] = [list(scores) for scores in columns["folds"]]
        return as_frame(columns, library)
