"""Where rows come from: arrays, sparse matrices, data frames, CSV and Parquet files."""

from tamis.sources.base import Block, Column, Kind, Schema, Source, gather
from tamis.sources.door import as_source

__all__ = ["Block", "Column", "Kind", "Schema", "Source", "as_source", "gather"]
