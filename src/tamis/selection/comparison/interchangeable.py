"""Columns that can stand in for chosen ones: redundant, or no worse in their place on rows left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from tamis.selection.comparison.configurations import Comparer, Configuration
from tamis.selection.comparison.executor import FitWork
from tamis.selection.comparison.learners import Learner, RowPredictions
from tamis.selection.comparison.resampling import Predictions, fold_scores
from tamis.selection.comparison.scores import Score, split_predictions
from tamis.selection.comparison.selection_rule import FoldScores, Rule
from tamis.selection.comparison.table import ComparisonTable

RELATED = 0.5  # |correlation of ranks| from which a swap is tried
REDUNDANT = 0.99
TRIED = 3  # swaps for one column
MOST_CHOSEN = 20  # columns of a larger set are only looked at for redundant ones
MOST_ROWS = 5000


@dataclass(frozen=True)
class Interchangeable:
    """A column that can stand in for a chosen one.

    ``correlation`` is that of the two (of ranks); ``change`` ± ``error`` is what swapping them does to the score of the
    set on rows left out, NaN where they are ``redundant``: equal in all but scale, and not tried.
    """

    column: Any
    correlation: float
    redundant: bool
    change: float
    error: float


def find_interchangeable(
    comparer: Comparer, choice: Configuration, chosen: list[int], score: Score, rule: Rule
) -> dict[int, list[Interchangeable]]:
    """For each chosen column those that are redundant with it (|correlation of ranks| ≥ 0.99), and of the three most
    related others (≥ 0.5) those whose place in the set costs no more than one standard error of the nested score.
    """
    related = {j: _related(comparer.table, j, chosen) for j in chosen}
    tried = [(j, k) for j in chosen for k, r in related[j] if r < REDUNDANT and len(chosen) <= MOST_CHOSEN]
    changes = _swap_changes(comparer, choice, tried, score, rule)
    out: dict[int, list[Interchangeable]] = {}
    for j in chosen:
        found = []
        for k, r in related[j]:
            if r >= REDUNDANT:
                found.append(Interchangeable(comparer.table.names[k], r, True, np.nan, np.nan))
            elif (j, k) in changes and changes[j, k][0] >= -changes[j, k][1]:
                found.append(Interchangeable(comparer.table.names[k], r, False, *changes[j, k]))
        out[j] = found
    return out


def _related(table: ComparisonTable, j: int, chosen: list[int]) -> list[tuple[int, float]]:
    """(column, |correlation of ranks|) of the most related columns that were not chosen, redundant ones all."""
    ranks = _ranks(table)
    if ranks is None or not ranks[:, j].any():
        return []
    r = np.abs(ranks.T @ ranks[:, j])
    r[chosen] = 0.0
    order = np.argsort(-r, kind="stable")
    redundant = [int(k) for k in order if r[k] >= REDUNDANT]
    others = [int(k) for k in order[: TRIED + len(redundant)] if RELATED <= r[k] < REDUNDANT]
    return [(k, float(r[k])) for k in [*redundant, *others[:TRIED]]]


def _ranks(table: ComparisonTable) -> np.ndarray | None:
    """Columns of ranks, centred, of length 1 each; 0 for labels of more than two kinds, which have no order."""
    if sp.issparse(table.X):
        return None
    columns = table.__dict__.get("_rank_columns")
    if columns is None:
        step = max(1, table.n // MOST_ROWS)
        X = np.asarray(table.X[::step], dtype=np.float64)
        ranks = rankdata(np.where(np.isnan(X), np.nanmedian(X, axis=0) if np.isnan(X).any() else 0.0, X), axis=0)
        ranks -= ranks.mean(axis=0)
        length = np.sqrt((ranks**2).sum(axis=0))
        unordered = np.array([levels is not None and len(levels) > 2 for levels in table.levels])
        columns = np.divide(ranks, length, out=np.zeros_like(ranks), where=(length > 0) & ~unordered)
        object.__setattr__(table, "_rank_columns", columns)
    return np.asarray(columns)


def _swap_changes(
    comparer: Comparer, choice: Configuration, tried: list[tuple[int, int]], score: Score, rule: Rule
) -> dict[tuple[int, int], tuple[float, float]]:
    """(change, standard error) of the nested score with column k in the place of j, wherever a training fold chose j;
    none of a column that no fold chose.
    """
    learner = comparer.learner(choice.learner)
    own = [comparer.columns_in_split(choice, s) or () for s in range(len(comparer.splits))]
    tried = [(j, k) for j, k in tried if any(j in columns for columns in own)]
    if not tried or learner is None:
        return {}
    swapped = [[tuple(k if i == j else i for i in columns) for columns in own] for j, k in tried]
    found = subset_scores(comparer, learner, [own, *swapped], score, "swapping columns", share=0.95)
    if found is None:
        return {}
    done, scores = found
    base = float(scores.mean[0, 0])
    difference, error = rule.differences(scores, np.array([0]))
    return {
        tried[i - 1]: (
            float(score.reported(base - difference[0, at]) - score.reported(base)),
            score.reported_error(base, float(error[0, at])),
        )
        for at, i in enumerate(done)
        if i > 0
    }


def subset_scores(
    comparer: Comparer,
    learner: Learner,
    subsets: Sequence[Sequence[tuple[int, ...]]],
    score: Score,
    stage: str,
    share: float = 1.0,
) -> tuple[list[int], FoldScores] | None:
    """Which subsets, given for each split, were finished, and their scores; None where the first was not."""
    pieces, keys = [], []
    for j, split in enumerate(comparer.splits):
        here = [(comparer.fit_key(learner, j, subset[j]), subset[j]) for subset in subsets]
        keys.append([key for key, _ in here])
        pieces += [FitWork(learner, *split, dict(here[a : a + 4])) for a in range(0, len(here), 4)]
    comparer.executor.do(pieces, comparer.table, stage, share)
    done = [i for i in range(len(subsets)) if all(_is_done(comparer, row[i]) for row in keys)]
    if 0 not in done:
        return None
    splits = [
        split_predictions(
            comparer.table,
            *split,
            [RowPredictions(*comparer.executor.outcomes[row[i]].arrays) for i in done],
            [learner.probabilities] * len(done),
        )
        for split, row in zip(comparer.splits, keys, strict=True)
    ]
    place = np.tile(np.arange(len(done))[:, None], (1, len(splits)))
    weight = np.ones(comparer.table.n) if comparer.table.weight is None else comparer.table.weight
    return done, fold_scores(Predictions(splits, place), score, weight[:, None])


def _is_done(comparer: Comparer, key: str) -> bool:
    found = comparer.executor.outcomes.get(key)
    return found is not None and not found.failure
