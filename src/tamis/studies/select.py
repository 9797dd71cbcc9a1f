"""``tamis select``: which columns of a table matter for its target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tamis.studies.clusters import dask_option, open_table
from tamis.studies.question import file_to_write, names_in, option
from tamis.studies.table_question import TableQuestion

if TYPE_CHECKING:
    from tamis.sources import Source
    from tamis.studies.compare_answer import CompareAnswer
    from tamis.studies.select_answer import SelectAnswer

REPORT = Path("tamis-report.html")
SECONDS = 60.0  # of a comparison
# Whoever gives one of these asks for one method; without them, methods are compared.
OF_ONE_METHOD = ("method", "search", "evaluation", "estimator", "patience", "trials", "settings", "no_nested", "dask")


@dataclass(frozen=True, kw_only=True)
class SelectQuestion(TableQuestion):
    """The options of ``tamis select``. Where None is a default, the method has its own way."""

    verb: ClassVar[str] = "select"

    time_limit: float | None = option(
        "When to end with what is done. Ctrl-C does the same.",
        default=None,
        flags=("--time", "--time-limit"),
        metavar="SECONDS",
        shown="60; of one method, when it ends by itself",
    )
    method: str | None = option(
        "One method instead of a comparison: search, subsets by an evaluation; lasvegas, random subsets that a learner "
        "is cross-validated on; relief, what differs between near rows; tree, what the splits of a tree use.",
        default=None,
        choices=names_in("tamis.studies.select_methods", "METHODS"),
        shown="methods are compared",
    )
    search: str = option(
        "One search: how subsets of columns are proposed: {choices}.",
        default="forward",
        metavar="NAME",
        choices=names_in("tamis.selection.search", "SEARCHES"),
    )
    evaluation: str = option(
        "One evaluation: how good a subset is: {choices}. linear-fit is for numbers and for two classes.",
        default="information_gain",
        metavar="NAME",
        choices=names_in("tamis.selection.evaluation", "EVALUATIONS"),
    )
    estimator: str | None = option(
        "The learner that lasvegas chooses columns for; of tree, tree or forest.",
        default=None,
        choices=names_in("tamis.studies.learners", "LEARNERS"),
        shown="logistic for classes, linear for numbers; tree",
    )
    patience: int = option("lasvegas ends after so many draws in a row in vain.", default=100, metavar="T")
    trials: int | None = option("lasvegas ends after so many draws, all columns first.", default=None, metavar="T")
    settings: list[str] = option(
        "A parameter of the search, evaluation, method or estimator of this name, such as beam.width=5, "
        "mrmr.scheme=quotient or knn.n_neighbors=3; may be repeated.",
        default=[],
        flags=("--set",),
        metavar="NAME.PARAMETER=VALUE",
    )
    no_nested: bool = option(
        "One method without its score in rows never used to choose, for which the choice is repeated in every fold.",
        default=False,
    )
    out: Path | None = option(
        "Where the HTML report goes.",
        default=None,
        flags=("--out", "-o", "--report", "-r"),
        parse=file_to_write,
        metavar="FILE",
        shown="tamis-report.html; none with --json",
    )
    dask: str | None = dask_option()
    json: bool = option("Print one JSON document instead of the table.", default=False, printing=True)

    @property
    def report(self) -> Path | None:
        """Where the report goes: where asked; with ``--json`` there is none unless asked."""
        return self.out if self.out is not None or self.json else REPORT

    @property
    def seconds(self) -> float | None:
        """After which it ends with what is done."""
        return SECONDS if self.time_limit is None and self.compares else self.time_limit

    @property
    def compares(self) -> bool:
        """Whether methods are compared, for none was asked for."""
        return not any(self.asks(name) for name in OF_ONE_METHOD)

    @property
    def one_method(self) -> str:
        """The method, where one was asked for, be it by its options alone."""
        return self.method or "search"

    def open(self) -> Source:
        """The table."""
        return open_table(self.table, self.dask, self.target)


def select(question: SelectQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator) -> SelectAnswer:
    """One method's answer; what cannot be used is said before the table is read.

    ``with_progress`` may attach callbacks to each estimator before it is fitted.
    """
    from tamis.studies.select_answer import answer, check_files

    check_files(question)
    return answer(question, question.open(), with_progress)


def compare_methods(
    question: SelectQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator
) -> CompareAnswer:
    """The answer of several methods compared, where none was asked for."""
    from tamis.studies.compare_answer import answer
    from tamis.studies.select_answer import check_files

    check_files(question)
    return answer(question, question.open(), with_progress)
