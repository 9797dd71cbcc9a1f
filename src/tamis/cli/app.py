"""The verbs of the command line and their options."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    name="tamis",
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Task(enum.StrEnum):
    AUTO = "auto"
    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Search(enum.StrEnum):
    FORWARD = "forward"
    BACKWARD = "backward"
    RANKING = "ranking"
    BIDIRECTIONAL = "bidirectional"
    FLOATING = "floating"
    BEST_FIRST = "best-first"
    BEAM = "beam"
    EXHAUSTIVE = "exhaustive"
    BRANCH_AND_BOUND = "branch-and-bound"
    RECURSIVE = "recursive"
    LAS_VEGAS = "las-vegas"


class Evaluation(enum.StrEnum):
    INFORMATION_GAIN = "information-gain"
    GAIN_RATIO = "gain-ratio"
    SYMMETRIC_UNCERTAINTY = "symmetric-uncertainty"
    VARIATION_OF_INFORMATION = "variation-of-information"
    ADJUSTED_RAND = "adjusted-rand"
    DISAGREEMENT = "disagreement"
    Q_STATISTIC = "q-statistic"
    KAPPA = "kappa"
    CORRELATION_COEFFICIENT = "correlation-coefficient"
    CONSISTENCY = "consistency"
    MRMR = "mrmr"
    MRMR_SET = "mrmr-set"
    JOINT_INFORMATION = "joint-information"
    CMIM = "cmim"
    CFS = "cfs"
    F_SCORE = "f-score"
    RELIEF_WEIGHT = "relief-weight"
    LINEAR_FIT = "linear-fit"


class Method(enum.StrEnum):
    SEARCH = "search"
    LASVEGAS = "lasvegas"
    RELIEF = "relief"
    TREE = "tree"


class Estimator(enum.StrEnum):
    LOGISTIC = "logistic"
    LINEAR = "linear"
    TREE = "tree"
    FOREST = "forest"
    KNN = "knn"


class Penalty(enum.StrEnum):
    L1 = "l1"
    ELASTIC = "elastic"
    GROUP = "group"
    SPARSE_GROUP = "sparse-group"
    ADAPTIVE = "adaptive"


class Rule(enum.StrEnum):
    MIN = "min"
    ONE_SE = "1se"
    AIC = "aic"
    BIC = "bic"
    EBIC = "ebic"


def number_or_range(text: str) -> int | tuple[int, int]:
    """5, or 2-5."""
    try:
        low, dash, high = text.partition("-")
        return (int(low), int(high)) if dash else int(low)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number nor a range such as 2-5") from None


def show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"tamis {version('tamis')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Find the few columns of a table that matter, with the evidence.

    \b
    Examples:
      tamis demo
      tamis select patients.csv --target diagnosis
      tamis select sales.parquet --target revenue --n-features 10 --out sales.html
      tamis fit sales.parquet --target revenue --out revenue.skops
    """
    del version
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def select(
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file, or a folder of them.", show_default=False)],
    target: Annotated[str, typer.Option("--target", "-t", help="The column to be told.", show_default=False)],
    task: Annotated[Task, typer.Option(help="What the target is; auto decides from its values.")] = Task.AUTO,
    n_features: Annotated[
        Any,
        typer.Option(
            "--n-features",
            "-k",
            parser=number_or_range,
            metavar="N|N-M",
            help="How many columns to choose: 5, or 2-5 for the best number from 2 to 5. Groups count as one.",
            show_default="the search decides",
        ),
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            help="How columns are chosen: search, subsets by an evaluation; lasvegas, random subsets that a learner "
            "is cross-validated on; relief, what differs between near rows; tree, what the splits of a tree use."
        ),
    ] = Method.SEARCH,
    search: Annotated[
        Search | None,
        typer.Option(
            metavar="NAME",
            help=f"How subsets of columns are proposed: {', '.join(Search)}.",
            show_default="forward",
        ),
    ] = None,
    evaluation: Annotated[
        Evaluation | None,
        typer.Option(
            metavar="NAME",
            help=f"How good a subset is: {', '.join(Evaluation)}. linear-fit is for numbers and for two classes.",
            show_default="information-gain",
        ),
    ] = None,
    estimator: Annotated[
        Estimator | None,
        typer.Option(
            help="The learner that lasvegas chooses columns for; of tree, tree or forest.",
            show_default="logistic for classes, linear for numbers; tree",
        ),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(metavar="T", help="lasvegas ends after so many draws in a row in vain.", show_default="100"),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(metavar="T", help="lasvegas ends after so many draws, all columns first.", show_default=False),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME.PARAMETER=VALUE",
            help="A parameter of the search, evaluation, method or estimator of this name, such as beam.width=5, "
            "mrmr.scheme=quotient or knn.n_neighbors=3; may be repeated.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="In every subset, also where it looks like an identifier; may be repeated.",
            show_default=False,
        ),
    ] = None,
    feature_groups: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B,C", help="Columns that come and go together; may be repeated.", show_default=False),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="When the search is to end with the best subset so far. Ctrl-C does the same.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="A file that remembers every evaluated subset: written if it is new; a search that was stopped goes "
            "on from it, with the same table and options.",
            show_default=False,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop", "-d", metavar="COLUMN", help="A column to leave out; may be repeated.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Where the HTML report goes.", show_default="tamis-report.html; none with --json"
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of the table.")] = False,
) -> None:
    """Rank the columns of a table by what they tell about the target, and write a report.

    \b
    Each column is measured three ways:
      information gain   how many bits it tells about the target on its own
      search             which columns together score best
      lasso              its weight in a sparse linear model, cross-validated

    \b
    Examples:
      tamis select patients.csv --target diagnosis
      tamis select sales.parquet --target revenue --n-features 10
      tamis select survey/ --target answer --drop id --json > answer.json
      tamis select sales.csv -t revenue --search floating --evaluation linear-fit
      tamis select genes.csv -t ill --keep age -k 2-8 --resume genes.sqlite
      tamis select sales.csv -t revenue --search beam --set beam.width=20
      tamis select genes.csv -t ill --method lasvegas --estimator knn --time-limit 600
      tamis select genes.csv -t ill --method relief --set relief.n_neighbors=20

    \b
    Exit codes:
      0     columns were chosen, also where Ctrl-C or the time limit ended the search
      2     something cannot be used
      130   Ctrl-C before any columns were chosen
    """
    from tamis.cli.select import Wish, select_columns

    select_columns(
        Wish(
            table=table,
            target=target,
            task=task.value,
            method=method.value,
            n_features=n_features,
            search=search and search.value,
            evaluation=evaluation and evaluation.value,
            estimator=estimator and estimator.value,
            patience=patience,
            trials=trials,
            set=set_ or [],
            keep=keep or [],
            feature_groups=feature_groups or [],
            time_limit=time_limit,
            resume=resume,
            drop=drop or [],
            out=out,
            as_json=json,
        )
    )


