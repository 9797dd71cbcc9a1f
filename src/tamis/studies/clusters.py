"""Where a table is read and worked on: this process, or Dask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis.studies.question import option

if TYPE_CHECKING:
    from tamis.sources import Source

LOCAL = re.compile(r"local:([1-9]\d{0,3})")
ADDRESS = re.compile(r"\w+://\S+")


def where_to_work(text: str) -> str:
    """``local:4`` or the address of a scheduler."""
    if LOCAL.fullmatch(text) or ADDRESS.fullmatch(text):
        return text
    raise ValueError(f"{text!r} is neither local:N, N processes here, nor the address of a scheduler, tcp://host:port")


def dask_option() -> Any:
    return option(
        "Let Dask read and work on the parts of the table: local:4, four processes here, or the address of a "
        "scheduler whose workers see the same files.",
        default=None,
        parse=where_to_work,
        metavar="WHERE",
        shown="this process",
    )


@contextmanager
def cluster(where: str | None) -> Iterator[None]:
    """The client for what is asked within this block."""
    if where is None:
        yield
        return
    from tamis.sources.dask_workers import connected, local_cluster

    local = LOCAL.fullmatch(where)
    with local_cluster(int(local[1])) if local else connected(where):
        yield


def open_table(path: Path | None, where: str | None, target: str | None = None) -> Source:
    from tamis.sources import as_source, on_dask

    return as_source(path, target=target) if where is None else on_dask(path, target=target)
