"""What a search does and what a score means, in words, for plots, reports and the command line.

Each search, each evaluation and each selector that is no search describes itself: its method ``describe`` returns one
of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class ScoreDescription:
    """Words about the scores of an evaluation."""

    name: str  # as in "by information gain"
    is_: str  # what a subset's score is
    unit: str = ""  # of the number; nothing where it has none
    most: float | Literal["target"] | None = None  # no score is higher; "target": the bits of the target
    counts: bool = False  # computed from how often values occur, so that numbers are cut into bins
    cells: bool = False  # of all columns of the subset together, so that many combinations flatter
    numbers: bool = False  # takes columns of numbers only
    number_target: bool = False  # and a target of numbers

    @property
    def axis(self) -> str:
        """Beside an axis of scores."""
        return f"{self.name}, {self.unit}" if self.unit else self.name


@dataclass(frozen=True)
class SearchDescription:
    """Words about a search. ``ends``: where no number of columns is given; ``proves``: what its result does and
    does not prove.
    """

    name: str  # as in "the forward search"
    does: str
    ends: str = ""
    proves: str = "a search that does not look at every subset proves nothing about those it left out"
    moves: bool = True  # from smaller to larger subsets or back, so that there is something to draw
    ordered: bool = True  # columns come one after the other
    score: str | None = None  # the sentence about what columns have, where subsets have no score


def in_words(name: str) -> str:
    """``InformationGain`` and ``information_gain`` as people say it; ``MRMR`` stays."""
    return name if name.isupper() else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def describe_anew(kind: Any, default: Callable[..., Any], methods: Iterable[str]) -> None:
    """Let a class that overrides one of the methods but not ``describe`` be described by its name: the words of the
    class above may be false of it.
    """
    own = vars(kind)
    if "describe" not in own and any(method in own for method in methods):
        kind.describe = default