@app.command()
def fit(
    table: Annotated[
        Path | None, typer.Argument(help="A CSV or Parquet file, or a folder of them.", show_default=False)
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The column to predict.", show_default=False)
    ] = None,
    task: Annotated[
        Task | None, typer.Option(help="What the target is; auto decides from its values.", show_default="auto")
    ] = None,
    penalty: Annotated[
        Penalty | None,
        typer.Option(help="What is asked of the coefficients besides fitting the rows.", show_default="l1"),
    ] = None,
    rule: Annotated[
        Rule | None,
        typer.Option(
            help="How the penalty's weight α is chosen: least cross-validated error, the sparsest model within one "
            "standard error of it, or an information criterion.",
            show_default="1se",
        ),
    ] = None,
    l1_ratio: Annotated[
        float | None,
        typer.Option("--l1-ratio", help="Share of l1 in elastic and sparse-group, 0 to 1.", show_default="0.5"),
    ] = None,
    cv: Annotated[int | None, typer.Option(help="How many folds.", show_default="5")] = None,
    groups: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B,C",
            help="Columns that enter together; may be repeated. one-hot: the labels of each column.",
            show_default="one-hot",
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop", "-d", metavar="COLUMN", help="A column to leave out; may be repeated.", show_default=False
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column of numbers to use though it looks like an identifier; may be repeated.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Where the fitted model goes; with --model, the predictions.", show_default=False
        ),
    ] = None,
    predict: Annotated[
        Path | None,
        typer.Option(help="A table with new rows: their predictions are printed as CSV.", show_default=False),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="A saved model to use instead of fitting a table.", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> None:
    """Fit a sparse linear model to a table: few columns, their coefficients, and a proof that they are optimal.

    \b
    Numbers are taken as they are, dates as days since 1970, labels become one
    0/1 column each, missing numbers the mean of their column. Numbers are
    predicted by least squares, labels by logistic regression. The penalty's
    weight α is chosen by cross-validation or by an information criterion. With
    --predict the predictions go to stdout and the words about the model to
    stderr.

    \b
    Examples:
      tamis fit sales.parquet --target revenue
      tamis fit patients.csv -t ill --penalty group --rule min --out ill.skops
      tamis fit --model ill.skops
      tamis fit --model ill.skops --predict new.csv --out predictions.csv

    \b
    Exit codes:
      0     a model was fitted, told or applied
      2     something cannot be used
      130   Ctrl-C
    """
    from tamis.cli.fit import Wish, fit_model

    options = {
        "target": target,
        "task": task and task.value,
        "penalty": penalty and penalty.value,
        "rule": rule and rule.value,
        "l1_ratio": l1_ratio,
        "cv": cv,
        "groups": groups or [],
        "drop": drop or [],
        "keep": keep or [],
    }
    fit_model(Wish(table=table, model=model, out=out, predict=predict, as_json=json, options=options))


@app.command()
def demo() -> None:
    """Run select on a real table: 569 tumours, 30 measurements each, benign or malignant."""
    from tamis.cli.demo import run_demo

    run_demo()
