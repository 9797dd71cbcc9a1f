"""The answer of ``tamis select`` on a terminal: a table and sentences."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tamis.cli.console import data_notes, print_notes
from tamis.report.readable import readable
from tamis.report.words import score

MOST_ROWS = 25  # beyond these only chosen columns are printed; the report has them all


def print_selection(summary: dict[str, Any], out: Console, messages: Console) -> None:
    summary = readable(summary)
    first, *rest = summary["answer"]
    out.print(Text(first, style="bold"), soft_wrap=not out.is_terminal)
    out.print(ranking_table(summary))
    for sentence in rest:
        out.print(Text(sentence), soft_wrap=not out.is_terminal)
    print_notes(data_notes(summary) + search_notes(summary), messages)


def ranking_table(summary: dict[str, Any]) -> Table:
    """rank, column, the method's own number, bits, lasso, where it enters; ✓ marks the chosen."""
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True, padding=(0, 2, 0, 0))
    judged = summary["search"]["judged"]
    errors = any(c["judged_error"] is not None for c in summary["columns"])
    pvalues = any(c["judged_p"] is not None for c in summary["columns"])
    own = [] if judged is None else [judged, *(["± error"] if errors else []), *(["p"] if pvalues else [])]
    for name in ("rank", "", "column", *own, "gain (bits)", "by chance", "lasso (per sd)", "enters at α/αmax"):
        table.add_column(
            name, justify="left" if name in ("", "column") else "right", no_wrap=name != "column", overflow="fold"
        )
    many = len(summary["lassos"]) > 1 or any(c["level"] is not None for c in summary["columns"])
    if many:
        table.add_column("strongest", overflow="fold")
    shown = [c for c in summary["columns"] if c["rank"] <= MOST_ROWS or c["chosen"]]
    for c in shown:
        table.add_row(
            *_cells(c, many, _own(c, errors, pvalues) if judged is not None else []),
            style="bold" if c["chosen"] else None,
        )
    hidden = len(summary["columns"]) - len(shown)
    if hidden:
        table.add_row("…", "", f"{hidden:,} more columns")
    return table


def _own(c: dict[str, Any], errors: bool, pvalues: bool) -> list[str]:
    """The method's number of a column, its standard error and p-value."""
    keys = ["judged", *(["judged_error"] if errors else []), *(["judged_p"] if pvalues else [])]
    return ["–" if c[key] is None else score(c[key]) for key in keys]


def _cells(c: dict[str, Any], many: bool, own: list[str]) -> list[Text]:
    linear = "–" if c["coefficient"] is None else "0" if c["coefficient"] == 0 else f"{c['coefficient']:+.3g}"
    enters = "" if c["coefficient"] is None else "never" if c["enters"] is None else f"{c['enters']:.3g}"
    noise = "–" if c["noise"] is None else f"{c['noise']:.3f}"
    cells = [str(c["rank"]), "✓" if c["chosen"] else "", c["column"], *own, f"{c['gain']:.3f}", noise, linear, enters]
    return [Text(cell) for cell in ([*cells, c["detail"] or ""] if many else cells)]


def search_notes(summary: dict[str, Any]) -> list[str]:
    """That the search did not come to its end, and what it took from an earlier run."""
    search = summary["search"]
    return search["warnings"] + ([search["recalled_in_words"]] if search["recalled_in_words"] else [])
