"""``tamis complete``."""

from __future__ import annotations

from typing import Any

from tamis.studies.complete import CompleteQuestion


def complete(question: CompleteQuestion) -> None:
    """Fill in a half-empty table of ratings or readings, and recommend to each row what it would rate highest.

    \b
    The table is long: a row for each known entry, with the name of its row, the
    name of its column and its value. The model is of low rank, with a bias for
    each row and column; its penalty is chosen by entries held out, and the error
    that is printed is from other entries, which chose nothing.

    \b
    Examples:
      tamis complete ratings.csv --user u --item i --value r
      tamis complete ratings.parquet --user u --item i --value r --out best.csv
      tamis complete ratings.csv --user u --item i --value r --predict pairs.csv

    \b
    Exit codes:
      0     the table was completed
      2     something cannot be used
      130   Ctrl-C
    """
    import sys

    from tamis._core.files import write_file
    from tamis.cli.console import as_json, print_notes, print_path, print_rows, stderr_console, stdout_console
    from tamis.cli.fit import as_csv
    from tamis.cli.progress import progress_bars
    from tamis.studies import complete as study

    study.check(question)
    console = stderr_console()
    with progress_bars(console) as with_progress:
        answer = study.complete(question, with_progress)
    summary = answer.summary()
    if question.out is not None:
        write_file(question.out, as_csv(answer.recommendations()))
    if question.predictions is not None and answer.predictions is not None:
        write_file(question.predictions, as_csv(answer.predictions))
    if question.json:
        sys.stdout.write(as_json(summary))
    else:
        aside = answer.predictions is not None and question.predictions is None
        _print(summary, console if aside else stdout_console())
        if aside and answer.predictions is not None:
            print_rows(as_csv(answer.predictions), console)
    unseen = [
        f"{summary[f'unseen_{what}']:,} {what} have no entry"
        for what in ("rows", "columns")
        if summary[f"unseen_{what}"]
    ]
    print_notes([f"{' and '.join(unseen)}: predicted by biases"] if unseen else [], console)
    for what, path in (("Recommendations", question.out), ("Predictions", question.predictions)):
        if path is not None:
            print_path(what, path, console)


def _print(s: dict[str, Any], console: Any) -> None:
    show = console.print
    show(
        f"{s['rows']:,} × {s['columns']:,}, {s['observed']:,} entries known ({100 * s['share_observed']:.3g} %)",
        markup=False,
    )
    show(f"rank {s['rank']}; {s['strategy']}", markup=False)
    if s["held_out_rmse"] is not None:
        low, high = s["held_out_interval"]
        show(
            f"error at entries that chose nothing: {s['held_out_rmse']:.4g} (95 %: {low:.4g} to {high:.4g}); "
            f"standard deviation of the values: {s['standard_deviation']:.4g}",
            markup=False,
        )
        if low > 0.97 * s["standard_deviation"]:
            show("nothing was learned: the mean would predict as well", markup=False)
    columns = list(s["recommendations"].values())
    for user, item, value in zip(*columns, strict=True):
        show(f"  {user}: {item}  {value:.3g}", markup=False)
