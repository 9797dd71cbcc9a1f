"""``tamis recover``: measure an image, a sound or a column of numbers at a low rate, and recover it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tamis.studies.question import Question, file_to_write, names_in, option

if TYPE_CHECKING:
    from tamis.studies.recover_answer import RecoverAnswer

REPORT = Path("tamis-recover.html")
PATTERNS = ("uniform", "density", "radial")


@dataclass(frozen=True, kw_only=True)
class RecoverQuestion(Question):
    """The options of ``tamis recover``. Where None is a default, it depends on what the file holds."""

    verb: ClassVar[str] = "recover"

    file: Path = option("An image (.png, .jpg, …), a sound (.wav), or a table (.csv, .parquet).", positional=True)
    rate: float = option("Measurements per number of the signal, above 0 and at most 1.", default=0.25)
    measurement: str | None = option(
        "What is measured: {choices}.",
        default=None,
        choices=names_in("tamis.sensing.measurements", "MEASUREMENTS"),
        shown="partial-fourier for images, else samples",
    )
    pattern: str | None = option(
        "Which rows of partial-fourier and partial-dct: with equal chances, low frequencies more often, or lines.",
        default=None,
        choices=PATTERNS,
        shown="density",
    )
    basis: str | None = option(
        "Where the signal is sparse: identity, dct, fourier, wavelet, gabor, or a wavelet such as sym8.",
        default=None,
        metavar="NAME",
        shown="bior4.4 for images, gabor for sounds, dct for columns",
    )
    method: str = option(
        "How it is recovered: {choices}.", default="fista", choices=names_in("tamis.sensing.recoveries", "RECOVERIES")
    )
    n_nonzero: int | None = option("How many coefficients, for methods that are told.", default=None)
    alpha: float | None = option(
        "Weight of the penalty, for methods that have one.",
        default=None,
        shown="a thousandth of the largest useful one",
    )
    column: str | None = option("Which column of a table.", default=None, shown="the first of numbers")
    seed: int = option("Of what is measured.", default=0)
    time_limit: float = option("Seconds for the recovery.", default=60.0)
    out: Path | None = option(
        "Where the recovered image, sound or column goes, in the numbers of the file.",
        default=None,
        flags=("--out", "-o"),
        parse=file_to_write,
        metavar="FILE",
    )
    report: Path = option(
        "Where the page goes.", default=REPORT, parse=file_to_write, metavar="FILE", flags=("--report", "-r")
    )
    json: bool = option("Print one JSON document instead.", default=False, printing=True)


def recover(question: RecoverQuestion) -> RecoverAnswer:
    """Read, measure, recover. What cannot be used is said before any work."""
    from tamis.studies.recover_answer import answer, check

    check(question)
    return answer(question)
