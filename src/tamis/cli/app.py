"""The command and its verbs."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from tamis.cli.options import add_verb

# In the order of --help; each a function of the module of its name.
VERBS = (
    "select",
    "compare",
    "fit",
    "components",
    "dictionary",
    "denoise",
    "recover",
    "complete",
    "separate",
    "demo",
    "completion",
)

app = typer.Typer(
    name="tamis",
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        from tamis._core.threads import thread_count
        from tamis._kernels import kernels

        n = thread_count()
        variant = kernels.__name__.rpartition("._")[2].replace("x86_64_", "x86-64-")
        typer.echo(f"tamis {version('tamis')} (kernels {variant}, {n} thread{'' if n == 1 else 's'})")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=show_version,
            is_eager=True,
            help="Print version, kernels and threads.",
        ),
    ] = False,
) -> None:
    """Find the few columns of a table that matter, with the evidence.

    \b
    Examples:
      tamis demo
      tamis select patients.csv --target diagnosis
      tamis select sales.parquet --target revenue --n-features 10 --out sales.html
      tamis compare patients.csv --target diagnosis --time 60
      tamis fit sales.parquet --target revenue --out revenue.skops
      tamis components wine.csv --label class
    """
    del version
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for name in VERBS:
    add_verb(app, getattr(import_module(f"tamis.cli.{name}"), name))
