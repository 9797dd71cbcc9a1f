"""How many entries a completion needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.warn import warn


@dataclass(frozen=True)
class RequiredEntries:
    """Of an m × n matrix of rank r: ``order`` is m r log² m with the longer side m, without its constant (Recht 2011);
    ``degrees_of_freedom`` r(m + n − r) are the least that can determine it.
    """

    m: int
    n: int
    rank: int
    order: float
    degrees_of_freedom: int

    @property
    def share(self) -> float:
        """The least share of observed entries."""
        return self.degrees_of_freedom / (self.m * self.n)

    def __str__(self) -> str:
        return (
            f"{self.m:,} × {self.n:,} of rank {self.rank}: at least {self.degrees_of_freedom:,} entries "
            f"({100 * self.share:.2g} %), and of the order of {self.order:,.0f} where they are observed at random"
        )


def required_entries(m: int, n: int, rank: int, observed: Any = None) -> RequiredEntries:
    """How many entries of an m × n matrix of a rank have to be observed to complete it.

    Given ``observed``, a boolean array (m, n), warns below the degrees of freedom and where a row or column has fewer
    entries than the rank, for then it is not determined.

    Examples
    --------
    >>> from tamis.lowrank import required_entries
    >>> needed = required_entries(2000, 1500, 10)
    >>> needed.degrees_of_freedom
    34900
    >>> print(required_entries(4, 5, 2))
    4 × 5 of rank 2: at least 14 entries (70 %), and of the order of 26 where they are observed at random
    """
    m, n = check_count("m", m), check_count("n", n)
    rank = check_count("rank", rank, at_most=min(m, n))
    long = max(m, n)
    found = RequiredEntries(m, n, rank, long * rank * float(np.log(long)) ** 2, rank * (m + n - rank))
    if observed is not None:
        mask = np.asarray(observed, dtype=bool)
        if mask.shape != (m, n):
            raise InputError(f"observed must have shape ({m}, {n}), got {mask.shape}", argument="observed")
        warn_of_few(found, int(mask.sum()), mask.sum(axis=1), mask.sum(axis=0))
    return found


def warn_of_few(needed: RequiredEntries, n_observed: int, by_row: np.ndarray, by_column: np.ndarray) -> None:
    """A UserWarning where the entries cannot determine a matrix of the rank."""
    if n_observed < needed.degrees_of_freedom:
        warn(
            f"{n_observed:,} observed entries are fewer than the {needed.degrees_of_freedom:,} degrees of freedom of "
            f"rank {needed.rank}: many matrices fit them",
            UserWarning,
        )
        return
    few = [
        f"{int((counts < needed.rank).sum()):,} {what}"
        for counts, what in ((by_row, "rows"), (by_column, "columns"))
        if (counts < needed.rank).any()
    ]
    if few:
        warn(
            f"{' and '.join(few)} have fewer than {needed.rank} observed entries: they are not determined", UserWarning
        )
