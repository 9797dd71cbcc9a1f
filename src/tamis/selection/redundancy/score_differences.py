"""Does dropping a column hurt a learner: paired differences of scores over repeated folds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import t as student
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.utils.validation import has_fit_parameter

from tamis._core.errors import InputError


@dataclass(frozen=True)
class ScoreLoss:
    """What a score loses without some columns.

    ``mean`` is the mean difference over the splits, ``error`` its standard error corrected for the overlap of their
    training rows (Nadeau and Bengio 2003), and ``pvalue`` that of a t-test of whether anything is lost.
    """

    mean: float
    error: float
    pvalue: float

    @classmethod
    def of(cls, differences: np.ndarray, test_share: float) -> ScoreLoss:
        """σ̂² (1/J + n_test/n_train) of J differences."""
        J, mean = len(differences), float(differences.mean())
        error = float(np.sqrt(differences.var(ddof=1) * (1 / J + test_share / (1 - test_share))))
        if error == 0.0:
            return cls(mean, 0.0, 0.0 if mean > 0 else 1.0)
        return cls(mean, error, float(student.sf(mean / error, J - 1)))


@dataclass
class LearnerScores:
    """A learner and the rows it is scored on; ``origin`` says which column of the table each column of X comes from."""

    learner: Any
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    origin: np.ndarray
    cv: int
    n_repeats: int
    scoring: Any
    seed: int
    cache: dict[bytes, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            self.scorer = check_scoring(self.learner, scoring=self.scoring)
        except (TypeError, ValueError) as error:
            raise InputError(f"learner={self.learner!r} cannot be scored: {error}") from None
        if self.weight is not None and not has_fit_parameter(self.learner, "sample_weight"):
            raise InputError(f"sample_weight: learner={type(self.learner).__name__} fits all rows alike; leave it out")
        kind = RepeatedStratifiedKFold if is_classifier(self.learner) else RepeatedKFold
        splitter = kind(n_splits=self.cv, n_repeats=self.n_repeats, random_state=self.seed)
        if is_classifier(self.learner):
            fewest = int(np.unique(self.y, return_counts=True)[1].min())
            if fewest < self.cv:
                raise InputError(f"cv={self.cv} folds need as many rows of every class, one has {fewest}: use fewer")
        try:
            self.splits = list(splitter.split(self.X, self.y))
        except ValueError as error:
            raise InputError(f"cv={self.cv} cannot split n_samples={len(self.y)} rows: {error}") from None

    def scores(self, present: np.ndarray) -> np.ndarray:
        """Of every split, with the columns of the table that are present."""
        key = np.packbits(present).tobytes()
        if key not in self.cache:
            X = self.X[:, present[self.origin]]
            self.cache[key] = np.array([self._score(X, train, test) for train, test in self.splits])
        return self.cache[key]

    def loss(self, present: np.ndarray, without: np.ndarray) -> ScoreLoss:
        """What is lost from one set of columns to another."""
        return ScoreLoss.of(self.scores(present) - self.scores(without), 1 / self.cv)

    def _score(self, X: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
        weights = [{} if self.weight is None else {"sample_weight": self.weight[rows]} for rows in (train, test)]
        try:
            fitted = clone(self.learner).fit(X[train], self.y[train], **weights[0])
            return float(self.scorer(fitted, X[test], self.y[test], **weights[1]))
        except ValueError as error:
            raise InputError(f"learner={type(self.learner).__name__} cannot be fitted: {error}") from error
