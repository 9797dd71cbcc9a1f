"""What ``tamis compare`` prints and writes, and ``tamis select`` where no method is named."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tamis._core.files import is_standard_output, write_file
from tamis.cli.console import as_json, print_path, stderr_console, stdout_console
from tamis.cli.format_comparison import print_comparison
from tamis.cli.progress import progress_bars
from tamis.report.compare_summary import document, render_comparison, summarise_comparison


def show_comparison(question: Any, study: Callable[..., Any], *, full: bool) -> None:
    """Answer the question, write the page, print."""
    console, report = stderr_console(), question.report
    with progress_bars(console, question.seconds) as with_progress:
        summary = summarise_comparison(study(question, with_progress))
    if report is not None:
        with console.status("writing the page"):  # the first one ever takes seconds, for its JavaScript
            write_file(report, render_comparison(summary))
    if question.json:
        sys.stdout.write(as_json(document(summary)))
    else:
        out = console if is_standard_output(report) else stdout_console()
        print_comparison(summary, out, console, full=full)
    if report is not None:
        print_path("Page", report, console)
