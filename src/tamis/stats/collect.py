"""One pass over a source leaves behind any number of statistics: sums over row blocks, computed anywhere and merged."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Protocol, Self

from tamis._core.progress import Steps, silent
from tamis._core.threads import blas_threads, free_thread, thread_count
from tamis._kernels.interruption import InterruptibleThreads
from tamis.sources.base import Block, Source, workers_of


class Statistic(Protocol):
    """``Thing().of(block)`` is the statistic of one block; ``a.merge(b)`` that of both.

    ``merge`` may reuse the memory of ``a``.

    An instance that has seen nothing carries the parameters (bin edges, folds, …) and is the neutral element.
    """

    def of(self, block: Block) -> Self: ...

    def merge(self, other: Self) -> Self: ...


def collect(source: Source, *statistics: Any, n_jobs: int | None = None, steps: Steps = silent) -> tuple[Any, ...]:
    """Every statistic of the whole source, in one pass over its partitions.

    Blocks are taken in order, computed on threads and merged in order, so the result does not depend on ``n_jobs``.
    An in-memory source has few, large blocks and the kernels themselves use the threads; elsewhere reading the next
    block, be it of the next partition, overlaps with computing this one. Partitions are not read side by side: each
    reader would hold its own buffers and its own copy of the statistics. Where the source has workers (Dask), they
    read the partitions, and a tree of merges leaves nothing but the result here.
    """
    workers = workers_of(source)
    if workers is not None:
        return tuple(workers.reduce(source.partitions(), OnePass(statistics), merged_pairs, steps))
    parts = _in_turn(source, statistics) if source.in_memory else _on_threads(source, statistics, thread_count(n_jobs))
    merged = statistics
    for part in steps(parts, "reading"):
        merged = merged_pairs(merged, part)
    return merged


def merged_pairs(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    """Every statistic of the first rows with that of the second."""
    return tuple(a.merge(b) for a, b in zip(first, second, strict=True))


class OnePass:
    """The task of collecting statistics from one partition."""

    def __init__(self, statistics: tuple[Any, ...]) -> None:
        self.statistics = statistics

    def for_part(self, part: Source) -> OnePass:
        """With what the statistics need to know of these rows only."""
        first, last = part.first_row, part.first_row + (part.n_rows or 0)
        return OnePass(tuple(s.for_rows(first, last) if hasattr(s, "for_rows") else s for s in self.statistics))

    def __call__(self, part: Source) -> tuple[Any, ...]:
        merged = self.statistics
        for block in part.blocks():
            merged = merged_pairs(merged, _of(self.statistics, block))
        return merged


def _blocks(source: Source) -> Iterator[Block]:
    for part in source.partitions():
        yield from part.blocks()


def _of(statistics: tuple[Any, ...], block: Block) -> tuple[Any, ...]:
    return tuple(s.of(block) for s in statistics)


def _in_turn(source: Source, statistics: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for block in _blocks(source):
        yield _of(statistics, block)


def _on_threads(source: Source, statistics: tuple[Any, ...], n_threads: int) -> Iterator[tuple[Any, ...]]:
    with InterruptibleThreads(n_threads, free_thread) as pool, blas_threads(1):
        waiting: deque[Any] = deque()
        try:
            for block in _blocks(source):
                waiting.append(pool.submit(_of, statistics, block))
                if len(waiting) > n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
