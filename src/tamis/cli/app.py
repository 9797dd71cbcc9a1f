"""The command and its verbs."""

from __future__ import annotations

from typing import Annotated

import typer

from tamis.cli.demo import demo
from tamis.cli.fit import fit
from tamis.cli.options import add_verb
from tamis.cli.select import select

app = typer.Typer(
    name="tamis",
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


for verb in (select, fit, demo):
    add_verb(app, verb)
