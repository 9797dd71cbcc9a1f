"""The weights of neighbours: what a difference from each of them counts."""

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
    prior = np.full(labels.n_classes, 1 / labels.n_classes) if kind == "equal" else mass / mass.sum()
    weights = np.tile(prior, (labels.n_classes, 1))
    if kind != "prior":
        weights /= (1 - prior)[:, None]
    np.fill_diagonal(weights, -1.0)
    return weights


def equal_weights(of_classes: np.ndarray) -> NeighbourWeighting:
    """The neighbours of a class share its weight equally."""

    def weigh(table: ReliefTable, queries: np.ndarray, near: NearestRows) -> NearestNeighbours:
        counts = near.counts.sum(axis=2)
        of_class = of_classes[table.labels.y[queries]]
        each = np.divide(of_class, counts, out=np.zeros_like(of_class), where=counts > 0)
        return NearestNeighbours.of(near.rows, near.counts, each[:, :, None])

    return weigh


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

    def weigh(table: ReliefTable, queries: np.ndarray, near: NearestRows) -> NearestNeighbours:
        numbers = table.labels.numbers
        assert numbers is not None
        rows, counts = near.rows[:, 0], near.counts[:, 0]
        end = np.cumsum(counts, axis=1)
        decay, squares = (_decay_up_to(end, s) - _decay_up_to(end - counts, s) for s in (sigma, sigma / np.sqrt(2)))
        total = decay.sum(axis=1, keepdims=True)
        influence = np.divide(decay, total, out=np.zeros_like(decay), where=total > 0)
        squares = np.divide(squares, total**2, out=np.zeros_like(decay), where=total > 0)
        apart = np.abs(numbers[rows] - numbers[queries][:, None])
        weight = table.weight[queries] if len(table.weight) else np.ones(len(queries))
        far = float(weight @ (influence * apart).sum(axis=1)) / weight.sum()
        near_by = float(weight @ influence.sum(axis=1)) / weight.sum() - far
        factor = apart * _inverse(far) - (1 - apart) * _inverse(near_by)
        return NearestNeighbours(rows, influence * factor, squares * factor**2)

    return weigh


def _inverse(x: float) -> float:
    return 1 / x if x > 0 else 0.0


def _decay_up_to(ranks: np.ndarray, sigma: float) -> np.ndarray:
    """Σ exp(−(r / σ)²) over the ranks r = 1 … ``ranks``, of a broken rank its part."""
    whole = np.floor(ranks).astype(np.intp)
    decay = np.exp(-((np.arange(1, whole.max(initial=0) + 2) / sigma) ** 2))
    sums = np.concatenate([[0.0], np.cumsum(decay)])
    return sums[whole] + (ranks - whole) * decay[whole]
