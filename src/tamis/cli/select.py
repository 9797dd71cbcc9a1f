"""``tamis select``: read, ask, print, write."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamis.cli.printing import print_answer, stderr_console
from tamis.cli.progress import watching
from tamis.report.files import check_writable, replace_file
from tamis.report.study import Question, run_study
from tamis.report.summary import document, summarise

REPORT = Path("tamis-report.html")


@dataclass(frozen=True)
class Wish:
    """The options of ``tamis select``."""

    table: Path
    target: str
    task: str = "auto"
    n_features: int | None = None
    search: str = "forward"
    drop: list[str] = field(default_factory=list)
    out: Path | None = None
    as_json: bool = False

    @property
    def report(self) -> Path | None:
        """Where the report goes: where asked; with ``--json`` there is none unless asked."""
        return self.out if self.out is not None or self.as_json else REPORT

    @property
    def command(self) -> str:
        """What to type to do it again."""
        words = ["tamis", "select", str(self.table), "--target", self.target]
        words += ["--task", self.task] if self.task != "auto" else []
        words += ["--n-features", str(self.n_features)] if self.n_features is not None else []
        words += ["--search", self.search] if self.search != "forward" else []
        for name in self.drop:
            words += ["--drop", name]
        words += ["--out", str(self.out)] if self.out is not None else []
        return shlex.join(words)


def select_columns(wish: Wish) -> None:
    """The verb: complaints come before work, the report before the table."""
    from tamis.sources import as_source

    answer_wish(
        wish,
        as_source(wish.table, target=wish.target),
        str(wish.table),
        wish.table.name or str(wish.table),
        wish.command,
    )


def answer_wish(wish: Wish, source: Any, table: str, table_name: str, command: str) -> dict[str, Any]:
    """Ask the library, write the report, print the answer."""
    report = None if wish.report is None else check_writable(wish.report)
    console = stderr_console()
    question = Question(wish.target, wish.task, wish.n_features, wish.search, wish.drop)
    with watching(console) as watched:
        study = run_study(source, question, watched)
    summary = summarise(study, table=table, table_name=table_name, command=command)
    if report is not None:
        from tamis.report.html import render

        with console.status("writing the report"):  # the first one ever takes seconds, for its JavaScript
            replace_file(report, render(summary))
    if wish.as_json:
        json.dump(document(summary), sys.stdout, ensure_ascii=False, allow_nan=False, indent=1)
        sys.stdout.write("\n")
    else:
        print_answer(summary, console)
    if report is not None:
        console.print(f"Report: {report}", markup=False, highlight=False, soft_wrap=True)
    return summary
