"""A statistic is a sum over row blocks: a commutative monoid, hence computed anywhere and merged."""

from __future__ import annotations

from typing import Protocol, Self

from tamis.sources.base import Block


class Statistic(Protocol):
    """``Thing().of(block)`` is the statistic of one block; ``a.merge(b)`` that of both.

    ``merge`` may reuse the memory of ``a``.

    An instance that has seen nothing carries the parameters (bin edges, folds, …) and is the neutral element.
    """

    def of(self, block: Block) -> Self: ...

    def merge(self, other: Self) -> Self: ...
