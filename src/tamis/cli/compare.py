"""``tamis compare``."""

from __future__ import annotations

from tamis.studies.compare import CompareQuestion


def compare(question: CompareQuestion) -> None:
    """Say which columns to use, how sure that is, and what it costs to drop the rest.

    \b
    Methods of selection are compared on rows that took no part in the choice, and the fewest columns that do as well
    as the best are recommended, with the score of the whole procedure and its interval.

    \b
    Examples:
      tamis compare patients.csv --target diagnosis --time 60
      tamis compare sales.parquet --target revenue --groups shop --out sales.html
      tamis compare genes.csv -t ill --method lasso --method mrmr --resume genes.sqlite
      tamis compare survey/ --target answer --json > answer.json

    \b
    Exit codes:
      0     an answer, also where Ctrl-C or the time limit ended the work
      2     something cannot be used
      130   Ctrl-C before anything was known
    """
    import sys

    from rich.text import Text

    from tamis._core.files import is_standard_output, write_file
    from tamis.cli.console import as_json, print_notes, print_path, stderr_console, stdout_console
    from tamis.cli.format_comparison import columns_table, left_out_notes
    from tamis.cli.progress import progress_bars
    from tamis.report.compare_summary import render_comparison, summarise_comparison
    from tamis.report.readable import readable
    from tamis.studies import compare as study

    console, report = stderr_console(), question.report
    with progress_bars(console) as with_progress:
        summary = summarise_comparison(study.compare(question, with_progress))
    if report is not None:
        with console.status("writing the page"):
            write_file(report, render_comparison(summary))
    if question.json:
        sys.stdout.write(as_json(summary))
    else:
        seen = readable(summary)
        out = console if is_standard_output(report) else stdout_console()
        out.print(Text(seen["headline"], style="bold"), soft_wrap=not out.is_terminal)
        for line in seen["details"]:
            out.print(Text(f"  {line}"), soft_wrap=not out.is_terminal)
        out.print(columns_table(seen))
    print_notes(left_out_notes(summary), console)
    if report is not None:
        print_path("Page", report, console)
