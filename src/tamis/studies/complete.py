"""``tamis complete``: a half-empty table of ratings filled in, and what to recommend to whom."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tamis.studies.question import Question, file_to_write, names_in, option

REPORT, RECOMMENDED = Path("tamis-complete.html"), Path("tamis-recommendations.csv")
MOST = 10_000_000  # missing entries that are predicted unasked


@dataclass(frozen=True, kw_only=True)
class CompleteQuestion(Question):
    """The options of ``tamis complete``."""

    verb: ClassVar[str] = "complete"

    table: Path = option("A long table, CSV, Parquet or Excel: a row for each known entry.", positional=True)
    user: str | None = option("The column that names the rows, such as users.", default=None, shown="the first")
    item: str | None = option("The column that names the columns, such as items.", default=None, shown="the second")
    value: str | None = option("The column with the values, such as ratings.", default=None, shown="the third")
    method: str = option("{choices}.", default="als", choices=names_in("tamis.studies.complete", "METHODS"))
    rank: int | None = option("The rank, or the largest one.", default=None, shown="chosen by held-out entries")
    alpha: float | None = option("Weight of the nuclear norm.", default=None, shown="chosen by held-out entries")
    duplicates: str = option(
        "What becomes of an entry given twice.", default="error", choices=("error", "mean", "last")
    )
    top: int = option("How many items to recommend to each user.", default=10)
    out: Path | None = option(
        "Where the recommendations go, as CSV.",
        default=None,
        flags=("--out", "-o"),
        parse=file_to_write,
        metavar="FILE",
        shown="tamis-recommendations.csv; none with --json",
    )
    report: Path | None = option(
        "Where the HTML page goes.",
        default=None,
        flags=("--report", "-r"),
        parse=file_to_write,
        metavar="FILE",
        shown="tamis-complete.html; none with --json",
    )
    predict: Path | None = option("A table with pairs to predict, with the same two columns.", default=None)
    predictions: Path | None = option(
        "Where predictions go, as CSV: of these pairs, or of all missing entries.",
        default=None,
        parse=file_to_write,
        metavar="FILE",
        shown="with --predict, standard output",
    )
    random_state: int = option("Seed of what is held out.", default=0)
    json: bool = option("Print one JSON document instead.", default=False, printing=True)

    @property
    def outputs(self) -> dict[str, Path | None]:
        """Recommendations, page and predictions: where asked; with ``--json`` only where asked."""
        defaults = (None, None) if self.json else (RECOMMENDED, REPORT)
        return {
            "out": defaults[0] if self.out is None else self.out,
            "report": defaults[1] if self.report is None else self.report,
            "predictions": self.predictions,
        }


METHODS = {"als": "alternating least squares", "soft_impute": "nuclear norm", "factored": "a fixed rank"}


@dataclass(frozen=True)
class CompleteAnswer:
    """The fitted model, how many entries it saw and their standard deviation, and the predictions asked for."""

    question: CompleteQuestion
    model: Any
    n_observed: int
    spread: float
    predictions: dict[str, list[Any]] | None
    seconds: float

    def recommendations(self, rows: Any = None) -> dict[str, list[Any]]:
        """user, item, predicted; the best items of each row that it has not rated."""
        model, names = self.model, self.names
        table: dict[str, list[Any]] = {names[0]: [], names[1]: [], "predicted": []}
        for row in self.rows if rows is None else rows:
            columns, values = model.recommend(row, self.question.top)
            table[names[0]] += [row] * len(columns)
            table[names[1]] += columns.tolist()
            table["predicted"] += [round(float(v), 6) for v in values]
        return table

    @property
    def rows(self) -> list[Any]:
        names = self.model.row_names_
        return list(range(len(self.model.row_factors_))) if names is None else names.tolist()

    @property
    def names(self) -> tuple[str, str]:
        return self.question.user or "row", self.question.item or "column"


def check(question: CompleteQuestion) -> None:
    """Say what cannot be used before anything is read."""
    from tamis._core.checks import check_count
    from tamis._core.errors import InputError
    from tamis.studies.outputs import check_written

    check_count("top", question.top)
    named = [name for name in ("user", "item", "value") if getattr(question, name) is not None]
    if named and len(named) < 3:
        lacking = next(name for name in ("user", "item", "value") if name not in named)
        raise InputError(f"--user, --item and --value go together: give --{lacking} too", argument=lacking)
    tables = (question.table, question.predict)
    check_written(question, question.outputs, (), [t for t in tables if t])


def complete(
    question: CompleteQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator
) -> CompleteAnswer:
    """Fit the table; values are predicted within their range."""
    from tamis._core.errors import InputError
    from tamis.lowrank import MatrixCompletion
    from tamis.lowrank.completion.observed import from_long_table
    from tamis.sources.excel import split_sheet

    started = time.perf_counter()
    if not split_sheet(question.table)[0].exists():
        raise InputError(f"there is no file {str(question.table)!r}")
    columns = None if question.user is None else (question.user, question.item, question.value)
    observed = from_long_table(question.table, columns, question.duplicates)
    values = observed.X.data
    if not len(values):
        raise InputError(f"{str(question.table)!r} has no values to complete from")
    low, high = float(values.min()), float(values.max())
    model = MatrixCompletion(
        question.method, question.rank, question.alpha, duplicates=question.duplicates,
        bounds=(low, high) if low < high else None, random_state=question.random_state,
    )  # fmt: skip
    with_progress(model).fit(question.table, columns=columns or _first_three(question.table))
    if model.status_ == "interrupted":
        raise KeyboardInterrupt
    predictions = _predicted(question, model, observed.X)
    return CompleteAnswer(
        question, model, observed.X.nnz, float(values.std()), predictions, time.perf_counter() - started
    )


def _first_three(table: Path) -> tuple[str, ...]:
    from tamis.lowrank.completion.observed import read_file

    return tuple(read_file(table).column_names[:3])


def _predicted(question: CompleteQuestion, model: Any, observed: Any) -> dict[str, list[Any]] | None:
    """Predictions and their standard errors for the pairs that were asked for, or for all missing entries."""
    import warnings

    if question.predict is None and question.predictions is None:
        return None
    rows, columns = _missing(model, observed) if question.predict is None else _pairs(question)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # unknown names have a column of their own
        values, errors = model.predict(rows, columns), model.standard_error(rows, columns, new=True)
        known = model.is_known(rows, columns)
    first, second = question.user or "row", question.item or "column"
    return {
        first: rows.tolist(), second: columns.tolist(), "predicted": values.tolist(), "standard_error": errors.tolist(),
        "known": known.tolist(),
    }  # fmt: skip


def _pairs(question: CompleteQuestion) -> tuple[Any, Any]:
    from tamis.lowrank.completion.observed import long_table, table_column

    table = long_table(question.predict, (question.user, question.item))
    return table_column(table, question.user, 0), table_column(table, question.item, 1)


def _missing(model: Any, observed: Any) -> tuple[Any, Any]:
    """Names of all pairs that are not known."""
    import numpy as np

    from tamis._core.errors import InputError

    m, n = observed.shape
    if m * n - observed.nnz > MOST:
        raise InputError(
            f"{m * n - observed.nnz:,} entries are missing, more than the {MOST:,} that are predicted at once: give "
            "the pairs by --predict",
            argument="predictions",
        )
    missing = np.ones((m, n), bool)
    missing[np.repeat(np.arange(m), np.diff(observed.indptr)), observed.indices] = False
    rows, columns = np.nonzero(missing)
    rows = rows if model.row_names_ is None else model.row_names_[rows]
    return rows, columns if model.column_names_ is None else model.column_names_[columns]
