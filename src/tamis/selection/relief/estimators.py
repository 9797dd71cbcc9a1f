"""Relief and ReliefF: columns that tell a row from its nearest rows of other classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis._core.progress import ProgressMixin, reports_progress
from tamis._core.random import as_rng
from tamis._core.threads import thread_count
from tamis.selection.columns import ColumnSelector, open_source
from tamis.selection.relief.rows import Compared, compare_rows
from tamis.sources.base import Source
from tamis.stats.coded import read_target


@dataclass
class Measured:
    """What is known of the columns: relevance, its standard error, and the classes it was found with."""

    relevance: np.ndarray
    standard_errors: np.ndarray
    values: np.ndarray | None


class Neighbourly(ProgressMixin, ColumnSelector):
    """What the members of the family share; each says who the neighbours of a row are and what share each has."""

    n_features: int | None
    threshold: float | None
    n_samples: int | None
    power: int
    discrete: Any
    n_jobs: int | None
    random_state: Any

    @reports_progress
    def fit(self, X: Any, y: Any = None) -> Neighbourly:
        """Weigh the columns of X, anything that ``as_source`` takes, by the classes y."""
        self._check_cut()
        source = open_source(X, y, None, self.discrete, type(self).__name__)
        names = self._learn_names(X, source)
        found = self.measure(source)
        self.relevance_, self.standard_errors_ = found.relevance, found.standard_errors
        self._learn_choice(self._chosen(), names)
        self._learn_classes(found.values, source, y)
        return self

    def measure(self, source: Source, task: str = "auto") -> Measured:
        """The relevance of every column of a source with a target; nothing is chosen."""
        power = check_choice("power", self.power, (1, 2))
        target, _, weight = read_target(source, task)
        if weight is not None:
            raise InputError(f"sample_weight: {type(self).__name__} compares all rows alike; leave it out")
        if target.values is None:
            raise InputError(
                f"{type(self).__name__} compares classes, but y is continuous (whole numbers with more than 10 values "
                "are, unless there are few of them with many rows each): give labels"
            )
        n_threads = thread_count(self.n_jobs)
        rows = compare_rows(source, target.codes, target.n_classes, squared=power == 2, n_threads=n_threads)
        mean, errors = self._weigh(rows, n_threads)
        return Measured(mean, errors, target.values)

    def _check_cut(self) -> None:
        if self.n_features is not None and self.threshold is not None:
            raise InputError(
                f"n_features={self.n_features!r} and threshold={self.threshold!r} are two ways to choose: give one"
            )
        if self.threshold is not None:
            check_number("threshold", self.threshold)

    def _weigh(self, rows: Compared, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
        """Relevance and its standard error: those of a mean over rows, as far as these are independent."""
        n = len(rows.y)
        m = n if self.n_samples is None else check_count("n_samples", self.n_samples, at_most=n)
        queries = None if m == n else np.sort(as_rng(self.random_state).choice(n, m, replace=False))
        share = np.bincount(rows.y, minlength=rows.n_classes) / n
        neighbours, shares = self._neighbours(rows, queries, share, n_threads)
        mean, square = rows.means(np.arange(n) if queries is None else queries, neighbours, shares, n_threads)
        spread = np.maximum(square - mean**2, 0.0)
        return mean, np.sqrt(spread / (m - 1)) if m > 1 else np.full(len(mean), np.nan)

    def _neighbours(
        self, rows: Compared, queries: np.ndarray | None, share: np.ndarray, n_threads: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """(m, t) rows, −1 for none, and what their difference counts."""
        raise NotImplementedError

    def _chosen(self) -> list[int]:
        order = np.argsort(-self.relevance_, kind="stable")
        if self.n_features is not None:
            most = check_count("n_features", self.n_features, at_most=len(order))
            return order[:most].tolist()
        tau = 0.0 if self.threshold is None else float(self.threshold)
        return [int(j) for j in order if self.relevance_[j] > tau]


class Relief(Neighbourly):
    """δ_j = mean over the rows of diff_j(x, near-miss)² − diff_j(x, near-hit)².

    The near-hit of a row is its nearest row of the same class, the near-miss that of any other class; rows are near
    where Σ_j diff_j^power is small, and of rows equally near (to 2⁻³²) the lowest is taken. diff is 0 or 1 for
    discrete values, equal or not, and |a − b| / (max − min) for continuous ones. Relief sees what columns tell
    together, for it compares rows that are near in all of them.

    The book sums over the rows: its statistic is n times this mean.

    Parameters
    ----------
    n_features : int or None
        How many columns to select, those of the highest relevance.
    threshold : float or None
        τ: selects the columns above it; 0 where neither is given.
    n_samples : int or None
        How many rows, drawn at random, to average over; None: all.
    power : 2 or 1
        Of the differences: 2 as the book, 1 as ReBATE.
    discrete : "auto", "all", "none", mask, positions or names
        Which columns are discrete; "auto": booleans, labels, and whole numbers with at most 10 values.
    n_jobs, random_state

    Missing values count by what is expected of the values in the class of their row (Kononenko 1994).

    Attributes
    ----------
    relevance_ : (p,)
    standard_errors_ : (p,) of the mean over the rows, as far as these are independent
    support_, selected_features_, classes_, n_features_in_, feature_names_in_

    References: Kira and Rendell (1992); Zhou, Machine Learning, equation 11.3.

    Examples
    --------
    >>> from tamis import Relief
    >>> from tamis.datasets import load_watermelon
    >>> melons = load_watermelon()
    >>> relief = Relief(n_features=3).fit(melons.data, melons.target)
    >>> [melons.feature_names[j] for j in relief.selected_features_]
    ['texture', 'umbilicus', 'root']
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        threshold: float | None = None,
        n_samples: int | None = None,
        power: int = 2,
        discrete: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.threshold = threshold
        self.n_samples = n_samples
        self.power = power
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _neighbours(
        self, rows: Compared, queries: np.ndarray | None, share: np.ndarray, n_threads: int
    ) -> tuple[np.ndarray, np.ndarray]:
        near, distance = (part[:, :, 0] for part in rows.nearest(queries, 1, n_threads))
        own = rows.y if queries is None else rows.y[queries]
        each = np.arange(len(own))
        hit = near[each, own]
        distance[each, own] = np.inf
        tied = distance == distance.min(axis=1, keepdims=True)
        miss = np.where(tied, near, np.iinfo(np.int32).max).min(axis=1)  # of equally near ones the lowest row
        return np.ascontiguousarray(np.stack([hit, miss], axis=1)), np.tile([-1.0, 1.0], (len(own), 1))


