"""``tamis components``."""

from __future__ import annotations

from typing import Any

from tamis.studies.components import ComponentsQuestion


def components(question: ComponentsQuestion) -> None:
    """Find the few directions or parts that the numbers of a table are made of, and write a report.

    \b
    Columns of labels are left out, missing numbers become the mean of their
    column. Parallel analysis tells how many directions vary more than noise.

    \b
    Examples:
      tamis components wine.csv --label class
      tamis components genes.parquet --method sparse --n 3 --n-nonzero 10
      tamis components counts.csv --method nmf --n 8 --scores topics.csv

    \b
    Exit codes:
      0     components were found
      2     something cannot be used
      130   Ctrl-C
    """
    import sys

    from tamis._core.files import is_standard_output, write_file
    from tamis.cli.console import as_json, data_notes, print_notes, print_path, stderr_console, stdout_console
    from tamis.cli.fit import as_csv
    from tamis.cli.progress import progress_bars
    from tamis.report.components_summary import render_components, summarise_components
    from tamis.studies import components as study

    console, report = stderr_console(), question.report
    with progress_bars(console) as with_progress:
        answer = study.components(question, with_progress)
    summary = summarise_components(answer)
    if question.scores is not None:
        names = [str(name) for name in answer.model.get_feature_names_out()]
        write_file(question.scores, as_csv(dict(zip(names, answer.scores.T.tolist(), strict=True))))
    if report is not None:
        with console.status("writing the report"):
            write_file(report, render_components(summary))
    if question.json:
        sys.stdout.write(as_json({name: part for name, part in summary.items() if name != "drawn"}))
        print_notes(data_notes(summary), console)
    else:
        print_components(summary, console if is_standard_output(report) else stdout_console(), console)
    if question.scores is not None:
        print_path("Scores", question.scores, console)
    if report is not None:
        print_path("Report", report, console)


MOST_ROWS = 40


def print_components(summary: dict[str, Any], out: Any, messages: Any) -> None:
    """Sentences, then a table of loadings."""
    from rich.table import Table
    from rich.text import Text

    from tamis.cli.console import data_notes, print_notes
    from tamis.report.html import number
    from tamis.report.readable import readable

    s = readable(summary)
    table = Table(box=None, pad_edge=False)
    table.add_column("column")
    for c in s["components"]:
        share = "" if c["share"] is None else f"\n{100 * c['share']:.1f} %"
        table.add_column(Text(f"{c['name']}{share}"), justify="right")
    rows = sorted(s["loadings"], key=lambda row: -max(abs(v) for v in row["values"]))
    for row in rows[:MOST_ROWS]:
        table.add_row(Text(row["column"]), *("" if v == 0 else number(v) for v in row["values"]))
    out.print(table)
    if len(rows) > MOST_ROWS:
        out.print(f"… and {len(rows) - MOST_ROWS} more columns")
    out.print()
    for sentence in s["answer"]:
        out.print(Text(sentence))
    print_notes(data_notes(summary), messages)
