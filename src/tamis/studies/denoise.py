"""``tamis denoise``: an image without its noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tamis.studies.question import Question, file_to_write, option

if TYPE_CHECKING:
    from tamis.studies.denoise_answer import DenoiseAnswer

IMAGE = "A PNG, JPEG, TIFF or BMP image."


@dataclass(frozen=True, kw_only=True)
class DenoiseQuestion(Question):
    """The options of ``tamis denoise``."""

    verb: ClassVar[str] = "denoise"

    image: Path = option(IMAGE, positional=True)
    out: Path = option(
        "Where the denoised image goes; the ending says the format.", positional=True, parse=file_to_write
    )
    sigma: float | None = option(
        "Standard deviation of the noise, black being 0 and white 255.", default=None, shown="measured in the image"
    )
    atoms: int = option("How many atoms are learned.", default=256, metavar="K")
    patch: int = option("Patches are so many pixels high and wide.", default=8, metavar="PIXELS")
    sweeps: int = option("Sweeps of K-SVD over patches of the image; 0 uses cosines.", default=10, metavar="N")
    step: int = option("Take patches at every so many pixels: faster, and a little worse.", default=1, metavar="PIXELS")
    grey: bool = option("Turn colours into grey first.", default=False)
    report: Path | None = option(
        "Where a page goes: before and after, what was taken away, and the atoms.",
        default=None,
        parse=file_to_write,
        metavar="FILE",
        flags=("--report", "-r"),
    )
    json: bool = option("Print one JSON document instead of words.", default=False, printing=True)


def denoise(question: DenoiseQuestion, on_progress: Callable[[str, int, int], None] | None = None) -> DenoiseAnswer:
    """Denoise the image and write it; what cannot be used is said before it is read."""
    from tamis.studies.denoise_answer import answer, check

    check(question)
    return answer(question, on_progress)
