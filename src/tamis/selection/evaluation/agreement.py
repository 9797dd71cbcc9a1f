"""How the partition of the rows by the subset agrees with their partition by the class.

Of all pairs of rows, a are together in both partitions, b only in that by the columns, c only in that by the class,
d in neither: a table of two by two, as diversity measures of two classifiers are made of.
"""

from __future__ import annotations

import numpy as np

from tamis._core.errors import InputError
from tamis._core.progress import Steps, silent
from tamis.selection.description import ScoreDescription
from tamis.selection.evaluation.counting import PartitionEvaluation, PartitionSums
from tamis.sources.base import Source


def pairs(state: PartitionSums, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """a, b, c, d as shares of all pairs; a row of weight w is w rows.

    They are counted before they are divided, for whole numbers leave no rounding: what is nobody is exactly 0. Of
    weights, what is no more than the rounding of their sums is 0.
    """
    n = state.table.total
    together, by_columns, by_class = sums[:, 3], sums[:, 2], state.classes[3]
    counts = together - n, by_columns - together, by_class - together, n * n - by_columns - by_class + together
    least = 4 * state.rounding * n * n  # four sums, each off by its rounding
    return tuple(np.where(np.abs(count) > least, count, 0.0) / (n * (n - 1)) for count in counts)  # type: ignore[return-value]


class PairEvaluation(PartitionEvaluation):
    """An evaluation of pairs of rows."""

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> PartitionSums:
        state = super().prepare(source, n_jobs=n_jobs, steps=steps)
        if state.table.total < 2:
            raise InputError(
                f"sample_weight sums to {state.table.total:.3g}: {type(self).__name__} counts pairs of rows, a row of "
                "weight w as w rows, so weights must sum to at least 2: multiply them all by one number"
            )
        return state


class AdjustedRand(PairEvaluation):
    """The Rand index a + d, less what partitions with the same sizes of cells reach by chance, 1 at best.

    (a − (a + b)(a + c)) / ((2a + b + c)/2 − (a + b)(a + c)) for shares a, b, c of pairs of rows. Arguments as in
    ``InformationGain``.

    References: Hubert and Arabie (1985).
    """

    def describe(self) -> ScoreDescription:
        return self.partition_words(
            "adjusted Rand index",
            "how well rows that agree on its columns are those of one class, beyond chance: 0 by chance, 1 at best",
            most=1.0,
        )

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        a, b, c, d = pairs(state, sums)
        # a − (a + b)(a + c) = ad − bc and (a + b)(b + d) + (a + c)(c + d) = (a + b) + (a + c) − 2 (a + b)(a + c), for
        # a + b + c + d = 1: no difference of numbers near 1 is taken.
        return ratio_or(2 * (a * d - b * c), (a + b) * (b + d) + (a + c) * (c + d), otherwise=1.0)


class Disagreement(PairEvaluation):
    """Share of pairs of rows on which columns and class disagree.

    −(b + c): the share of pairs of rows that one partition puts together and the other does not, negated.

    0 is best. Arguments as in ``InformationGain``.

    References: Zhou, Machine Learning, section 8.5.2; Mirkin (1996).
    """

    def describe(self) -> ScoreDescription:
        return self.partition_words(
            "−disagreement",
            "minus the share of pairs of rows that agree on its columns but not on the target, or the other way round; "
            "0 is best",
            most=0.0,
        )

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        _, b, c, _ = pairs(state, sums)
        return -(b + c)


class QStatistic(PairEvaluation):
    """Yule's Q of pairs of rows that columns and class put together.

    (ad − bc) / (ad + bc): from −1 to 1, 0 for partitions that have nothing to do with each other.

    1 as soon as one of b and c is 0: also for a partition that only refines the classes, so give ``n_features``.
    Arguments as in ``InformationGain``.

    References: Zhou, Machine Learning, section 8.5.2; Yule (1900).
    """

    def describe(self) -> ScoreDescription:
        return self.partition_words(
            "Q statistic",
            "how far agreeing on its columns goes with agreeing on the target, over pairs of rows: from −1 to 1, 0 for "
            "no connection",
            most=1.0,
        )

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        a, b, c, d = pairs(state, sums)
        return ratio_or(a * d - b * c, a * d + b * c, otherwise=0.0)


class Kappa(PairEvaluation):
    """Agreement of columns and class beyond chance, by pairs of rows.

    (p₁ − p₂) / (1 − p₂): agreement p₁ = a + d beyond the agreement p₂ by chance.

    On pairs of rows this is the adjusted Rand index under another name (Warrens 2008). Arguments as in
    ``InformationGain``.

    References: Zhou, Machine Learning, section 8.5.2; Cohen (1960).
    """

    def describe(self) -> ScoreDescription:
        return self.partition_words(
            "κ",
            "the agreement of its columns with the target beyond chance, over pairs of rows: 0 by chance, 1 at best",
            most=1.0,
        )

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        a, b, c, d = pairs(state, sums)
        # 1 − p₂ = (a + b)(b + d) + (a + c)(c + d) and p₁ − p₂ = 2 (ad − bc), for a + b + c + d = 1
        return ratio_or(2 * (a * d - b * c), (a + b) * (b + d) + (a + c) * (c + d), otherwise=1.0)


class CorrelationCoefficient(PairEvaluation):
    """Correlation of being put together by columns and by class.

    (ad − bc) / √((a + b)(a + c)(c + d)(b + d)): the correlation coefficient of being together in one partition and
    in the other, over pairs of rows; from −1 to 1, 0 for partitions that have nothing to do with each other, and where
    one of them puts all pairs together or none.

    Arguments as in ``InformationGain``.

    References: Zhou, Machine Learning, section 8.5.2; Sneath and Sokal (1973).
    """

    def describe(self) -> ScoreDescription:
        return self.partition_words(
            "correlation of pairs",
            "the correlation coefficient of agreeing on its columns and agreeing on the target, over pairs of rows: "
            "from −1 to 1, 0 for no connection",
            most=1.0,
        )

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        a, b, c, d = pairs(state, sums)
        return ratio_or(a * d - b * c, safe_sqrt((a + b) * (c + d)) * safe_sqrt((a + c) * (b + d)), otherwise=0.0)


class Consistency(PartitionEvaluation):
    """The share of rows whose class is the most frequent one among the rows that agree on the whole subset.

    1 minus the inconsistency rate; a further column never lowers it. Arguments as in ``InformationGain``.

    References: Liu and Setiono (1996); Dash and Liu (2003).
    """

    monotone = True

    def describe(self) -> ScoreDescription:
        return self.partition_words(
            "consistency",
            "the share of rows whose class is the most frequent one among the rows that agree on its columns; it never "
            "falls when a column is added",
            most=1.0,
        )

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        return sums[:, 4] / state.table.total


def ratio_or(above: np.ndarray, below: np.ndarray, otherwise: float) -> np.ndarray:
    """above / below; ``otherwise`` where both partitions leave no choice."""
    return np.divide(above, below, out=np.full_like(above, otherwise), where=below != 0)


def safe_sqrt(product: np.ndarray) -> np.ndarray:
    """Of a product that weights below one row may leave negative."""
    return np.sqrt(np.maximum(product, 0.0))
