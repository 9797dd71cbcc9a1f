"""``tamis fit``: a sparse linear model of a table, with its penalty chosen along a path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tamis.studies.clusters import dask_option, open_table
from tamis.studies.question import Question, file_to_write, flag, option
from tamis.studies.table_question import TABLE, TASKS, number_or_range

if TYPE_CHECKING:
    from tamis.studies.fit_answer import FitAnswer

GROUPED = ("group", "sparse_group")
MIXED = ("elastic", "sparse_group", "fused")
PENALTIES = {
    "l1": "lasso",
    "elastic": "elastic net",
    "group": "group lasso",
    "sparse_group": "sparse group lasso",
    "adaptive": "adaptive lasso",
    "mcp": "MCP",
    "scad": "SCAD",
    "l0": "ℓ₀ model",
    "lq": "ℓ½ model",
    "slope": "SLOPE",
    "fused": "fused lasso",
}


class Loss(NamedTuple):
    """A loss of ``--loss``: the task it is for, its datafit, what its mean over rows is called, and whether that is 0
    for perfect predictions.
    """

    task: str
    datafit: str
    measure: str
    from_zero: bool = True


LOSSES = {
    "squared": Loss("regression", "squared", "mean squared error"),
    "huber": Loss("regression", "huber", "mean Huber loss"),
    "quantile": Loss("regression", "quantile", "mean pinball loss"),
    "poisson": Loss("regression", "poisson", "mean Poisson loss", False),
    "gamma": Loss("regression", "gamma", "mean gamma loss", False),
    "logistic": Loss("classification", "logistic", "log loss"),
    "svm": Loss("classification", "squared_hinge", "mean squared hinge"),
}


SUBSET_LOSSES = ("squared", "logistic")
SUBSET_RULES = {
    "bic": "bic",
    "min": "cv",
}  # of --rule, those that choose among sizes of subsets, and what they are called there


class Rule(NamedTuple):
    """How α is chosen, in words: where it is, and why a model without columns may be there."""

    where: str
    why_none: str
    folds: bool = False


_NOT_WORTH = "what columns explain is not worth their number"
RULES = {
    "min": Rule(
        "where the cross-validated error is least", "columns do not lower the cross-validated error", folds=True
    ),
    "1se": Rule(
        "the largest within one standard error of the least cross-validated error",
        "columns lower the cross-validated error by no more than one standard error",
        folds=True,
    ),
    "aic": Rule("where AIC is least", _NOT_WORTH),
    "bic": Rule("where BIC is least", _NOT_WORTH),
    "ebic": Rule("where the extended BIC is least", _NOT_WORTH),
}
PREDICTING = ("model", "predict", "id", "out", "json")  # what may be asked of a saved model


@dataclass(frozen=True, kw_only=True)
class FitQuestion(Question):
    """The options of ``tamis fit``: a table to fit, or a saved model to use."""

    verb: ClassVar[str] = "fit"

    table: Path | None = option(TABLE, default=None, positional=True)
    target: str | None = option("The column to predict.", default=None, flags=("--target", "-t"))
    task: str = option("What the target is; auto decides from its values.", default="auto", choices=TASKS)
    penalty: str = option(
        "What is asked of the coefficients besides fitting the rows.", default="l1", choices=tuple(PENALTIES)
    )
    loss: str = option(
        "How far a prediction is from the target; auto: squared for numbers, logistic for labels. poisson is for "
        "counts, gamma for amounts above 0, huber and quantile (the median) for numbers with outliers, svm for two "
        "classes.",
        default="auto",
        choices=("auto", *LOSSES),
    )
    best_subset: int | tuple[int, int] | None = option(
        "The best so many columns instead of a penalty: 5, or 2-8 for the number from 2 to 8 that --rule bic (the "
        "default here) or min chooses. With numbers as target it is proved how good they are.",
        default=None,
        parse=number_or_range,
        metavar="N|N-M",
        shown="a penalty",
    )
    rule: str = option(
        "How the penalty's weight α is chosen: least cross-validated error, the sparsest model within one "
        "standard error of it, or an information criterion.",
        default="1se",
        choices=tuple(RULES),
    )
    l1_ratio: float = option("Share of l1 in elastic, sparse-group and fused, 0 to 1.", default=0.5)
    cv: int = option("How many folds.", default=5)
    groups: list[str] = option(
        "Columns that enter together; may be repeated. one-hot: the labels of each column.",
        default=[],
        metavar="A,B,C",
        shown="one-hot",
    )
    drop: list[str] = option(
        "A column to leave out; may be repeated.", default=[], flags=("--drop", "-d"), metavar="COLUMN"
    )
    include: list[str] = option(
        "A column of numbers to use though it looks like an identifier; may be repeated.",
        default=[],
        metavar="COLUMN",
    )
    id: list[str] = option(
        "A column that names the rows: it is not used, and comes along into predictions; may be repeated.",
        default=[],
        metavar="COLUMN",
    )
    out: Path | None = option(
        "Where the fitted model goes; with --model, the predictions.",
        default=None,
        flags=("--out", "-o"),
        parse=file_to_write,
        metavar="FILE",
    )
    report: Path | None = option(
        "Where the page about the model goes.",
        default=None,
        flags=("--report", "-r"),
        parse=file_to_write,
        metavar="FILE",
        shown="tamis-report.html; none with --json, --predict or --model",
    )
    predict: Path | None = option("A table with new rows: their predictions are printed as CSV.", default=None)
    model: Path | None = option("A saved model to use instead of fitting a table.", default=None)
    no_nested: bool = option(
        "Leave out the scores on rows that took no part, for which the model is fitted again without each fifth of the "
        "rows.",
        default=False,
    )
    dask: str | None = dask_option()
    json: bool = option("Print one JSON document instead.", default=False, printing=True)

    @property
    def page(self) -> Path | None:
        """Where the page goes: where asked; none unless asked where the answer is read by a program."""
        aside = self.json or self.predict is not None or self.model is not None or str(self.out) == "/dev/stdout"
        return Path("tamis-report.html") if self.report is None and not aside else self.report

    @property
    def chosen_by(self) -> str:
        """The rule: of subsets BIC unless another is asked for."""
        return "bic" if self.best_subset is not None and not self.asks("rule") else self.rule

    def fitting(self) -> list[str]:
        """The options given that are for fitting, as they are typed."""
        return [
            flag(name, self.options()[name][1]) for name in self.chosen_options() if name not in ("table", *PREDICTING)
        ]


def check(question: FitQuestion) -> None:
    """Say what cannot be used before anything is read."""
    from tamis.studies.fit_answer import check_files, check_options

    check_files(question)
    if question.model is None:
        check_options(question)


def fit(question: FitQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator) -> FitAnswer:
    """Fit the table. ``with_progress`` may attach callbacks to the estimator before it is fitted."""
    from tamis.sources import as_source
    from tamis.studies.fit_answer import answer

    if question.predict is not None:
        as_source(question.predict)  # a file that is not there is a complaint before the work, not after
    return answer(question, open_table(question.table, question.dask, question.target), with_progress)
