"""How often each column is chosen: in half-samples of the rows, and in the training folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.selection.candidates import Candidates
from tamis.selection.comparison.configurations import ALL, NONE, Comparer, Configuration
from tamis.selection.comparison.folds import half_samples
from tamis.selection.comparison.scores import NOT_KNOWN, Estimate
from tamis.selection.comparison.stability import stability_index

PAIRS = 25  # of half-samples


def half_sample_choices(comparer: Comparer, choice: Configuration, groups: np.ndarray | None) -> np.ndarray:
    """(M, p) which columns each half-sample chooses; M = 0 where there is nothing to choose."""
    table = comparer.table
    if choice.method in (NONE, ALL):
        return np.zeros((0, table.p), dtype=bool)
    method = comparer.method(choice.method)
    halves = half_samples(PAIRS, table.n, groups, table.codes, comparer.seed)
    pieces = [comparer.sequence_work(method, rows, f"half {k}") for k, rows in enumerate(halves)]
    comparer.executor.do(pieces, table, "choosing in half-samples", share=0.9)
    found = [comparer.subset(comparer.executor.outcomes.get(piece.key), choice.size) for piece in pieces]
    chosen = [np.isin(np.arange(table.p), columns) for columns in found if columns is not None]
    return np.array(chosen, dtype=bool).reshape(-1, table.p)


def stability(Z: np.ndarray, candidates: Candidates) -> Estimate:
    """Of choices (M, p) among what could be chosen: kept columns are left out, a group of columns counts once. Not a
    number of fewer than two choices."""
    return stability_index(Z[:, candidates.first_columns]) if len(Z) > 1 else NOT_KNOWN


def frequency_table(
    comparer: Comparer, Z: np.ndarray, choice: Configuration, features: list[int]
) -> dict[str, list[Any]]:
    """One row per column, those chosen most often first."""
    names, total = comparer.table.names, len(comparer.splits)
    share, folds = _shares(Z, choice), _fold_counts(comparer, choice)
    recommended = np.isin(np.arange(len(names)), features)
    order = np.lexsort((-folds, ~recommended & (len(Z) == 0), -np.nan_to_num(share)))
    return {
        "column": [names[j] for j in order],
        "recommended": [bool(recommended[j]) for j in order],
        "frequency": [float(share[j]) for j in order],
        "folds": [f"{folds[j]} of {total}" for j in order],
    }


def _shares(Z: np.ndarray, choice: Configuration) -> np.ndarray:
    """(p,) of the half-samples; 0 and 1 where none and all columns are chosen, NaN where nothing was drawn."""
    if len(Z):
        return np.asarray(Z.mean(axis=0))
    return np.full(Z.shape[1], {NONE: 0.0, ALL: 1.0}.get(choice.method, np.nan))


def _fold_counts(comparer: Comparer, choice: Configuration) -> np.ndarray:
    counts = np.zeros(comparer.table.p, dtype=int)
    for j in range(len(comparer.splits)):
        counts[list(comparer.columns_in_split(choice, j) or ())] += 1
    return counts
