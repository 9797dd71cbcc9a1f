"""The answer of ``tamis compare`` on a terminal."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from tamis.cli.console import data_notes

MOST_ROWS = 20


def columns_table(summary: dict[str, Any]) -> Table:
    """The most frequent columns, ✓ at the recommended ones; their p-values alone, and what can take their place."""
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True, padding=(0, 2, 0, 0))
    numbers = ("half-samples", "folds", "alone, p")
    for name in ("", "column", *numbers, "instead"):
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    rows = [c for i, c in enumerate(summary["frequencies"]) if c["recommended"] or (i < MOST_ROWS and c["frequency"])]
    for c in rows:
        share = "–" if c["frequency"] is None else f"{c['frequency']:.2f}"
        alone = "–" if c["p"] is None else f"{c['p']:.3f}"
        cells = ("✓" if c["recommended"] else "", c["column"], share, c["folds"], alone, ", ".join(c["instead"]))
        table.add_row(*map(Text, cells), style="bold" if c["recommended"] else None)
    return table


def left_out_notes(summary: dict[str, Any]) -> list[str]:
    return data_notes({"data": {"left_out": summary["data"]["left_out"], "warnings": []}})
