"""What single columns reach by chance: scores beside those of shuffled targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import as_object, check_count
from tamis._core.errors import InputError
from tamis._core.random import as_rng
from tamis.base.frames import as_frame
from tamis.base.splits import as_groups
from tamis.base.training_data import open_source
from tamis.selection.columns import column_names
from tamis.selection.evaluation import EVALUATIONS, Evaluation, PartitionSums
from tamis.selection.evaluation.counting import PartitionEvaluation
from tamis.selection.evaluation.shuffled_target import shuffles_within
from tamis.selection.significance import LEVEL, N_SHUFFLES, significance


@dataclass(frozen=True)
class NoiseFloor:
    """The score of every column beside what noise reaches.

    ``floor``: above it a column's score is significant at 5 %, all columns considered; ``pvalues``: the share of
    shuffled tables in which any column stands out as much (max-T), the true table counted in; ``n_rows``: the rows
    that were shuffled, of a large table not all.
    """

    names: list[Any]
    scores: np.ndarray
    floor: np.ndarray
    pvalues: np.ndarray
    n_shuffles: int
    n_rows: int

    @property
    def significant(self) -> np.ndarray:
        """Which columns tell more than noise would, at 5 %."""
        return self.pvalues <= LEVEL

    def frame(self, library: str | None = None) -> Any:
        """A row for each column, the smallest p-value first."""
        order = np.lexsort((-self.scores, self.pvalues))
        columns = {"column": [self.names[j] for j in order]}
        columns |= {name: getattr(self, name)[order].tolist() for name in ("scores", "floor", "pvalues")}
        return as_frame(columns, library)


def column_noise_floor(
    X: Any,
    y: Any = None,
    *,
    evaluation: Any = "information_gain",
    groups: Any = None,
    discrete: Any = "auto",
    sample_weight: Any = None,
    n_shuffles: int = N_SHUFFLES,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> NoiseFloor:
    """Scores of single columns beside those of shuffled targets, for classes and for numbers.

    The target is shuffled ``n_shuffles`` times (at least 199) over the rows, or within ``groups``, one label per row;
    bins that follow the target are fitted again to each. Each column's score is put on the scale of its own chance, so
    that columns of many values do not own the largest; p_j = (1 + #{b : max_k z_k⁽ᵇ⁾ ≥ z_j}) / (B + 1). On a table of
    noise the smallest p-value is ≤ α in at most a share α of the cases, whatever the columns have to do with each
    other. Of more than 524,288 cells some rows are shuffled, 2,048 at least, as many of each class as there are.
    ``evaluation`` is one of counts, or its name.

    References: Westfall and Young (1993).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> column_noise_floor(X, y).significant.tolist()
    [True, True, True, True]
    """
    measure = as_object("evaluation", evaluation, EVALUATIONS, Evaluation)
    if not isinstance(measure, PartitionEvaluation):
        raise InputError(
            f"evaluation must be one of counts, as InformationGain, got {type(measure).__name__}", argument="evaluation"
        )
    n_shuffles = check_count("n_shuffles", n_shuffles, at_least=199)
    rng = as_rng(random_state)
    source = open_source(X, y, sample_weight, discrete, "column_noise_floor")
    whole = measure.prepare(source, n_jobs=n_jobs)
    state, rows = measure.tested(whole), measure.tested_rows(whole)
    cells = _as_cells(state, rows, None if groups is None else as_groups(groups, len(whole.table.y)))
    every = range(source.n_features)

    def draw(n: int) -> np.ndarray:
        sums = state.shuffled((), every, shuffles_within(*cells, len(state.table.y), n, rng))
        return measure.compare(state, sums.reshape(-1, state.width)).reshape(sums.shape[:2])

    found = significance(measure.gains(state, (), every), draw, n_shuffles)
    scores = measure.gains(whole, (), every)
    return NoiseFloor(column_names(X, source), scores, found.floor, found.pvalues, n_shuffles, len(state.table.y))


def _as_cells(state: PartitionSums, rows: np.ndarray, labels: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The rows of each group, one group after another, and where each begins."""
    if labels is None:
        return state.whole
    codes = np.unique(labels[rows], return_inverse=True)[1]
    order = np.argsort(codes, kind="stable").astype(np.int32)
    starts = np.r_[np.flatnonzero(np.diff(codes[order], prepend=-1)), len(order)].astype(np.int32)
    y = state.table.y[order]
    if not (np.maximum.reduceat(y, starts[:-1]) > np.minimum.reduceat(y, starts[:-1])).any():
        raise InputError(
            "groups: the target is the same in all rows of each group, so there is nothing to shuffle within them: "
            "leave groups out",
            argument="groups",
        )
    return order, starts
