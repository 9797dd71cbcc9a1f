"""``tamis select``."""

from __future__ import annotations

from tamis.studies.select import SelectQuestion


def select(question: SelectQuestion) -> None:
    """Say which columns predict the target, how sure that is, and what it costs to drop the rest; write a page.

    \b
    Ways to choose columns are compared in rows never used to choose, and the fewest columns that do as well as the
    best are chosen. --method, --search or --evaluation run one way only, and show its own numbers.

    \b
    Examples:
      tamis select patients.csv --target diagnosis
      tamis select sales.parquet --target revenue --n-features 10
      tamis select visits.csv --target ill --groups patient --time 300
      tamis select survey/ --target answer --drop id --json > answer.json
      tamis select sales.csv -t revenue --search floating --evaluation linear-fit
      tamis select genes.csv -t ill --keep age -k 2-8 --resume genes.sqlite
      tamis select sales.csv -t revenue --search beam --set beam.width=20
      tamis select genes.csv -t ill --method lasvegas --estimator knn --time 600
      tamis select genes.csv -t ill --method relief --set relief.n_neighbors=20

    \b
    Exit codes:
      0     columns were chosen, also where Ctrl-C or the time limit ended the search
      2     something cannot be used
      130   Ctrl-C before any columns were chosen
    """
    if question.compares:
        from tamis.cli.show_comparison import show_comparison
        from tamis.studies import select as study

        show_comparison(question, study.compare_methods, full=False)
    else:
        _one_method(question)


def _one_method(question: SelectQuestion) -> None:
    """The method that was asked for, by its own numbers."""
    import sys

    from tamis._core.files import is_standard_output, write_file
    from tamis.cli.console import as_json, print_notes, print_path, stderr_console, stdout_console
    from tamis.cli.format_selection import print_selection, search_notes
    from tamis.cli.progress import progress_bars
    from tamis.report.summary import document, summarise
    from tamis.studies import select as study

    console, report = stderr_console(), question.report
    with progress_bars(console) as with_progress:
        summary = summarise(study.select(question, with_progress))
    if report is not None:
        from tamis.report.html import render

        with console.status("writing the report"):  # the first one ever takes seconds, for its JavaScript
            write_file(report, render(summary))
    if question.json:
        sys.stdout.write(as_json(document(summary)))
        print_notes(search_notes(summary), console)
    else:
        print_selection(summary, console if is_standard_output(report) else stdout_console(), console)
    if report is not None:
        print_path("Report", report, console)
