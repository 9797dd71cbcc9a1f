"""``tamis complete``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tamis.studies.complete import CompleteQuestion

LISTED = 10  # recommendations in the terminal


def complete(question: CompleteQuestion) -> None:
    """Fill in a half-empty table of ratings or readings, and recommend to each row what it would rate highest.

    \b
    The table is long: a row for each known entry, with the name of its row, the
    name of its column and its value. The model is of low rank, with a bias for
    each row and column; its penalty is chosen by entries held out, and the error
    that is printed is from other entries, which chose nothing. Recommendations go
    to a CSV file, and the choice, the error and some recommendations to a page.

    \b
    Examples:
      tamis complete ratings.csv --user u --item i --value r
      tamis complete ratings.parquet --user u --item i --value r --out best.csv
      tamis complete ratings.csv --user u --item i --value r --predict pairs.csv
      tamis complete readings.csv --predictions filled.csv

    \b
    Exit codes:
      0     the table was completed
      2     something cannot be used
      130   Ctrl-C
    """
    import sys

    from tamis._core.files import is_standard_output, write_file
    from tamis.cli.console import as_json, print_notes, print_path, print_rows, stderr_console, stdout_console
    from tamis.cli.fit import as_csv
    from tamis.cli.progress import progress_bars
    from tamis.report.complete_summary import render_completion, summarise_completion
    from tamis.studies import complete as study

    study.check(question)
    console = stderr_console()
    with progress_bars(console) as with_progress:
        answer = study.complete(question, with_progress)
    summary, files = summarise_completion(answer), question.outputs
    written: dict[str, Callable[[], str]] = {
        "out": lambda: as_csv(answer.recommendations()),
        "report": lambda: render_completion(summary),
        "predictions": lambda: as_csv(answer.predictions or {}),
    }
    for name, text in written.items():
        path = files[name]
        if path is not None:
            with console.status("writing"):
                write_file(path, text())
    aside = answer.predictions is not None and question.predictions is None
    if question.json:
        sys.stdout.write(as_json(summary))
    else:
        taken = aside or any(is_standard_output(path) for path in files.values() if path is not None)
        _print(summary, console if taken else stdout_console())
        if aside and answer.predictions is not None:
            print_rows(as_csv(answer.predictions), console)
    print_notes(_notes(summary), console)
    for name, what in (("out", "Recommendations"), ("predictions", "Predictions"), ("report", "Report")):
        path = files[name]
        if path is not None:
            print_path(what, path, console)


def _notes(s: dict[str, Any]) -> list[str]:
    unseen = [f"{s[f'unseen_{what}']:,} {what} have no entry" for what in ("rows", "columns") if s[f"unseen_{what}"]]
    return [f"{' and '.join(unseen)}: predicted by biases"] if unseen else []


def _print(summary: dict[str, Any], console: Any) -> None:
    from tamis.report.readable import readable

    s = readable(summary)
    for sentence in s["answer"]:
        console.print(sentence, markup=False)
    for user, item, value in list(zip(*s["recommendations"].values(), strict=True))[:LISTED]:
        console.print(f"  {user}: {item}  {value:.3g}", markup=False)
