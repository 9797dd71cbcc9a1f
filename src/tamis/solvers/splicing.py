"""Good subsets of K columns, quickly: forward steps, then exchanges of columns until none helps.

Exchanges of several columns at once, those that would be missed least for those that would help most, are the splicing
of Zhu et al. (2020); in the end every single exchange is tried.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tamis._kernels.interruption import check_interrupted


class Subsets(Protocol):
    """What is asked about subsets of columns."""

    p: int
    yy: float  # twice the objective without columns
    tries: int  # columns that are tried in place of one

    def solve(self, S: np.ndarray) -> tuple[np.ndarray, float]: ...

    def gains(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...


ENOUGH = 1e-12  # of ½ yᵀy: a fall below it is rounding


def splice(statistics: Subsets, K: int, start: np.ndarray | None = None) -> tuple[np.ndarray, float, int]:
    """A subset of K columns that no exchange of two improves, its F, and how many exchanges were made."""
    starts = [start] if start is not None else []
    starts += [forward(statistics, K), backward(statistics, forward(statistics, min(2 * K, statistics.p)), K)]
    ends = [_exchanged(statistics, S) for S in {tuple(np.sort(S)): S for S in starts}.values()]
    S, value, _ = min(ends, key=lambda end: end[1])
    return np.sort(S), value, sum(swaps for _, _, swaps in ends)


def spliced_for(statistics: Subsets, S: np.ndarray, each: float) -> tuple[np.ndarray, float]:
    """A subset of least F + each · |S| that no column more or less and no splicing improves, and that sum."""
    value = statistics.solve(S)[1] + each * len(S)
    least = ENOUGH * statistics.yy
    while True:
        check_interrupted()
        gains, losses = statistics.gains(S)
        moves = []
        if len(S) < statistics.p and gains.max() > each:
            moves.append(np.append(S, int(np.argmax(gains))))
        if len(S) and losses.min() < each:
            moves.append(np.delete(S, int(np.argmin(losses))))
        ends = [(new, statistics.solve(new)[1] + each * len(new)) for new in moves]
        spliced = _spliced(statistics, S, value - each * len(S) - least) if len(S) else None
        if spliced is not None:
            ends.append((spliced[0], spliced[1] + each * len(S)))
        best = min(ends, key=lambda end: end[1], default=None)
        if best is None or not best[1] < value - least:
            return np.sort(S), value
        S, value = best


def forward(statistics: Subsets, K: int) -> np.ndarray:
    """The column that helps most, K times."""
    S = np.zeros(0, np.int64)
    for _ in range(K):
        check_interrupted()
        S = np.append(S, int(np.argmax(statistics.gains(S)[0])))
    return S


def backward(statistics: Subsets, S: np.ndarray, K: int) -> np.ndarray:
    """The column that is missed least leaves, until K are left."""
    while len(S) > K:
        S = np.delete(S, int(np.argmin(statistics.gains(S)[1])))
    return S


def _exchanged(statistics: Subsets, S: np.ndarray) -> tuple[np.ndarray, float, int]:
    value, swaps = statistics.solve(S)[1], 0
    least = ENOUGH * statistics.yy
    while True:
        check_interrupted()
        better = _spliced(statistics, S, value - least)
        better = _one_for_one(statistics, S, value - least) if better is None else better
        if better is None:
            return S, value, swaps
        S, value, swaps = *better, swaps + 1


def _spliced(statistics: Subsets, S: np.ndarray, below: float) -> tuple[np.ndarray, float] | None:
    """Several columns for as many: the fewest that bring F below."""
    gains, losses = statistics.gains(S)
    most = min(len(S), int((gains > 0).sum()), 5)
    best, worst = np.argsort(-gains, kind="stable")[:most], np.argsort(losses, kind="stable")[:most]
    for m in range(1, most + 1):
        new = np.append(np.delete(S, worst[:m]), best[:m])
        value = statistics.solve(new)[1]
        if value < below:
            return new, value
    return None


def _largest(gains: np.ndarray, n: int) -> list[int]:
    """Of the columns that may join, the n that help most."""
    best = [int(np.argmax(gains))] if n == 1 else np.argsort(-gains, kind="stable")[:n].tolist()
    return [j for j in best if np.isfinite(gains[j])]


def _one_for_one(statistics: Subsets, S: np.ndarray, below: float) -> tuple[np.ndarray, float] | None:
    """The best exchange of one column for another, over all of them."""
    found = None
    for i in range(len(S)):
        rest = np.delete(S, i)
        gains = statistics.gains(rest)[0]
        for j in _largest(gains, statistics.tries):
            new = np.append(rest, j)
            value = statistics.solve(new)[1]
            if value < below:
                found, below = (new, value), value
    return found
