"""``tamis compare``: which columns, how sure, and at what cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tamis.studies.question import file_to_write, option
from tamis.studies.table_question import TableQuestion

if TYPE_CHECKING:
    from tamis.studies.compare_answer import CompareAnswer

PAGE = Path("tamis-compare.html")


@dataclass(frozen=True, kw_only=True)
class CompareQuestion(TableQuestion):
    """The options of ``tamis compare``."""

    verb: ClassVar[str] = "compare"

    time_limit: float | None = option(
        "When to end with what is done. Ctrl-C does the same.",
        default=None,
        flags=("--time", "--time-limit"),
        metavar="SECONDS",
        shown="when all is done",
    )
    methods: list[str] = option(
        "A method to compare: lasso, mrmr, linear, relief or forest; may be repeated.",
        default=[],
        flags=("--method",),
        metavar="NAME",
        shown="all of them",
    )
    cv: int = option("So many folds.", default=5, metavar="N")
    n_repeats: int = option("The folds are drawn so many times.", default=1, flags=("--repeats",), metavar="N")
    scoring: str | None = option(
        "The score, by its name in scikit-learn.", default=None, metavar="NAME", shown="AUC for classes, R² for numbers"
    )
    n_shuffles: int = option(
        "Repeat everything on so many shuffled targets, for a p-value of the whole.",
        default=0,
        flags=("--shuffles",),
        metavar="N",
    )
    out: Path | None = option(
        "Where the HTML page goes.",
        default=None,
        flags=("--out", "-o", "--report", "-r"),
        parse=file_to_write,
        metavar="FILE",
        shown="tamis-compare.html; none with --json",
    )
    json: bool = option("Print one JSON document instead of the table.", default=False, printing=True)

    @property
    def seconds(self) -> float | None:
        """After which it ends with what is done."""
        return self.time_limit

    @property
    def report(self) -> Path | None:
        """Where the page goes: where asked; with ``--json`` there is none unless asked."""
        return self.out if self.out is not None or self.json else PAGE


def compare(question: CompareQuestion, callbacks: Callable[[Any], Any] = lambda run: run) -> CompareAnswer:
    """Answer the question; what cannot be used is said before the table is read."""
    from tamis._core.errors import InputError
    from tamis._core.files import is_standard_output
    from tamis.studies.compare_answer import answer
    from tamis.studies.outputs import check_written

    check_written(question, {"out": question.report, "checkpoint": question.checkpoint}, [question.table])
    if question.json and is_standard_output(question.report):
        raise InputError(
            "--out goes to standard output, where --json prints too: give --out the name of a file", argument="out"
        )
    return answer(question, question.open(), callbacks)
