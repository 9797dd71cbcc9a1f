"""Relief and its family: columns that tell a row from its near rows of other classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis.selection.relief.base import ReliefBase
from tamis.selection.relief.neighbour_weights import class_weights, equal_weights, nearest_hit_and_miss, rank_weights
from tamis.selection.relief.table import ReliefTable, TargetLabels
from tamis.selection.relief.weight_sums import NearestAccumulator, RadiusAccumulator, WeightAccumulator
from tamis.sources.base import Source
from tamis.stats.coded import read_rows


class Relief(ReliefBase):
    """Relevance of columns for two classes by the nearest row of each class.

    δ_j = mean over the rows of diff_j(x, near-miss)² − diff_j(x, near-hit)².

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
        τ: selects the columns above it; 0 where none of the three is given.
    fdr : float or None
        Selects by p-values so that of the selected columns at most this share tells nothing, on average (Benjamini
        and Hochberg 1995).
    n_permutations : int or None
        How often rows are shuffled for ``pvalues_``; None: 50 with ``fdr``, else never.
    n_samples : int, "auto" or None
        How many rows, drawn at random, to average over; None: all. "auto" draws ever more until the first
        ``n_features`` columns would be those of all rows with 99 % confidence.
    removal : float or None
        The share of columns, those of the lowest relevance, that is left out before the rest is weighed again, until
        ``n_features`` remain.
    power : 2 or 1
        Of the differences: 2 as the book, 1 as ReBATE.
    time_limit : float or None
        Seconds after which "auto" looks no further.
    task : "auto" or "classification"
        Whole numbers with more than 10 values in y may be classes ("classification") or not ("auto": by how many rows
        each has).
    discrete : "auto", "all", "none", mask, positions or names
        Which columns are discrete; "auto": booleans, labels, and whole numbers with at most 10 values.
    n_jobs, random_state

    Missing values count by what is expected of the values in the class of their row (Kononenko 1994); columns without
    any value count nothing. Constant columns have relevance 0. A row alone in its class has no hit, and counts
    only by how it differs from the others.

    Attributes
    ----------
    relevance_ : (p,)
    standard_errors_ : (p,) as STIR's: from all pairs of a row and a neighbour, as far as these are independent
    pvalues_ : (p,) where rows were shuffled: of the hypothesis that the column, with those it depends on, is
        independent of the target and of the columns that tell something of it
    n_samples_ : how many rows were averaged over
    status_ : "finished" (all that were asked for), "settled", "time_limit" or "interrupted"
    support_, selected_features_, classes_, n_features_in_, feature_names_in_

    References: Kira and Rendell (1992); Zhou, Machine Learning, equation 11.3; Moore and White (2007) for removal; Le
    and others (2019) for the errors.

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
        fdr: float | None = None,
        n_permutations: int | None = None,
        n_samples: Any = None,
        removal: float | None = None,
        power: int = 2,
        time_limit: float | None = None,
        task: str = "auto",
        discrete: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.threshold = threshold
        self.fdr = fdr
        self.n_permutations = n_permutations
        self.n_samples = n_samples
        self.removal = removal
        self.power = power
        self.time_limit = time_limit
        self.task = task
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _accumulator(self, table: ReliefTable, n_threads: int) -> WeightAccumulator:
        return NearestAccumulator(table, 1, nearest_hit_and_miss, n_threads)


