"""The answer of a comparison on a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tamis.cli.console import data_notes, print_notes
from tamis.report.readable import readable
from tamis.report.words import score

MOST_COLUMNS = 15  # of the ranking, besides the chosen ones
MOST_UNFINISHED = 3


def print_comparison(summary: dict[str, Any], out: Console, messages: Console, *, full: bool) -> None:
    """The headline, the chosen columns, the methods, the ranking; ``full``: every configuration, too."""
    seen = readable(summary)
    wrap = not out.is_terminal
    first, *rest = seen["answer"]
    out.print(Text(first, style="bold"), soft_wrap=wrap)
    if seen["selected"]:
        out.print()
        out.print(chosen_table(seen))
        out.print()
        out.print(Text(f"columns = {seen['selected_python']}"), soft_wrap=True)
    out.print()
    for sentence in rest:
        out.print(Text(sentence), soft_wrap=wrap)
    for table in (methods_table(seen), ranking_table(seen), *([full_table(seen)] if full else [])):
        out.print()
        out.print(table)
    print_notes(data_notes(summary) + _unfinished(summary), messages)


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True, padding=(0, 2, 0, 0))
    for name, justify in columns:
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return table


def chosen_table(s: dict[str, Any]) -> Table:
    """In the order of the method: how often it is chosen again, its effect, what could replace it."""
    effect = "effect" if s["recommended"]["learner"] == "linear" else "linear effect"  # another learner sees more
    table = _table(("chosen", "left"), ("frequency", "right"), (effect, "right"), ("instead", "left"))
    for c in sorted((c for c in s["columns"] if c["chosen"]), key=lambda c: c["chosen"]):
        cells = (c["column"], _percent(c["frequency"]), _effect(c["effect"], s), ", ".join(c["instead"]) or "–")
        table.add_row(*map(Text, cells))
    return table


def _effect(effect: dict[str, Any] | None, s: dict[str, Any]) -> str:
    if effect is None:
        return "–"
    about = [f"‘{effect['level']}’"] if effect["level"] is not None else []
    if effect["class"] is not None and len(s["data"]["classes"]) > 2:
        about.append(f"for ‘{effect['class']}’")
    return f"{effect['value']:+.3g}".replace("-", "−") + (f" {', '.join(about)}" if about else "")


def methods_table(s: dict[str, Any]) -> Table:
    """Each method at its best number of columns, and at the chosen one; ✓ at the one that chose."""
    at = [(f"with {s['recommended']['size']}", "right")] if s["selected"] else []
    table = _table(("", "left"), ("method", "left"), (f"best {s['scoring']}", "right"), ("columns", "right"), *at)
    for m in s["methods"]:
        best = "–" if m["score"] is None else score(m["score"])
        cells = ["✓" if m["chosen"] and s["selected"] else "", m["words"], best, f"{m['size']:,}"]
        here = ["–" if m["at_size"] is None else score(m["at_size"])] if at else []
        table.add_row(*map(Text, cells + here))
    for which in ("none", "all"):
        if s["baselines"][which] is not None:
            size = "0" if which == "none" else f"{s['data']['columns']:,}"
            blank = [""] if at else []
            table.add_row(*map(Text, ["", f"{which} of the columns", score(s["baselines"][which]), size, *blank]))
    return table


def ranking_table(s: dict[str, Any]) -> Table:
    """Columns by themselves beside what chance reaches; the first, and the chosen ones."""
    table = _table(
        ("rank", "right"), ("", "left"), ("column by itself", "left"), ("gain (bits)", "right"), ("by chance", "right"),
        ("p", "right"), ("frequency", "right"),
    )  # fmt: skip
    shown = [c for c in s["columns"] if c["rank"] <= MOST_COLUMNS or c["chosen"]]
    for c in shown:
        noise = "–" if c["noise"] is None else f"{c['noise']:.3f}"
        p = "–" if c["p"] is None else "< 0.01" if c["p"] < 0.01 else f"{c['p']:.2f}"
        mark = "✓" if c["chosen"] else ""
        cells = (str(c["rank"]), mark, c["column"], f"{c['gain']:.3f}", noise, p, _percent(c["frequency"]))
        table.add_row(*map(Text, cells), style="bold" if c["chosen"] else None)
    hidden = len(s["columns"]) - len(shown)
    if hidden:
        table.add_row("…", "", f"{hidden:,} more columns")
    return table


def full_table(s: dict[str, Any]) -> Table:
    """Every configuration."""
    named = (("", "left"), ("method", "left"), ("columns", "right"), ("learner", "left"))
    table = _table(*named, (s["scoring"], "right"), ("±", "right"))
    for c in s["table"]:
        numbers = ["–" if value is None else score(value) for value in (c["score"], c["error"])]
        cells = ["✓" if c["chosen"] else "", c["method"], f"{c['size']:,}", c["learner"], *numbers]
        table.add_row(*map(Text, cells))
    return table


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{round(100 * share)} %"


def _unfinished(s: dict[str, Any]) -> list[str]:
    """What time did not suffice for, in a line or two."""
    if not s["unfinished"]:
        return []
    first, more = s["unfinished"][:MOST_UNFINISHED], len(s["unfinished"]) - MOST_UNFINISHED
    rest = f"; and {more} more" if more > 0 else ""
    return [f"not finished: {'; '.join(first)}{rest}. --time gives it more seconds"]
