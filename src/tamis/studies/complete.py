"""``tamis complete``: a half-empty table of ratings filled in, and what to recommend to whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tamis.studies.question import Question, file_to_write, names_in, option

SHOWN = 5  # rows whose recommendations are in the answer


@dataclass(frozen=True, kw_only=True)
class CompleteQuestion(Question):
    """The options of ``tamis complete``."""

    verb: ClassVar[str] = "complete"

    table: Path = option("A long table, CSV or Parquet: a row for each known entry.", positional=True)
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
    )
    predict: Path | None = option("A table with pairs to predict, with the same two columns.", default=None)
    predictions: Path | None = option(
        "Where the predictions of these pairs go; standard output by default.", default=None, parse=file_to_write,
        metavar="FILE",
    )  # fmt: skip
    random_state: int = option("Seed of what is held out.", default=0)
    json: bool = option("Print one JSON document instead.", default=False, printing=True)


METHODS = {"als": "alternating least squares", "soft_impute": "nuclear norm", "factored": "a fixed rank"}


@dataclass(frozen=True)
class CompleteAnswer:
    """The fitted model, names, the standard deviation of the values, and recommendations."""

    question: CompleteQuestion
    model: Any
    spread: float
    predictions: dict[str, list[Any]] | None

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

    def summary(self) -> dict[str, Any]:
        """The answer as a plain dictionary."""
        model = self.model
        m, n = len(model.row_factors_), model.n_features_in_
        return {
            "command": self.question.command,
            "rows": m, "columns": n, "observed": int(model._observed.nnz),
            "share_observed": model._observed.nnz / (m * n), "rank": model.rank_, "alpha": model.alpha_,
            "strategy": model.strategy_, "status": model.status_,
            "held_out_rmse": model.score_, "held_out_interval": model.score_interval_,
            "rmse_while_choosing": model.score_while_choosing_, "standard_deviation": self.spread,
            "unseen_rows": len(model.unseen_rows_), "unseen_columns": len(model.unseen_columns_),
            "recommendations": self.recommendations(self.rows[:SHOWN]),
            **({} if self.predictions is None else {"predictions": self.predictions}),
        }  # fmt: skip


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
    if question.predictions is not None and question.predict is None:
        raise InputError("--predictions needs --predict: a table with pairs to predict", argument="predictions")
    tables = (question.table, question.predict)
    check_written(question, {"out": question.out, "predictions": question.predictions}, (), [t for t in tables if t])


def complete(
    question: CompleteQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator
) -> CompleteAnswer:
    """Fit the table; values are predicted within their range."""
    from tamis._core.errors import InputError
    from tamis.lowrank import MatrixCompletion
    from tamis.lowrank.completion.observed import from_long_table

    if not question.table.exists():
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
    return CompleteAnswer(question, model, float(values.std()), _predicted(question, model))


def _first_three(table: Path) -> tuple[str, ...]:
    from tamis.lowrank.completion.observed import read_file

    return tuple(read_file(table).column_names[:3])


def _predicted(question: CompleteQuestion, model: Any) -> dict[str, list[Any]] | None:
    """Predictions and their standard errors for the pairs that were asked for."""
    import warnings

    from tamis.lowrank.completion.observed import table_column

    if question.predict is None:
        return None
    rows = table_column(question.predict, question.user, 0)
    columns = table_column(question.predict, question.item, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # unknown names have a column of their own
        values, errors = model.predict(rows, columns), model.standard_error(rows, columns, new=True)
    known = [model.is_known(i, j) for i, j in zip(rows.tolist(), columns.tolist(), strict=True)]
    first, second = question.user or "row", question.item or "column"
    return {
        first: rows.tolist(), second: columns.tolist(), "predicted": values.tolist(), "standard_error": errors.tolist(),
        "known": known,
    }  # fmt: skip
