"""What the score of each evaluation means, in words: for plots, reports and the command line."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal


@dataclass(frozen=True)
class Meaning:
    """Words about the scores of an evaluation."""

    name: str  # as in "by information gain"
    is_: str  # what a subset's score is
    unit: str = ""  # of the number; nothing where it has none
    most: float | Literal["target"] | None = None  # no score is higher; "target": the bits of the target
    counts: bool = False  # read off how often values come together, so that many combinations flatter
    numbers: bool = False  # takes columns of numbers only
    number_target: bool = False  # and a target of numbers

    @property
    def axis(self) -> str:
        """Beside an axis of scores."""
        return f"{self.name}, {self.unit}" if self.unit else self.name


MEANINGS = {
    "InformationGain": Meaning(
        "information gain",
        "how many bits its columns tell about the target together; it never falls when a column is added, and a twin "
        "of a chosen column adds nothing",
        "bits",
        most="target",
        counts=True,
    ),
    "GainRatio": Meaning(
        "gain ratio",
        "the bits its columns tell about the target for each bit they have themselves, from 0 to 1; columns with many "
        "values pay for them",
        most=1.0,
        counts=True,
    ),
    "SymmetricUncertainty": Meaning(
        "symmetric uncertainty",
        "how much its columns and the target tell about each other, from 0 for nothing to 1 for everything",
        most=1.0,
        counts=True,
    ),
    "VariationOfInformation": Meaning(
        "−variation of information",
        "minus the bits that its columns and the target do not share; 0 is best",
        "bits",
        most=0.0,
        counts=True,
    ),
    "AdjustedRand": Meaning(
        "adjusted Rand index",
        "how well rows that agree on its columns are those of one class, beyond chance: 0 by chance, 1 at best",
        most=1.0,
        counts=True,
    ),
    "Disagreement": Meaning(
        "−disagreement",
        "minus the share of pairs of rows that agree on its columns but not on the target, or the other way round; 0 "
        "is best",
        most=0.0,
        counts=True,
    ),
    "QStatistic": Meaning(
        "Q statistic",
        "how far agreeing on its columns goes with agreeing on the target, over pairs of rows: from −1 to 1, 0 for no "
        "connection",
        most=1.0,
        counts=True,
    ),
    "Kappa": Meaning(
        "κ",
        "the agreement of its columns with the target beyond chance, over pairs of rows: 0 by chance, 1 at best",
        most=1.0,
        counts=True,
    ),
    "Consistency": Meaning(
        "consistency",
        "the share of rows whose class is the most frequent one among the rows that agree on its columns; it never "
        "falls when a column is added",
        most=1.0,
        counts=True,
    ),
    "LinearFit": Meaning(
        "cross-validated R²",
        "the share of the target's variance that least squares on its columns explains in rows left out; below 0 it "
        "does worse than the mean",
        most=1.0,
        numbers=True,
        number_target=True,
    ),
}
CRITERIA = {"aic": "AIC", "bic": "BIC"}


def meaning(evaluation: Any) -> Meaning:
    """Of an evaluation object; one that is not ours is called by its class."""
    kind = type(evaluation).__name__
    known = MEANINGS.get(kind)
    if kind == "CrossValidated":
        return _cross_validated(evaluation)
    if known is None:
        return Meaning(spoken(kind), f"what {kind} gives for it; higher is better")
    return _linear_fit(evaluation, known) if kind == "LinearFit" else known


def spoken(name: str) -> str:
    """``InformationGain`` and ``information_gain`` as people say it; ``MRMR`` stays."""
    return name if name.isupper() else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def _linear_fit(evaluation: Any, known: Meaning) -> Meaning:
    if evaluation.criterion in CRITERIA:
        name = CRITERIA[evaluation.criterion]
        return replace(known, name=f"−{name}", is_=f"minus the {name} of least squares on its columns", most=None)
    if evaluation.scoring == "neg_mean_squared_error":
        words = "minus the mean squared error of least squares on its columns in rows left out"
        return replace(known, name="−mean squared error", is_=words, most=0.0)
    return known


def _cross_validated(evaluation: Any) -> Meaning:
    learner = type(evaluation.estimator).__name__
    scoring = evaluation.scoring
    words = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
    name = f"cross-validated {spoken(words)} of {learner}"
    return Meaning(name, f"the {spoken(words)} of {learner} in rows left out, the mean over the folds")
