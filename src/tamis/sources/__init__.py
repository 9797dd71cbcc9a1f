"""Where rows come from: arrays, sparse matrices, data frames, CSV, Parquet and Excel files, Dask."""

from tamis.sources.as_source import as_source, on_dask
from tamis.sources.base import Block, Column, Kind, Schema, Source, gather
from tamis.sources.encode import Encoded
from tamis.sources.learnable import check_learnable, decide_task, require_complete
from tamis.sources.views import Columns, Indicator, InMemory, SomeRows

__all__ = [
    "Block",
    "Column",
    "Columns",
    "Encoded",
    "InMemory",
    "Indicator",
    "Kind",
    "Schema",
    "SomeRows",
    "Source",
    "as_source",
    "check_learnable",
    "decide_task",
    "gather",
    "on_dask",
    "require_complete",
]
