"""Columns that can stand in for chosen ones: redundant, or no worse in their place on rows left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from tamis.selection.comparison.configurations import Comparer
from tamis.selection.comparison.learners import Learner
from tamis.selection.comparison.resampling import Predictions, fold_scores
from tamis.selection.comparison.result import Interchangeable
from tamis.selection.comparison.rule import Rule
from tamis.selection.comparison.scores import Score, split_predictions
from tamis.selection.comparison.table import ComparisonTable
from tamis.selection.comparison.work import FitWork

RELATED = 0.5  # |correlation of ranks| from which a swap is tried
REDUNDANT = 0.99
TRIED = 3  # swaps for one column
MOST_CHOSEN = 20  # columns of a larger set are only looked at for redundant ones
MOST_ROWS = 5000


def find_interchangeable(
    comparer: Comparer, chosen: list[int], learner: Learner | None, score: Score, rule: Rule
) -> dict[int, list[Interchangeable]]:
    """For each chosen column those that are redundant with it (|correlation of ranks| ≥ 0.99), and of the three most
    related others (≥ 0.5) those whose place in the set costs no more than one standard error of the difference.
    """
    related = {j: _related(comparer.table, j, chosen) for j in chosen}
    tried = [
        (j, k)
        for j in chosen
        for k, r in related[j]
        if r < REDUNDANT and learner is not None and len(chosen) <= MOST_CHOSEN
    ]
    changes = _swap_changes(comparer, chosen, tried, learner, score, rule)
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
    held = table.__dict__.get("_rank_columns")
    if held is None:
        step = max(1, table.n // MOST_ROWS)
        X = np.asarray(table.X[::step], dtype=np.float64)
        ranks = rankdata(np.where(np.isnan(X), np.nanmedian(X, axis=0) if np.isnan(X).any() else 0.0, X), axis=0)
        ranks -= ranks.mean(axis=0)
        length = np.sqrt((ranks**2).sum(axis=0))
        unordered = np.array([levels is not None and len(levels) > 2 for levels in table.levels])
        held = np.divide(ranks, length, out=np.zeros_like(ranks), where=(length > 0) & ~unordered)
        object.__setattr__(table, "_rank_columns", held)
    return np.asarray(held)


def _swap_changes(
    comparer: Comparer, chosen: list[int], tried: list[Any], learner: Learner | None, score: Score, rule: Rule
) -> dict[tuple[int, int], tuple[float, float]]:
    """(change, standard error) of the score with one column in the place of another."""
    if not tried or learner is None:
        return {}
    subsets = [tuple(chosen), *(tuple(k if i == j else i for i in chosen) for j, k in tried)]
    S = subset_scores(comparer, learner, subsets, score, "swapping columns", share=0.95)
    if S is None:
        return {}
    done = [i for i in range(1, len(subsets)) if np.isfinite(S[i]).all()]
    difference, error = rule.differences(S[None], np.array([0]))
    return {tried[i - 1]: (-float(difference[0, i]), float(error[0, i])) for i in done}


def subset_scores(
    comparer: Comparer, learner: Learner, subsets: list[tuple[int, ...]], score: Score, stage: str, share: float = 1.0
) -> np.ndarray | None:
    """(n_subsets, J) shares of the splits in the scores of fixed subsets; NaN where a fit failed or time was up, None
    where the first subset itself has none."""
    keys = [[comparer.fit_key(learner, j, S) for S in subsets] for j in range(len(comparer.splits))]
    pieces = [
        FitWork(learner, *comparer.splits[j], dict(zip(keys[j][a : a + 4], subsets[a : a + 4], strict=True)))
        for a in range(0, len(subsets), 4)
        for j in range(len(comparer.splits))
    ]
    comparer.bench.do(pieces, comparer.table, stage, share)
    found = [[comparer.bench.outcomes.get(key) for key in row] for row in keys]
    whole = [i for i in range(len(subsets)) if all(row[i] is not None and not row[i].failure for row in found)]  # type: ignore[union-attr]
    if 0 not in whole:
        return None
    threshold = 0.5 if learner.probabilities else 0.0
    splits = [
        split_predictions(
            comparer.table, *comparer.splits[j], [found[j][i].arrays[0] for i in whole], [threshold] * len(whole)  # type: ignore[union-attr]
        )
        for j in range(len(comparer.splits))
    ]  # fmt: skip
    place = np.tile(np.arange(len(whole))[:, None], (1, len(splits)))
    weight = np.ones(comparer.table.n) if comparer.table.weight is None else comparer.table.weight
    out = np.full((len(subsets), len(splits)), np.nan)
    out[whole] = fold_scores(Predictions(splits, place), score, weight[:, None])[0]
    return out
