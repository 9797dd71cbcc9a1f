"""``tamis separate``: a video, or a folder of pictures, as a steady background and what moves before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tamis.studies.question import Question, option

if TYPE_CHECKING:
    from tamis.studies.separate_video import SeparateAnswer

METHODS = ("auto", "alternating", "online", "graph")


@dataclass(frozen=True, kw_only=True)
class SeparateQuestion(Question):
    """The options of ``tamis separate``."""

    verb: ClassVar[str] = "separate"

    video: Path = option("A video, or a folder of pictures of one size.", positional=True, metavar="VIDEO_OR_FOLDER")
    method: str = option(
        "{choices}; graph: smooth from frame to frame; online: frame by frame, which auto takes for long videos.",
        default="auto",
        choices=METHODS,
    )
    rank: int | None = option("Rank of the background.", default=None, shown="chosen from a sample")
    out: Path | None = option(
        "The folder that is written.", default=None, flags=("--out", "-o"), metavar="FOLDER", shown="NAME-separated"
    )
    json: bool = option("Print one JSON document instead.", default=False, printing=True)

    @property
    def folder(self) -> Path:
        return self.out if self.out is not None else Path(f"{self.video.stem or self.video.name}-separated")


def separate(
    question: SeparateQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator
) -> SeparateAnswer:
    """Read, split and write the two videos."""
    from tamis.studies.separate_video import answer

    return answer(question, with_progress)
