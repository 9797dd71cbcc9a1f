"""What the score of each evaluation means, in words: for plots, reports and the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal


@dataclass(frozen=True)
class Meaning:
    """Words about the scores of an evaluation."""

    name: str  # as in "by information gain"
    is_: str  # what a subset's score is
    unit: str = ""  # of the number; nothing where it has none
    most: float | Literal["target"] | None = None  # no score is higher; "target": the bits of the target
    counts: bool = False  # read off how often values come, so that numbers are cut into parts
    cells: bool = False  # of all columns of the subset together, so that many combinations flatter
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
        cells=True,
    ),
    "GainRatio": Meaning(
        "gain ratio",
        "the bits its columns tell about the target for each bit they have themselves, from 0 to 1; columns with many "
        "values pay for them",
        most=1.0,
        counts=True,
        cells=True,
    ),
    "SymmetricUncertainty": Meaning(
        "symmetric uncertainty",
        "how much its columns and the target tell about each other, from 0 for nothing to 1 for everything",
        most=1.0,
        counts=True,
        cells=True,
    ),
    "VariationOfInformation": Meaning(
        "−variation of information",
        "minus the bits that its columns and the target do not share; 0 is best",
        "bits",
        most=0.0,
        counts=True,
        cells=True,
    ),
    "AdjustedRand": Meaning(
        "adjusted Rand index",
        "how well rows that agree on its columns are those of one class, beyond chance: 0 by chance, 1 at best",
        most=1.0,
        counts=True,
        cells=True,
    ),
    "Disagreement": Meaning(
        "−disagreement",
        "minus the share of pairs of rows that agree on its columns but not on the target, or the other way round; 0 "
        "is best",
        most=0.0,
        counts=True,
        cells=True,
    ),
    "QStatistic": Meaning(
        "Q statistic",
        "how far agreeing on its columns goes with agreeing on the target, over pairs of rows: from −1 to 1, 0 for no "
        "connection",
        most=1.0,
        counts=True,
        cells=True,
    ),
    "Kappa": Meaning(
        "κ",
        "the agreement of its columns with the target beyond chance, over pairs of rows: 0 by chance, 1 at best",
        most=1.0,
        counts=True,
        cells=True,
    ),
    "CorrelationCoefficient": Meaning(
        "correlation of pairs",
        "the correlation coefficient of agreeing on its columns and agreeing on the target, over pairs of rows: from "
        "−1 to 1, 0 for no connection",
        most=1.0,
        counts=True,
        cells=True,
    ),
    "Consistency": Meaning(
        "consistency",
        "the share of rows whose class is the most frequent one among the rows that agree on its columns; it never "
        "falls when a column is added",
        most=1.0,
        counts=True,
        cells=True,
    ),
    "MRMR": Meaning(
        "relevance − redundancy",
        "the sum over its columns, in their order, of the bits that each tells about the target, minus the mean bits "
        "that it tells about those before it; it may be negative",
        "bits",
        counts=True,
    ),
    "MRMRSet": Meaning(
        "mean relevance − redundancy",
        "the mean bits its columns tell about the target, each by itself, minus the mean bits that two of them tell "
        "about each other; it may be negative",
        "bits",
        counts=True,
    ),
    "JointInformation": Meaning(
        "joint information",
        "the mean bits that two of its columns tell about the target together",
        "bits",
        counts=True,
    ),
    "CMIM": Meaning(
        "conditional information",
        "the sum of the bits that each column tells about the target beside the one before it that leaves it least",
        "bits",
        counts=True,
    ),
    "CFS": Meaning(
        "merit",
        "high where its columns go with the target and not with each other: k r / √(k + k (k − 1) s) of k columns, r "
        "their mean correlation with the target and s that of their pairs, taken as symmetric uncertainties",
        counts=True,
    ),
    "FScore": Meaning(
        "F-statistic",
        "the sum of the F-statistics of its columns; each counts by itself, so a twin of a chosen column counts again",
        numbers=True,
    ),
    "ReliefWeight": Meaning(
        "relevance by ReliefF",
        "the sum of how much more each column differs between near rows whose targets differ than between near rows "
        "whose targets are alike; below 0 it tells nothing",
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
SCORINGS = {"r2": "R²", "accuracy": "accuracy"}
CRITERIA = {"aic": "AIC", "bic": "BIC"}


def meaning(evaluation: Any) -> Meaning:
    """Of an evaluation object; one that is not ours is called by its class."""
    kind = type(evaluation).__name__
    if kind in VARIANTS:
        return VARIANTS[kind](evaluation)
    return MEANINGS.get(kind) or Meaning(spoken(kind), f"what {kind} gives for it; higher is better")


def spoken(name: str) -> str:
    """``InformationGain`` and ``information_gain`` as people say it; ``MRMR`` stays."""
    return name if name.isupper() else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def _linear_fit(evaluation: Any) -> Meaning:
    known = MEANINGS["LinearFit"]
    if evaluation.criterion in CRITERIA:
        name = CRITERIA[evaluation.criterion]
        return replace(known, name=f"−{name}", is_=f"minus the {name} of least squares on its columns", most=None)
    if evaluation.scoring == "neg_mean_squared_error":
        words = "minus the mean squared error of least squares on its columns in rows left out"
        return replace(known, name="−mean squared error", is_=words, most=0.0)
    return known


def _mrmr(evaluation: Any) -> Meaning:
    kind = type(evaluation).__name__
    known = MEANINGS[kind]
    if evaluation.scheme == "quotient":
        words = known.is_.replace(", minus the", ", over the").removesuffix("; it may be negative")
        known = replace(known, name=known.name.replace("−", "/"), is_=words, unit="")
    if evaluation.by == "correlation":
        words = f"what {kind} makes of the F-statistics of its columns and of the correlations of their pairs"
        known = replace(known, is_=words, unit="", counts=False, numbers=True)
    return known


def _cfs(evaluation: Any) -> Meaning:
    known = MEANINGS["CFS"]
    if evaluation.by == "correlation":
        known = replace(known, is_=known.is_.partition(", taken")[0], counts=False, numbers=True)
    return known


def _cross_validated(evaluation: Any) -> Meaning:
    learner = type(getattr(evaluation.estimator, "steps", [("", evaluation.estimator)])[-1][1]).__name__
    scoring = evaluation.scoring
    if isinstance(scoring, str):
        words = SCORINGS.get(scoring, spoken(scoring))
    else:
        words = getattr(scoring, "__name__", "score")
    most = 1.0 if words in SCORINGS.values() else None
    said = f"the {words} of {learner} in rows left out, the mean over the folds"
    return Meaning(f"cross-validated {words} of {learner}", said, most=most, numbers=True)


VARIANTS: dict[str, Callable[[Any], Meaning]] = {
    "CFS": _cfs,
    "CrossValidated": _cross_validated,
    "LinearFit": _linear_fit,
    "MRMR": _mrmr,
    "MRMRSet": _mrmr,
}
