"""Columns that look like identifiers: do they tell something about the target all the same?

Years, ranks and doses may be whole numbers in even steps as keys are; what tells them apart is that the target depends
on them. The range of the column is cut into equal parts, and the target is compared between them: numbers by the F-test
of a one-way analysis of variance, classes by Pearson's χ². Related means that chance alone is as uneven in fewer than
one of a thousand tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import chdtrc, fdtrc

from tamis.sources.base import Source
from tamis.sources.learnable import decide_task

CHANCE = 1e-3
PARTS = 10
ROWS_PER_PART = 5  # on average, as the χ² test asks


def related_to_target(source: Source, columns: Sequence[int]) -> list[int]:
    """Those of the columns, numbers without gaps, on which the target depends."""
    target = source.schema.target
    if target is None or not target.readable or not columns:
        return []
    related = _classes_depend if decide_task(target) == "classification" else _numbers_depend
    y, parts = _parts(source, columns)
    return [j for j, part in zip(columns, parts.T, strict=True) if related(part, y)]


def _parts(source: Source, columns: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The target, and in which part of its range each column is: one byte a cell."""
    known = [source.schema.columns[j] for j in columns]
    low = np.array([c.low for c in known], dtype=np.float64)
    width = np.array([c.high for c in known], dtype=np.float64) - low
    y, parts = [], []
    for block in source.blocks(columns):
        y.append(np.asarray(block.y))
        share = (np.asarray(block.X) - low) / width
        parts.append(np.minimum(share * PARTS, PARTS - 1).astype(np.int8))
    return np.concatenate(y), _coarser(np.concatenate(parts))


def _coarser(parts: np.ndarray) -> np.ndarray:
    """Fewer parts where there are few rows."""
    count = max(2, min(PARTS, len(parts) // ROWS_PER_PART))
    return parts if count == PARTS else (parts.astype(np.int64) * count // PARTS).astype(np.int8)


def _numbers_depend(part: np.ndarray, y: np.ndarray) -> bool:
    """F = (Σ n_g (ȳ_g − ȳ)² / (G − 1)) / (Σ (y − ȳ_g)² / (n − G))."""
    used, group = np.unique(part, return_inverse=True)
    n, G = len(y), len(used)
    r = y - y.mean()
    rows = np.bincount(group)
    means = np.bincount(group, weights=r) / rows
    between = float(rows @ means**2)
    within = float(np.square(r - means[group]).sum())
    if G < 2 or n <= G or between == 0:
        return False
    return within == 0 or fdtrc(G - 1, n - G, between / (G - 1) / (within / (n - G))) < CHANCE


def _classes_depend(part: np.ndarray, y: np.ndarray) -> bool:
    """χ² = Σ (observed − expected)² / expected."""
    used, group = np.unique(part, return_inverse=True)
    classes, label = np.unique(y, return_inverse=True)
    seen = np.bincount(group * len(classes) + label, minlength=len(used) * len(classes)).reshape(len(used), -1)
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / len(y)
    freedom = (len(used) - 1) * (len(classes) - 1)
    return freedom > 0 and chdtrc(freedom, float((np.square(seen - expected) / expected).sum())) < CHANCE