class ReliefF(ReliefBase):
    """Relief for several classes: a row's nearest rows of its own class against those of each other class,

    δ_j = mean over the rows of Σ_{l ≠ k} w_l diff_j(x, misses of class l)^power − diff_j(x, hits)^power,

    means over ``n_neighbors`` rows each; a class with fewer rows gives those it has.

    Parameters
    ----------
    n_neighbors : int
    miss_weight : "conditional", "prior" or "equal"
        w_l = p_l / (1 − p_k), which sum to 1, or p_l as the book prints it, or the same for all, as ReBATE's ReliefF
        has it where each class has ``n_neighbors`` rows to give; p are the shares of the classes.
    n_features, threshold, fdr, n_permutations, n_samples, removal, power, time_limit, task, discrete, n_jobs,
    random_state
        As in ``Relief``; ``power`` is 1 here by default.

    Attributes
    ----------
    relevance_, standard_errors_, pvalues_, n_samples_, status_, support_, selected_features_, classes_
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
        fdr: float | None = None,
        n_permutations: int | None = None,
        n_samples: Any = None,
        removal: float | None = None,
        miss_weight: str = "conditional",
        power: int = 1,
        time_limit: float | None = None,
        task: str = "auto",
        discrete: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.fdr = fdr
        self.n_permutations = n_permutations
        self.n_samples = n_samples
        self.removal = removal
        self.miss_weight = miss_weight
        self.power = power
        self.time_limit = time_limit
        self.task = task
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _accumulator(self, table: ReliefTable, n_threads: int) -> WeightAccumulator:
        k = check_count("n_neighbors", self.n_neighbors)
        return NearestAccumulator(table, k, equal_weights(class_weights(table, self.miss_weight)), n_threads)


class MultiSURF(ReliefBase):
    """ReliefF whose neighbours are all rows nearer than a radius of each row's own: the mean of its distances to all
    others less half their standard deviation.

    There is no number of neighbours to choose. A class without a near row counts nothing.

    Parameters
    ----------
    miss_weight : "conditional", "prior" or "equal"
        As in ``ReliefF``. With three classes and more none of them is ReBATE's rule, which weighs each class by its
        share of the near misses.
    n_features, threshold, fdr, n_permutations, n_samples, removal, power, time_limit, task, discrete, n_jobs,
    random_state
        As in ``Relief``; ``power`` is 1 here by default.

    Attributes
    ----------
    relevance_, standard_errors_, pvalues_, n_samples_, status_, support_, selected_features_, classes_
        As in ``Relief``.

    References: Urbanowicz, Olson, Schmitt, Meeker and Moore (2018).

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import MultiSURF
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> sorted(MultiSURF(n_features=2).fit(X, X[:, 1] ^ X[:, 4]).selected_features_)
    [1, 4]
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        threshold: float | None = None,
        fdr: float | None = None,
        n_permutations: int | None = None,
        n_samples: Any = None,
        removal: float | None = None,
        miss_weight: str = "conditional",
        power: int = 1,
        time_limit: float | None = None,
        task: str = "auto",
        discrete: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.threshold = threshold
        self.fdr = fdr
        self.n_permutations = n_permutations
        self.n_samples = n_samples
        self.removal = removal
        self.miss_weight = miss_weight
        self.power = power
        self.time_limit = time_limit
        self.task = task
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _accumulator(self, table: ReliefTable, n_threads: int) -> WeightAccumulator:
        return RadiusAccumulator(table, class_weights(table, self.miss_weight), n_threads)


class RReliefF(ReliefBase):
    """ReliefF for numbers to predict: columns that differ between near rows where the target does,

    δ_j = P(differ in j | near, target differs) − P(differ in j | near, target does not),

    where the target differs by |y − y′| / (max − min), and the near rows are the ``n_neighbors`` nearest, the r-th of
    which counts exp(−(r / sigma)²) of all.

    Parameters
    ----------
    n_neighbors : int
    sigma : float
        How fast the influence of a neighbour falls with its rank.
    n_features, threshold, fdr, n_permutations, n_samples, removal, power, time_limit, discrete, n_jobs, random_state
        As in ``Relief``; ``power`` is 1 here by default.

    Missing values count by what is expected of all values of their column.

    Attributes
    ----------
    relevance_, standard_errors_, pvalues_, n_samples_, status_, support_, selected_features_
        As in ``Relief``, but ``standard_errors_`` are those of a mean over rows: there are no hits and misses.

    References: Robnik-Šikonja and Kononenko (1997, 2003).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import RReliefF
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> RReliefF(n_features=2).fit(X, y).selected_features_
    ['bmi', 's5']
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        n_neighbors: int = 70,
        sigma: float = 20.0,
        threshold: float | None = None,
        fdr: float | None = None,
        n_permutations: int | None = None,
        n_samples: Any = None,
        removal: float | None = None,
        power: int = 1,
        time_limit: float | None = None,
        discrete: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.threshold = threshold
        self.fdr = fdr
        self.n_permutations = n_permutations
        self.n_samples = n_samples
        self.removal = removal
        self.power = power
        self.time_limit = time_limit
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _labels(self, source: Source) -> tuple[TargetLabels, np.ndarray | None, np.ndarray | None]:
        y, weight = read_rows(source)
        if source.labels and source.schema.target is not None and source.schema.target.levels is not None:
            raise InputError("RReliefF predicts numbers, but y holds labels: take ReliefF")
        numbers = np.asarray(y, dtype=np.float64)
        seen = numbers if weight is None else numbers[weight > 0]
        if len(seen) < 2:
            raise InputError("X has one sample, and RReliefF compares rows: give at least two")
        width = float(seen.max() - seen.min())
        if width == 0:
            raise InputError(f"y has only one value, {seen[0]:g}: there is nothing to tell")
        return TargetLabels(np.zeros(len(numbers), np.int32), 1, numbers / width), None, weight

    def _accumulator(self, table: ReliefTable, n_threads: int) -> WeightAccumulator:
        k = check_count("n_neighbors", self.n_neighbors)
        return NearestAccumulator(table, k, rank_weights(check_number("sigma", self.sigma, above=0)), n_threads)
