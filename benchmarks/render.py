"""From a question's record to Markdown: one table per dataset, bars with held or missed, our losses included."""

from __future__ import annotations

from typing import Any

HOW = """\
Each question has one judge outside every competitor. A competitor is first tuned to the loosest tolerance whose answer
the judge accepts (those runs are the warm-up, uncounted); then all take turns and the minimum of the repeats counts.
Everybody has the same number of threads and gets its arrays in the memory layout it likes best. A run that takes longer
than the question's cap is stopped and reported as "over" it. Who is within three times the fastest repeats for ten
seconds, at least three times; the others for three seconds. Where a run takes minutes and no bar is on its seconds,
the first one that is accepted is the time. Yardsticks (in italics) are timed in the same turns but answer a simpler
question. The ratio is to the fastest competitor whose answer was accepted: below 1 is faster."""


def page(records: list[dict[str, Any]]) -> str:
    """The whole page of the documentation."""
    head = [
        "# Benchmarks",
        "",
        "Written by `python -m benchmarks --render` from `benchmarks/results`; run them with `make bench`.",
        "",
        HOW,
        "",
    ]
    if records:
        head += [
            "## What must hold",
            "",
            *_bar_table([(r["title"], t, b) for r in records for t in r["tables"] for b in t["bars"]]),
            "",
        ]
    return "\n".join(head) + "\n" + "\n".join(as_markdown(record) for record in records)


def as_markdown(record: dict[str, Any]) -> str:
    lines = [f"## {record['title']}", "", record["text"], ""]
    for table in record["tables"]:
        lines += [f"### {table['dataset']}", "", *_table(record, table), ""]
        lines += [f"- {text}" for text in _afterwards(table)]
        lines += [""] if _afterwards(table) else []
    return "\n".join([*lines, _machine(record["machine"]), ""])


def as_text(record: dict[str, Any]) -> str:
    """The same for the terminal, columns aligned."""
    blocks = [record["title"]]
    for table in record["tables"]:
        cells = [[cell.replace("*", "") for cell in line] for line in _cells(record, table)]
        widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
        blocks.append(f"\n  {table['dataset']}")
        blocks += ["    " + "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in cells]
        blocks += [f"    {text}" for text in _afterwards(table)]
    return "\n".join(blocks) + "\n"


def _table(record: dict[str, Any], table: dict[str, Any]) -> list[str]:
    head, *body = _cells(record, table)
    return [_line(head), _line(["---"] * len(head)), *map(_line, body)]


def _cells(record: dict[str, Any], table: dict[str, Any]) -> list[list[str]]:
    columns = record["columns"]
    fastest = _fastest_rival(table["rows"])
    head = ["competitor", "version", "seconds", "× fastest", record["memory"], *columns.values(), "tol", "note"]
    lines = [head, *(_row(row, columns, fastest) for row in sorted(table["rows"], key=_by_time))]
    said = [i for i, name in enumerate(head) if name and any(line[i] for line in lines[1:])]
    return [[line[i] for i in said] for line in lines]


def _row(row: dict[str, Any], columns: dict[str, str], fastest: float | None) -> list[str]:
    name = {"tamis": f"**{row['name']}**", "yardstick": f"*{row['name']}*"}.get(row["role"], row["name"])
    ratio = row["seconds"] / fastest if row["seconds"] and fastest else None
    known = row["judged"] | row.get("measured", {})
    judged = [_number(known.get(key), ".2g") for key in columns]
    tol = _number(row["tol"], ".0e")
    return [
        name,
        row["version"],
        _number(row["seconds"], ".3g"),
        _number(ratio, ".2f"),
        _number(row["peak_mb"], ".0f"),
        *judged,
        tol,
        row["note"],
    ]


def _fastest_rival(rows: list[dict[str, Any]]) -> float | None:
    return min((r["seconds"] for r in rows if r["role"] == "rival" and r["accepted"] and r["seconds"]), default=None)


def _by_time(row: dict[str, Any]) -> tuple[bool, bool, float]:
    return row["seconds"] is None, row["accepted"] is False, row["seconds"] or 0.0


def _afterwards(table: dict[str, Any]) -> list[str]:
    return [*(f"Bound: {text}" for text in table["bounds"]), *(f"Bar: {_bar(b)}" for b in table["bars"])]


def _bar(bar: dict[str, Any]) -> str:
    return f"{bar['what']} {bar['relation']} {bar['limit']:g}: {_verdict(bar)}"


def _verdict(bar: dict[str, Any]) -> str:
    if bar["held"] is None:
        return "not measured"
    return f"{'held' if bar['held'] else 'MISSED'} ({'at least ' * bool(bar.get('at_least'))}{bar['value']:.3g})"


def _bar_table(bars: list[tuple[str, dict[str, Any], dict[str, Any]]]) -> list[str]:
    lines = [
        [title, table["dataset"], f"{b['what']} {b['relation']} {b['limit']:g}", _verdict(b)]
        for title, table, b in bars
    ]
    return [_line(["question", "dataset", "bar", "result"]), _line(["---"] * 4), *map(_line, lines)]


def _machine(machine: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {v}" for name, v in machine["versions"].items() if v)
    return (
        f"Measured {machine['date']} on {machine['processor']}, {machine['cores']} cores, {machine['threads']} threads "
        f"for everybody, {machine['memory_gb']} GB, {machine['system']}, Python {machine['python']}, {versions}; "
        f"BLAS {machine['blas']}.\n"
    )


def _number(value: float | None, how: str) -> str:
    return "" if value is None else format(value, how)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
