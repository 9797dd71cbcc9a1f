"""Distributions as small SVG pictures that stand in a row of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report.charts import PALETTE
from tamis.studies.distributions import Distribution

WIDTH, HEIGHT = 120, 30


def small_distribution(found: Distribution, labels: list[str]) -> dict[str, Any]:
    """Polygons, one for each class, to one scale; and the words of the picture."""
    top = float(found.shares.max()) or 1.0
    return {
        "shapes": [
            {"points": _points(row / top, found.levels is not None), "color": PALETTE[k % len(PALETTE)]}
            for k, row in enumerate(found.shares)
        ],
        "words": _words(found, labels),
    }


def _points(heights: np.ndarray, levels: bool) -> str:
    """Bars of levels, a line through the middles of bins for numbers; down to the ground at both ends."""
    n = len(heights)
    if levels:
        bars = [((j + 0.1, 0.0), (j + 0.1, h), (j + 0.9, h), (j + 0.9, 0.0)) for j, h in enumerate(heights)]
        corners = [corner for bar in bars for corner in bar]
    else:
        corners = [(0.5, 0.0), *((j + 0.5, h) for j, h in enumerate(heights)), (n - 0.5, 0.0)]
    return " ".join(f"{WIDTH * x / n:.1f},{HEIGHT - (HEIGHT - 2) * float(h):.1f}" for x, h in corners)


def _words(found: Distribution, labels: list[str]) -> str:
    """Where most rows of each class are, for those who do not see the picture."""
    return "; ".join(
        f"{label}{': ' if label else ''}{_where(found, row)}" for label, row in zip(labels, found.shares, strict=True)
    )


def _where(found: Distribution, shares: np.ndarray) -> str:
    top = int(shares.argmax())
    if found.levels is not None:
        return f"most often {found.levels[top]}"
    assert found.edges is not None
    low, high = found.edges
    step = (high - low) / len(shares)
    return f"most often {low + top * step:.3g} to {low + (top + 1) * step:.3g}"
