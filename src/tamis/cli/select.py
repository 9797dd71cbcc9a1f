"""``tamis select``: read, ask, print, write."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tamis._core.errors import InputError
from tamis._core.files import is_standard_output, write_file
from tamis.cli.output import checked_output
from tamis.cli.printing import print_answer, print_path, search_notes, stderr_console, stdout_console, tell
from tamis.cli.progress import watching
from tamis.report.question import Question
from tamis.report.study import run_study
from tamis.report.summary import document, summarise

REPORT = Path("tamis-report.html")


@dataclass(frozen=True)
class Wish:
    """The options of ``tamis select``."""

    table: Path
    target: str
    task: str = "auto"
    method: str = "search"
    n_features: int | tuple[int, int] | None = None
    search: str | None = None  # this and the next as typed, with hyphens
    evaluation: str | None = None
    estimator: str | None = None
    patience: int | None = None
    trials: int | None = None
    set: list[str] = field(default_factory=list)
    keep: list[str] = field(default_factory=list)
    feature_groups: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)
    time_limit: float | None = None
    resume: Path | None = None
    out: Path | None = None
    as_json: bool = False

    @property
    def report(self) -> Path | None:
        """Where the report goes: where asked; with ``--json`` there is none unless asked."""
        return self.out if self.out is not None or self.as_json else REPORT

    @property
    def question(self) -> Question:
        return Question(
            target=self.target,
            task=self.task,
            method=self.method,
            n_features=self.n_features,
            search=self.search and self.search.replace("-", "_"),
            evaluation=self.evaluation and self.evaluation.replace("-", "_"),
            estimator=self.estimator,
            patience=self.patience,
            trials=self.trials,
            settings=self.set,
            keep=self.keep,
            feature_groups=self.feature_groups,
            drop=self.drop,
            time_limit=self.time_limit,
            checkpoint=self.resume,
        )

    @property
    def command(self) -> str:
        """What to type to do it again."""
        words = ["tamis", "select", str(self.table)]
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name not in ("table", "as_json") and value not in (option.default, []):
                for item in value if isinstance(value, list) else [value]:
                    text = "-".join(str(n) for n in item) if isinstance(item, tuple) else str(item)
                    words += [f"--{option.name.replace('_', '-')}", text]
        return shlex.join(words)


def select_columns(wish: Wish) -> None:
    """The verb: complaints come before work, the report before the table."""
    from tamis.cli.complaints import in_options
    from tamis.sources import as_source

    try:
        check_outputs(wish)
        source = as_source(wish.table, target=wish.target)
        answer_wish(wish, source, str(wish.table), wish.table.name or str(wish.table), wish.command)
    except InputError as error:
        raise InputError(in_options(str(error))) from None


def check_outputs(wish: Wish) -> None:
    """Of the report and of the file to resume from: neither is what is read, nor the other."""
    checked_output(wish.resume, [wish.table])
    if wish.resume is not None and wish.resume.exists() and not wish.resume.is_file():
        raise InputError(f"--resume {str(wish.resume)!r} is no file: give the name of a file, or of one to be written")
    checked_output(wish.report, [wish.table], [wish.resume])
    if wish.report is not None and wish.resume is not None and wish.report.absolute() == wish.resume.absolute():
        raise InputError(f"--out and --resume are both {str(wish.report)!r}: give two names")
    if wish.as_json and is_standard_output(wish.report):
        raise InputError("--out goes to standard output, where --json prints too: give --out the name of a file")


def answer_wish(wish: Wish, source: Any, table: str, table_name: str, command: str) -> dict[str, Any]:
    """Ask the library, write the report, print the answer."""
    console = stderr_console()
    report = wish.report
    with watching(console) as watched:
        study = run_study(source, wish.question, watched)
    summary = summarise(study, table=table, table_name=table_name, command=command)
    if report is not None:
        from tamis.report.html import render

        with console.status("writing the report"):  # the first one ever takes seconds, for its JavaScript
            write_file(report, render(summary))
    if wish.as_json:
        json.dump(document(summary), sys.stdout, ensure_ascii=False, allow_nan=False, indent=1)
        sys.stdout.write("\n")
        tell(search_notes(summary), console)
    else:
        print_answer(summary, console if is_standard_output(report) else stdout_console(), console)
    if report is not None:
        print_path("Report", report, console)
    return summary
