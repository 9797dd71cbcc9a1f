"""The options that ``tamis select`` and ``tamis compare`` share: a table, its target, and what may be chosen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tamis.studies.question import Question, file_to_write, option

if TYPE_CHECKING:
    from tamis.sources import Source

TABLE = (
    "A CSV (.csv, .tsv, .txt, .csv.gz, .tsv.gz), Parquet (.parquet, .pq) or Excel (.xlsx, .xlsm; book.xlsx#prices for "
    "a sheet) file, or a folder of them."
)
TASKS = ("auto", "classification", "regression")
DATES = ("leave_out", "number")


def number_or_range(text: str) -> int | tuple[int, int]:
    """5, or 2-5."""
    try:
        low, dash, high = text.partition("-")
        return (int(low), int(high)) if dash else int(low)
    except ValueError:
        raise ValueError(f"{text!r} is neither a number nor a range such as 2-5") from None


@dataclass(frozen=True, kw_only=True)
class TableQuestion(Question):
    """Which columns of a table predict its target."""

    table: Path = option(TABLE, positional=True)
    target: str = option("The column to be predicted.", flags=("--target", "-t"))
    task: str = option("What the target is; auto decides from its values.", default="auto", choices=TASKS)
    n_features: int | tuple[int, int] | None = option(
        "How many columns to choose: 5, or 2-5 for the best number from 2 to 5. Groups count as one.",
        default=None,
        flags=("--n-features", "-k"),
        parse=number_or_range,
        metavar="N|N-M",
        shown="as few as do as well as the best",
    )
    keep: list[str] = option(
        "In every subset, also where it looks like an identifier; may be repeated.", default=[], metavar="COLUMN"
    )
    include: list[str] = option(
        "A column that looks like an identifier and may be chosen all the same; may be repeated.",
        default=[],
        metavar="COLUMN",
    )
    dates: str = option(
        "What becomes of columns of dates: left out, or numbers, days since 1970.", default="leave_out", choices=DATES
    )
    drop: list[str] = option(
        "A column to leave out; may be repeated.", default=[], flags=("--drop", "-d"), metavar="COLUMN"
    )
    feature_groups: list[str] = option(
        "Columns that come and go together; may be repeated.", default=[], metavar="A,B,C"
    )
    groups: str | None = option(
        "A column whose equal values keep rows together in one fold (a patient, a shop); it is not chosen.",
        default=None,
        metavar="COLUMN",
    )
    time_order: str | None = option(
        "A column of dates or numbers by which rows follow each other: rows are predicted from earlier ones only. It "
        "is not chosen.",
        default=None,
        metavar="COLUMN",
    )
    checkpoint: Path | None = option(
        "A file that remembers what is done: written if it is new; a run that was stopped goes on from it, with the "
        "same table and options.",
        default=None,
        flags=("--resume",),
        parse=file_to_write,
        metavar="FILE",
    )

    @property
    def table_title(self) -> str:
        """What the table is, for the page."""
        return str(self.table)

    @property
    def table_name(self) -> str:
        return self.table.name or str(self.table)

    @property
    def in_python(self) -> tuple[str, str]:
        """A line that brings the table, if it needs one, and the expression for it."""
        return "", repr(str(self.table))

    def open(self) -> Source:
        """The table."""
        from tamis.sources import as_source

        return as_source(self.table, target=self.target)
