"""``tamis completion``: which shell completes the command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tamis.studies.question import Question, option

SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True, kw_only=True)
class CompletionQuestion(Question):
    """The options of ``tamis completion``."""

    verb: ClassVar[str] = "completion"

    shell: str = option("Which shell: {choices}.", positional=True, choices=SHELLS, metavar="SHELL")
