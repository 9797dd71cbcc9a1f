"""What a difference from each neighbour counts."""

from __future__ import annotations

import numpy as np

from tamis._core.checks import check_choice
from tamis.selection.relief.table import ReliefTable
from tamis.selection.relief.weight_sums import NearestNeighbours, NearestRows, NeighbourWeighting, neighbour_counts


def class_weights(table: ReliefTable, miss_weight: str) -> np.ndarray:
    """(K, K) what the neighbours of class d count together to a row of class c: −1 for hits."""
    kind = check_choice("miss_weight", miss_weight, ("conditional", "prior", "equal"))
    labels = table.labels
    weight = table.weight if len(table.weight) else None
    mass = np.bincount(labels.y, weights=weight, minlength=labels.n_classes).astype(np.float64)
    share = np.full(labels.n_classes, 1 / labels.n_classes) if kind == "equal" else mass / mass.sum()
    worth = np.tile(share, (labels.n_classes, 1))
    if kind != "prior":
        worth /= (1 - share)[:, None]
    np.fill_diagonal(worth, -1.0)
    return worth


def equal_weights(worth: np.ndarray) -> NeighbourWeighting:
    """The neighbours of a class share what it is worth."""

    def share(table: ReliefTable, queries: np.ndarray, near: NearestRows) -> NearestNeighbours:
        there = near.counts.sum(axis=2)
        of_class = worth[table.labels.y[queries]]
        each = np.divide(of_class, there, out=np.zeros_like(of_class), where=there > 0)
        return NearestNeighbours.of(near.rows, near.counts, each[:, :, None])

    return share


def nearest_hit_and_miss(table: ReliefTable, queries: np.ndarray, near: NearestRows) -> NearestNeighbours:
    """The nearest row of the own class, and of all others the nearest one."""
    m, n_classes, width = near.rows.shape
    own = table.labels.y[queries]
    hits, counts = near.rows[np.arange(m), own], near.counts[np.arange(m), own]
    others = np.arange(n_classes) != own[:, None]
    rows = near.rows[others].reshape(m, -1)
    order = np.lexsort((rows, near.distances[others].reshape(m, -1)), axis=-1)[:, :width]
    misses = np.take_along_axis(rows, order, axis=1)
    counts = np.concatenate([counts, neighbour_counts(table, queries, misses, 1)], axis=1)
    signs = np.repeat([-1.0, 1.0], [hits.shape[1], width])
    return NearestNeighbours.of(np.concatenate([hits, misses], axis=1), counts, signs)


def rank_weights(sigma: float) -> NeighbourWeighting:
    """Neighbours count by their rank and by how far their target is: for the difference of P(differ | target
    differs) and P(differ | it does not)."""

    def share(table: ReliefTable, queries: np.ndarray, near: NearestRows) -> NearestNeighbours:
        numbers = table.labels.numbers
        assert numbers is not None
        rows, counts = near.rows[:, 0], near.counts[:, 0]
        end = np.cumsum(counts, axis=1)
        falls, squares = (_up_to(end, s) - _up_to(end - counts, s) for s in (sigma, sigma / np.sqrt(2)))
        total = falls.sum(axis=1, keepdims=True)
        influence = np.divide(falls, total, out=np.zeros_like(falls), where=total > 0)
        squares = np.divide(squares, total**2, out=np.zeros_like(falls), where=total > 0)
        apart = np.abs(numbers[rows] - numbers[queries][:, None])
        weight = table.weight[queries] if len(table.weight) else np.ones(len(queries))
        far = float(weight @ (influence * apart).sum(axis=1)) / weight.sum()
        near_by = float(weight @ influence.sum(axis=1)) / weight.sum() - far
        worth = apart * _ratio(far) - (1 - apart) * _ratio(near_by)
        return NearestNeighbours(rows, influence * worth, squares * worth**2)

    return share


def _ratio(x: float) -> float:
    return 1 / x if x > 0 else 0.0


def _up_to(ranks: np.ndarray, sigma: float) -> np.ndarray:
    """Σ exp(−(r / σ)²) over the ranks r = 1 … ``ranks``, of a broken rank its part."""
    whole = np.floor(ranks).astype(np.intp)
    falls = np.exp(-((np.arange(1, whole.max(initial=0) + 2) / sigma) ** 2))
    sums = np.concatenate([[0.0], np.cumsum(falls)])
    return sums[whole] + (ranks - whole) * falls[whole]
