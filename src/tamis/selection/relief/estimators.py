"""Relief and its family: columns that tell a row from its near rows of other classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis._core.progress import ProgressMixin, Steps, reports_progress, silent
from tamis._core.random import as_rng
from tamis._core.threads import thread_count
from tamis.selection.columns import ColumnSelector, open_source
from tamis.selection.relief.chance import chosen_at, permutation_pvalues
from tamis.selection.relief.sampling import Asked, ask, ask_until_settled
from tamis.selection.relief.shares import equal_shares, hit_and_miss, ranked_shares, worths
from tamis.selection.relief.table import Labels, Table, read_table
from tamis.selection.relief.weighing import ByCount, ByRadius, Weigher
from tamis.sources.base import Source
from tamis.stats.coded import read_rows, read_target

PERMUTATIONS = 50


@dataclass(frozen=True)
class Measured:
    """What is known of the columns. ``rounds`` tells how often a column was weighed before it was removed."""

    relevance: np.ndarray
    standard_errors: np.ndarray
    rounds: np.ndarray
    values: np.ndarray | None
    n_samples: int
    status: str
    pvalues: np.ndarray | None = None

    @property
    def order(self) -> np.ndarray:
        """The columns, best first: who stayed longer, then who has the higher relevance."""
        return np.lexsort((-self.relevance, -self.rounds))


class Neighbourly(ProgressMixin, ColumnSelector):
    """What the members of the family share; each says who the neighbours of a row are and what share each has."""

    n_features: int | None
    threshold: float | None
    fdr: float | None
    n_permutations: int | None
    n_samples: Any
    removal: float | None
    power: int
    time_limit: float | None
    discrete: Any
    n_jobs: int | None
    random_state: Any

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Neighbourly:
        """Weigh the columns of X, anything that ``as_source`` takes, by what they tell of y.

        A row of weight w counts as w equal rows.
        """
        self._check_cut()
        source = open_source(X, y, sample_weight, self.discrete, type(self).__name__)
        names = self._learn_names(X, source)
        found = self.measure(source, steps=self._steps)
        self.relevance_, self.standard_errors_ = found.relevance, found.standard_errors
        self.n_samples_, self.status_ = found.n_samples, found.status
        self.__dict__.pop("pvalues_", None)
        if found.pvalues is not None:
            self.pvalues_ = found.pvalues
        self._learn_choice(self._chosen(found), names)
        self._learn_classes(found.values, source, y)
        return self

    def measure(self, source: Source, task: str = "auto", steps: Steps = silent) -> Measured:
        """The relevance of every column of a source with a target; nothing is chosen."""
        n_threads = thread_count(self.n_jobs)
        labels, values, weight = self._labels(source, task)
        power = check_choice("power", self.power, (1, 2))
        table = read_table(source, labels, weight, squared=power == 2, n_threads=n_threads)
        rng = as_rng(self.random_state)
        found = self._weigh(table, n_threads, rng, steps)
        found = replace(found, values=values)
        times = self._times()
        if not times:
            return found
        asked = np.sort(rng.choice(table.n, found.n_samples, replace=False))

        def again(shuffled: Table) -> np.ndarray:
            return self._rounds(shuffled, asked, n_threads, silent).relevance

        return replace(found, pvalues=permutation_pvalues(again, table, found.relevance, times, rng, steps))

    # ---- the arguments ---------------------------------------------------------------------------------------------

    def _check_cut(self) -> None:
        ways = {
            name: value for name in ("n_features", "threshold", "fdr") if (value := getattr(self, name)) is not None
        }
        if len(ways) > 1:
            said = " and ".join(f"{name}={value!r}" for name, value in ways.items())
            raise InputError(f"{said} are {len(ways)} ways to choose: give one")
        if self.threshold is not None:
            check_number("threshold", self.threshold)
        if self.fdr is not None:
            check_number("fdr", self.fdr, above=0, at_most=1)
        for name in ("removal", "time_limit"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), above=0, at_most=1 if name == "removal" else np.inf)
        settles = isinstance(self.n_samples, str)
        if (settles or self.removal is not None) and self.n_features is None:
            name = "n_samples" if settles else "removal"
            raise InputError(f"{name}={getattr(self, name)!r} needs n_features: how many columns to end with")
        if settles and self.removal is not None:
            raise InputError(f"removal={self.removal!r} weighs again and again: give n_samples as a number")
        if self.time_limit is not None and not settles:
            raise InputError(f"time_limit={self.time_limit!r} is for n_samples='auto', which asks ever more rows")

    def _times(self) -> int:
        if self.n_permutations is None:
            return 0 if self.fdr is None else PERMUTATIONS
        times = check_count("n_permutations", self.n_permutations, at_least=0)
        if self.fdr is not None and times == 0:
            raise InputError("n_permutations=0 leaves fdr without p-values: leave it out, or give 20 or more")
        return times

    def _labels(self, source: Source, task: str) -> tuple[Labels, np.ndarray | None, np.ndarray | None]:
        """Classes, their values in the order of their codes, and the weights."""
        target, _, weight = read_target(source, task)
        if target.values is None:
            raise InputError(
                f"{type(self).__name__} compares classes, but y is continuous (whole numbers with more than 10 values "
                "are, unless there are few of them with many rows each): give labels, or take RReliefF"
            )
        labels = Labels(target.codes, target.n_classes)
        if weight is not None and len(np.unique(target.codes[weight > 0])) < target.n_classes:
            kept, codes = np.unique(target.codes[weight > 0], return_inverse=True)
            if len(kept) < 2:
                raise InputError("y has only one class among the rows of a weight above 0: give at least two")
            y = np.zeros_like(target.codes)
            y[weight > 0] = codes
            return Labels(y, len(kept)), target.values[kept], weight
        return labels, target.values, weight

    # ---- the work --------------------------------------------------------------------------------------------------

    def _weigher(self, table: Table, n_threads: int) -> Weigher:
        raise NotImplementedError

    def _weigh(self, table: Table, n_threads: int, rng: np.random.Generator, steps: Steps) -> Measured:
        if isinstance(self.n_samples, str):
            check_choice("n_samples", self.n_samples, ("auto",))
            most = check_count("n_features", self.n_features, at_most=len(table.order))
            asked = ask_until_settled(self._weigher(table, n_threads), table.n, most, rng, self.time_limit, steps)
            return _measured(table, asked)
        m = table.n if self.n_samples is None else check_count("n_samples", self.n_samples, at_most=table.n)
        queries = np.arange(table.n) if m == table.n else np.sort(rng.choice(table.n, m, replace=False))
        return self._rounds(table, queries, n_threads, steps)

    def _rounds(self, table: Table, queries: np.ndarray, n_threads: int, steps: Steps) -> Measured:
        """The columns weighed by the answers of some rows; with ``removal`` again and again, without the last ones."""
        found = _measured(table, ask(self._weigher(table, n_threads), queries))
        if self.removal is None:
            return found
        least = check_count("n_features", self.n_features, at_most=len(table.order))
        sizes = _falling(len(table.order), least, float(self.removal))
        for size in steps(sizes, "removing columns"):
            stay = np.sort(found.order[:size])
            part = _measured(
                table.take(stay), ask(self._weigher(table.take(stay), n_threads), queries), len(found.rounds)
            )
            for known, new in ((found.relevance, part.relevance), (found.standard_errors, part.standard_errors)):
                known[stay] = new[stay]
            found.rounds[stay] += 1
        return found

    def _chosen(self, found: Measured) -> list[int]:
        if self.fdr is not None:
            assert found.pvalues is not None
            kept = chosen_at(found.pvalues, self.fdr)
            return [int(j) for j in found.order if j in set(kept.tolist())]
        if self.n_features is not None:
            most = check_count("n_features", self.n_features, at_most=len(found.order))
            return [int(j) for j in found.order[:most]]
        tau = 0.0 if self.threshold is None else float(self.threshold)
        return [int(j) for j in found.order if found.relevance[j] > tau]


def _measured(table: Table, asked: Asked, p: int | None = None) -> Measured:
    """In the order of the columns of the source."""
    p = len(table.order) if p is None else p
    mean, error = np.full(p, np.nan), np.full(p, np.nan)
    mean[table.order], error[table.order] = asked.said.mean, asked.said.standard_error
    return Measured(mean, error, np.zeros(p, np.int64), None, asked.n_samples, asked.status)


def _falling(p: int, least: int, share: float) -> list[int]:
    """Sizes below p down to ``least``, each less by this share, at least by one."""
    sizes = []
    while p > least:
        p = max(least, min(p - 1, int(np.floor(p * (1 - share)))))
        sizes.append(p)
    return sizes


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
        τ: selects the columns above it; 0 where nothing else is said.
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
    discrete : "auto", "all", "none", mask, positions or names
        Which columns are discrete; "auto": booleans, labels, and whole numbers with at most 10 values.
    n_jobs, random_state

    Missing values count by what is expected of the values in the class of their row (Kononenko 1994); columns without
    any value count nothing. Constant columns have relevance 0. A row alone in its class has no hit, and says only how
    it differs from the others.

    Attributes
    ----------
    relevance_ : (p,)
    standard_errors_ : (p,) of the mean over the rows, as far as these are independent
    pvalues_ : (p,) where rows were shuffled: of the hypothesis that the column, with those it depends on, is
        independent of the target and of the columns that tell something of it
    n_samples_ : how many rows were averaged over
    status_ : "finished" (all that were asked for), "settled", "time_limit" or "interrupted"
    support_, selected_features_, classes_, n_features_in_, feature_names_in_

    References: Kira and Rendell (1992); Zhou, Machine Learning, equation 11.3; Moore and White (2007) for removal.

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
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _weigher(self, table: Table, n_threads: int) -> Weigher:
        return ByCount(table, 1, hit_and_miss, n_threads)


class ReliefF(Neighbourly):
    """Relief for several classes: a row's nearest rows of its own class against those of each other class,

    δ_j = mean over the rows of Σ_{l ≠ k} w_l diff_j(x, misses of class l)^power − diff_j(x, hits)^power,

    means over ``n_neighbors`` rows each; a class with fewer rows gives those it has.

    Parameters
    ----------
    n_neighbors : int
    miss_weight : "conditional", "prior" or "equal"
        w_l = p_l / (1 − p_k), which sum to 1, or p_l as the book prints it, or the same for all as ReBATE has it; p
        are the shares of the classes.
    n_features, threshold, fdr, n_permutations, n_samples, removal, power, time_limit, discrete, n_jobs, random_state
        As in ``Relief``; ``power`` is 1 here unless told.

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
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _weigher(self, table: Table, n_threads: int) -> Weigher:
        k = check_count("n_neighbors", self.n_neighbors)
        return ByCount(table, k, equal_shares(worths(table, self.miss_weight)), n_threads)


