"""``tamis dictionary``: atoms that images or the rows of a table are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tamis.studies.question import Question, file_to_write, option

if TYPE_CHECKING:
    from tamis.studies.dictionary_answer import DictionaryAnswer


@dataclass(frozen=True, kw_only=True)
class DictionaryQuestion(Question):
    """The options of ``tamis dictionary``."""

    verb: ClassVar[str] = "dictionary"

    files: list[Path] = option("Images, whose patches are coded, or one table, whose rows are.", positional=True)
    atoms: int = option("How many atoms are learned.", default=256, metavar="K")
    n_nonzero: int = option("Most atoms of a patch or row.", default=5, metavar="N")
    patch: int = option("Patches of images are so many pixels high and wide.", default=8, metavar="PIXELS")
    patches: int = option("How many patches are drawn, in all images together.", default=20_000, metavar="N")
    colour: bool = option("Keep the colours of images.", default=False)
    sweeps: int = option("Sweeps of K-SVD.", default=20, metavar="N")
    out: Path = option(
        "Where the atoms go, as an image of them side by side.",
        default=Path("atoms.png"),
        flags=("--out", "-o"),
        parse=file_to_write,
        metavar="FILE",
    )
    model: Path | None = option(
        "Where the learned model goes, for skops to load.",
        default=None,
        parse=file_to_write,
        metavar="FILE",
        shown="as --out, with .skops",
    )
    report: Path | None = option(
        "Where the page goes.",
        default=None,
        parse=file_to_write,
        metavar="FILE",
        flags=("--report", "-r"),
        shown="as --out, with .html",
    )
    json: bool = option("Print one JSON document instead of words.", default=False, printing=True)

    @property
    def outputs(self) -> dict[str, Path]:
        """The three files that are written, by argument."""
        return {
            "out": self.out,
            "model": self.model or self.out.with_suffix(".skops"),
            "report": self.report or self.out.with_suffix(".html"),
        }


def dictionary(
    question: DictionaryQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator
) -> DictionaryAnswer:
    """Learn atoms and write them with the model; what cannot be used is said before anything is read."""
    from tamis.studies.dictionary_answer import answer, check

    check(question)
    return answer(question, with_progress)