class ReliefF(Neighbourly):
    """Relief for several classes: a row's nearest rows of its own class against those of each other class,

    δ_j = mean over the rows of Σ_{l ≠ k} w_l diff_j(x, misses of class l)^power − diff_j(x, hits)^power,

    means over ``n_neighbors`` rows each; a class with fewer rows gives those it has.

    Parameters
    ----------
    n_neighbors : int
    miss_weight : "conditional" or "prior"
        w_l = p_l / (1 − p_k), which sum to 1, or p_l as the book prints it; p are the shares of the classes.
    n_features, threshold, n_samples, power, discrete, n_jobs, random_state
        As in ``Relief``; ``power`` is 1 here unless told.

    Attributes
    ----------
    relevance_, standard_errors_, support_, selected_features_, classes_, n_features_in_, feature_names_in_
        As in ``Relief``.

    References: Kononenko (1994); Robnik-Šikonja and Kononenko (2003); Zhou, Machine Learning, equation 11.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tamis import ReliefF
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ReliefF(n_features=2).fit(X, y).selected_features_
    ['petal width (cm)', 'petal length (cm)']
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        n_neighbors: int = 10,
        threshold: float | None = None,
        n_samples: int | None = None,
        miss_weight: str = "conditional",
        power: int = 1,
        discrete: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.n_samples = n_samples
        self.miss_weight = miss_weight
        self.power = power
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _neighbours(
        self, rows: Compared, queries: np.ndarray | None, share: np.ndarray, n_threads: int
    ) -> tuple[np.ndarray, np.ndarray]:
        k = check_count("n_neighbors", self.n_neighbors)
        conditional = check_choice("miss_weight", self.miss_weight, ("conditional", "prior")) == "conditional"
        near, _ = rows.nearest(queries, min(k, len(rows.y)), n_threads)
        own = rows.y if queries is None else rows.y[queries]
        weight = np.tile(share, (len(own), 1))
        weight = weight / (1 - share[own])[:, None] if conditional else weight
        weight[np.arange(len(own)), own] = -1.0
        there = (near >= 0).sum(axis=2)
        shares = np.divide(weight, there, out=np.zeros_like(weight), where=there > 0)
        m, _, width = near.shape
        return near.reshape(m, -1), np.repeat(shares, width, axis=1)
