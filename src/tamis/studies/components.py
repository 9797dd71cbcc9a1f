"""``tamis components``: the few directions, or parts, that the numbers of a table are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tamis.studies.clusters import dask_option
from tamis.studies.question import Question, file_to_write, option
from tamis.studies.table_question import TABLE

if TYPE_CHECKING:
    from tamis.studies.components_answer import ComponentsAnswer

REPORT = Path("tamis-components.html")
METHODS = ("pca", "sparse", "nmf")


@dataclass(frozen=True, kw_only=True)
class ComponentsQuestion(Question):
    """The options of ``tamis components``."""

    verb: ClassVar[str] = "components"

    table: Path = option(TABLE, positional=True)
    method: str = option(
        "pca, directions of largest variance; sparse, those of few columns each; nmf, parts that are not negative.",
        default="pca",
        choices=METHODS,
    )
    n: int | None = option(
        "How many components.",
        default=None,
        flags=("--n", "-n"),
        metavar="K",
        shown="those that stand out from noise; of nmf, what predicts held-out entries best",
    )
    n_nonzero: int | None = option(
        "Columns of each component, at most; of sparse.", default=None, metavar="M", shown="the root of their number"
    )
    raw: bool = option("Do not divide columns by their standard deviations; nmf never does.", default=False)
    label: str | None = option(
        "A column to colour the scores by; it is left out.", default=None, flags=("--label", "-l"), metavar="COLUMN"
    )
    drop: list[str] = option(
        "A column to leave out; may be repeated.", default=[], flags=("--drop", "-d"), metavar="COLUMN"
    )
    scores: Path | None = option(
        "Where the scores of all rows go, as CSV.", default=None, parse=file_to_write, metavar="FILE"
    )
    out: Path | None = option(
        "Where the HTML report goes.",
        default=None,
        flags=("--out", "-o", "--report", "-r"),
        parse=file_to_write,
        metavar="FILE",
        shown="tamis-components.html; none with --json",
    )
    dask: str | None = dask_option()
    json: bool = option("Print one JSON document instead of the table.", default=False, printing=True)

    @property
    def report(self) -> Path | None:
        """Where the report goes: where asked; with ``--json`` there is none unless asked."""
        return self.out if self.out is not None or self.json else REPORT


def components(
    question: ComponentsQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator
) -> ComponentsAnswer:
    """Answer the question; what cannot be used is said before the table is read."""
    from tamis.studies.components_answer import answer, check

    check(question)
    return answer(question, with_progress)
