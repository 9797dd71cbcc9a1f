"""Which rows are averaged over: all, some, or ever more until the first columns are settled."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from tamis._core.progress import Steps
from tamis.selection.relief.weight_sums import WeightAccumulator, WeightSums

FIRST = 256  # rows before the first look
DOUBT = 0.01  # how likely the settled columns may not be those that all rows would give, over all looks


@dataclass(frozen=True)
class SampledSums:
    """The sums over the rows drawn, which these are, and why no more were drawn."""

    sums: WeightSums
    queries: np.ndarray
    status: str


def add_rows(accumulator: WeightAccumulator, queries: np.ndarray) -> SampledSums:
    """The sums over these rows."""
    accumulator.extend(queries)
    return SampledSums(accumulator.result(), queries, "finished")


def add_rows_until_settled(
    accumulator: WeightAccumulator, n: int, k: int, rng: np.random.Generator, time_limit: float | None, steps: Steps
) -> SampledSums:
    """Rows in random order, twice as many at each look, until the first k columns are settled, time is up or there
    are no more. A Ctrl-C after the first look ends it too."""
    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    order = rng.permutation(n)
    ends = [*(FIRST << i for i in range(64) if FIRST << i < n), n]
    drawn, start = None, 0
    for end in steps(ends, "comparing rows", len(ends)):
        try:
            accumulator.extend(np.sort(order[start:end]))
            drawn = SampledSums(accumulator.result(), np.sort(order[:end]), "finished" if end == n else "settled")
        except KeyboardInterrupt:
            if drawn is None:
                raise
            break
        if end == n or is_settled(drawn.sums, k, end / n, len(ends)):
            return drawn
        if time.monotonic() >= deadline:
            return replace(drawn, status="time_limit")
        start = end
    assert drawn is not None
    return replace(drawn, status="interrupted")


def is_settled(sums: WeightSums, k: int, share: float, looks: int) -> bool:
    """Whether the first k columns would be those of all rows, of which ``share`` was drawn without replacement: every
    one of them leads every other by more than chance does, the doubt being shared by all pairs and looks."""
    mean, error = sums.mean, sums.row_error * np.sqrt(1 - share)
    order = np.argsort(-mean, kind="stable")
    first, rest = order[:k], order[k:]
    if not len(rest):
        return True
    lead = mean[first][:, None] - mean[rest]
    chance = np.hypot(error[first][:, None], error[rest])
    return bool((lead > norm.isf(DOUBT / (lead.size * looks)) * chance).all())
