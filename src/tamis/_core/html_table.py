"""Small tables for notebooks; whatever comes from the user's data is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from tamis._core.text import short


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A sentence above a table; the header may be left out."""
    head = f"<thead><tr>{_cells('th', header)}</tr></thead>" if header else ""
    body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    return f"<div><p><b>{html.escape(caption)}</b></p><table>{head}<tbody>{body}</tbody></table></div>"


def _cells(tag: str, values: Iterable[Any]) -> str:
    return "".join(f"<{tag}>{html.escape(short(_written(value)))}</{tag}>" for value in values)


def _written(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
