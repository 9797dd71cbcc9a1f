"""The verbs of the command line and their options."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

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
        int | None,
        typer.Option("--n-features", "-k", help="How many columns to choose.", show_default="the search decides"),
    ] = None,
    search: Annotated[Search, typer.Option(help="How subsets of columns are searched.")] = Search.FORWARD,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", "-d", help="A column to leave out; may be repeated.", show_default=False),
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
      search             which columns together tell the most
      lasso              its weight in a sparse linear model, cross-validated

    \b
    Examples:
      tamis select patients.csv --target diagnosis
      tamis select sales.parquet --target revenue --n-features 10
      tamis select survey/ --target answer --drop id --json > answer.json
    """
    from tamis.cli.select import Wish, select_columns

    select_columns(
        Wish(
            table=table,
            target=target,
            task=task.value,
            n_features=n_features,
            search=search.value,
            drop=drop or [],
            out=out,
            as_json=json,
        )
    )


@app.command()
def demo() -> None:
    """Run select on a real table: 569 tumours, 30 measurements each, benign or malignant."""
    from tamis.cli.demo import run_demo

    run_demo()
