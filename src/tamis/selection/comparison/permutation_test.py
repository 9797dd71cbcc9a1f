"""The whole comparison on shuffled targets: a p-value of the procedure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tamis.selection.comparison.scored_configurations import Scored


def procedure_pvalue(
    scored: Scored, groups: np.ndarray | None, times: int
) -> tuple[float | None, np.ndarray | None, list[str]]:
    """p = (1 + #)/(B + 1) of the score of the rule's choice less that of no column, under shuffled targets; these
    scores, and how many were finished where that is fewer than B. None without any.
    """
    null: list[float] = []
    unfinished: list[str] = []
    for b in range(times):
        value = _shuffle(scored, groups, b)
        if value is None:
            unfinished = [f"shuffles: {b} of {times}"]
            break
        null.append(value)
    if not null:
        return None, None, unfinished
    as_high = int(np.sum(np.array(null) >= scored.above_none - 1e-12))
    return (1 + as_high) / (len(null) + 1), np.array(null), unfinished


def _shuffle(scored: Scored, groups: np.ndarray | None, b: int) -> float | None:
    own = scored.comparer
    order = _permutation(groups, own.table.n, np.random.default_rng([own.seed, 6, b]))
    comparer = replace(own, table=own.table.with_target(order), tag=f"shuffle {b} ", _orders={})
    comparer.find_sequences(share=1.0)
    comparer.fit_all(share=1.0)
    if not all(comparer.split_sequence(m, j) for m in comparer.methods for j in range(len(comparer.splits))):
        return None
    if comparer.executor.status == "interrupted" or not comparer.executor.goes_on():
        return None
    value = Scored.of(comparer, scored.score).above_none
    for key in [key for key in comparer.executor.outcomes if key.split(" ", 1)[1].startswith(comparer.tag)]:
        del comparer.executor.outcomes[key]
    return value


def _permutation(groups: np.ndarray | None, n: int, rng: np.random.Generator) -> np.ndarray:
    """Rows in another order, within their groups."""
    order = rng.permutation(n)
    if groups is None:
        return order
    _, unit = np.unique(groups, return_inverse=True)
    out = np.empty(n, dtype=np.intp)
    out[np.argsort(unit, kind="stable")] = order[np.argsort(unit[order], kind="stable")]
    return out
