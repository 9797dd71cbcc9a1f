"""``tamis select``: which columns of a table matter for its target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tamis.studies.clusters import dask_option, open_table
from tamis.studies.question import Question, file_to_write, names_in, option

if TYPE_CHECKING:
    from tamis.sources import Source
    from tamis.studies.select_answer import SelectAnswer

REPORT = Path("tamis-report.html")
TABLE = (
    "A CSV (.csv, .tsv, .txt, .csv.gz, .tsv.gz), Parquet (.parquet, .pq) or Excel (.xlsx, .xlsm; book.xlsx#prices for "
    "a sheet) file, or a folder of them."
)
TASKS = ("auto", "classification", "regression")


def number_or_range(text: str) -> int | tuple[int, int]:
    """5, or 2-5."""
    try:
        low, dash, high = text.partition("-")
        return (int(low), int(high)) if dash else int(low)
    except ValueError:
        raise ValueError(f"{text!r} is neither a number nor a range such as 2-5") from None


@dataclass(frozen=True, kw_only=True)
class SelectQuestion(Question):
    """The options of ``tamis select``. Where None is a default, the method has its own way."""

    verb: ClassVar[str] = "select"

    table: Path = option(TABLE, positional=True)
    target: str = option("The column to be told.", flags=("--target", "-t"))
    task: str = option("What the target is; auto decides from its values.", default="auto", choices=TASKS)
    n_features: int | tuple[int, int] | None = option(
        "How many columns to choose: 5, or 2-5 for the best number from 2 to 5. Groups count as one.",
        default=None,
        flags=("--n-features", "-k"),
        parse=number_or_range,
        metavar="N|N-M",
        shown="the search decides",
    )
    method: str = option(
        "How columns are chosen: search, subsets by an evaluation; lasvegas, random subsets that a learner "
        "is cross-validated on; relief, what differs between near rows; tree, what the splits of a tree use.",
        default="search",
        choices=names_in("tamis.studies.select_methods", "METHODS"),
    )
    search: str = option(
        "How subsets of columns are proposed: {choices}.",
        default="forward",
        metavar="NAME",
        choices=names_in("tamis.selection.search", "SEARCHES"),
    )
    evaluation: str = option(
        "How good a subset is: {choices}. linear-fit is for numbers and for two classes.",
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
    keep: list[str] = option(
        "In every subset, also where it looks like an identifier; may be repeated.", default=[], metavar="COLUMN"
    )
    feature_groups: list[str] = option(
        "Columns that come and go together; may be repeated.", default=[], metavar="A,B,C"
    )
    time_limit: float | None = option(
        "When the search is to end with the best subset so far. Ctrl-C does the same.",
        default=None,
        metavar="SECONDS",
    )
    checkpoint: Path | None = option(
        "A file that remembers every evaluated subset: written if it is new; a search that was stopped goes "
        "on from it, with the same table and options.",
        default=None,
        flags=("--resume",),
        parse=file_to_write,
        metavar="FILE",
    )
    no_nested: bool = option(
        "Leave out the score on rows that chose nothing, for which the choice is repeated in every fold.",
        default=False,
    )
    drop: list[str] = option(
        "A column to leave out; may be repeated.", default=[], flags=("--drop", "-d"), metavar="COLUMN"
    )
    out: Path | None = option(
        "Where the HTML report goes.",
        default=None,
        flags=("--out", "-o"),
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
    def table_title(self) -> str:
        """What the table is, for the report."""
        return str(self.table)

    @property
    def table_name(self) -> str:
        return self.table.name or str(self.table)

    def open(self) -> Source:
        """The table."""
        return open_table(self.table, self.dask, self.target)


def select(question: SelectQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator) -> SelectAnswer:
    """Answer the question; what cannot be used is said before the table is read.

    ``with_progress`` may attach callbacks to each estimator before it is fitted.
    """
    from tamis.studies.select_answer import answer, check_files

    check_files(question)
    return answer(question, question.open(), with_progress)