class MultiSURF(Neighbourly):
    """ReliefF whose neighbours are all rows nearer than a radius of each row's own: the mean of its distances to all
    others less half their standard deviation.

    There is no number of neighbours to choose. A class without a near row says nothing of a row.

    Parameters
    ----------
    miss_weight : "conditional", "prior" or "equal"
        As in ``ReliefF``.
    n_features, threshold, fdr, n_permutations, n_samples, removal, power, time_limit, discrete, n_jobs, random_state
        As in ``Relief``; ``power`` is 1 here unless told.

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
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _weigher(self, table: Table, n_threads: int) -> Weigher:
        return ByRadius(table, worths(table, self.miss_weight), n_threads)


class RReliefF(Neighbourly):
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
        As in ``Relief``; ``power`` is 1 here unless told.

    Missing values count by what is expected of all values of their column.

    Attributes
    ----------
    relevance_, standard_errors_, pvalues_, n_samples_, status_, support_, selected_features_
        As in ``Relief``.

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

    def _labels(self, source: Source, task: str) -> tuple[Labels, np.ndarray | None, np.ndarray | None]:
        del task
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
        return Labels(np.zeros(len(numbers), np.int32), 1, numbers / width), None, weight

    def _weigher(self, table: Table, n_threads: int) -> Weigher:
        k = check_count("n_neighbors", self.n_neighbors)
        return ByCount(table, k, ranked_shares(check_number("sigma", self.sigma, above=0)), n_threads)
