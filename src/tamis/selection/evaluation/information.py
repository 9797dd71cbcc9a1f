"""What the subset tells about the class: entropies of the partition by one, by the other, and by both.

H(A) is the entropy of the partition of the rows by the columns A, in bits; H(A, y) that by A and the class together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.base.training_data import open_source
from tamis.selection.description import ScoreDescription
from tamis.selection.evaluation.counting import IMPURITY, PartitionEvaluation, PartitionSums
from tamis.stats.coded import joint_counts


class InformationGain(PartitionEvaluation):
    """Gain(A) = Ent(D) − Σ_v |D^v|/|D| Ent(D^v),  Ent(D) = −Σ_k p_k log₂ p_k, in bits; D^v are the rows that agree
    on all of A. A further column never lowers it, not even one of noise.

    Missing values count as a value. Continuous columns are cut into bins: under a target with classes where the
    classes change, as far as that makes the description shorter (``bins="mdl"``), else into ``n_bins`` quantile bins
    (``bins="quantile"``), and so is a continuous target; ``bins="auto"`` takes the first where there are classes.
    Under ``task="auto"`` labels, booleans and whole numbers are classes (whole numbers up to 10 of them, or up to
    100 with 20 rows each on average); "classification" and "regression" say so.

    References: Zhou, Machine Learning, equations 11.1 and 11.2; Fayyad and Irani (1993) for the bins.
    """

    monotone = True
    width = IMPURITY

    def describe(self) -> ScoreDescription:
        return self.partition_words(
            "information gain",
            "how many bits its columns tell about the target together; it never falls when a column is added, and a "
            "twin of a chosen column adds nothing",
            "bits",
            most="target",
        )

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        return np.maximum(state.entropy - sums[:, 0] / state.table.total, 0.0)


class GainRatio(PartitionEvaluation):
    """Gain(A) / H(A): bits about the class for each bit of the columns; 0 where the columns are constant.

    Columns with many values, and subsets of many columns, have a large H(A): they pay for it. Arguments as in
    ``InformationGain``.

    References: Quinlan (1993); Zhou, Machine Learning, equation 4.3.
    """

    def describe(self) -> ScoreDescription:
        return self.partition_words(
            "gain ratio",
            "the bits its columns tell about the target for each bit they have themselves, from 0 to 1; columns with "
            "many values pay for them",
            most=1.0,
        )

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        return ratio(*gain(state, sums))


class SymmetricUncertainty(PartitionEvaluation):
    """Information gain as a share of the entropies of columns and class.

    2 Gain(A) / (H(A) + H(y)): 1 where the columns and the class tell each other wholly, 0 where nothing.

    Arguments as in ``InformationGain``.

    References: Press et al. (1988); Yu and Liu (2003).
    """

    def describe(self) -> ScoreDescription:
        return self.partition_words(
            "symmetric uncertainty",
            "how much its columns and the target tell about each other, from 0 for nothing to 1 for everything",
            most=1.0,
        )

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        information, H = gain(state, sums)
        return 2 * ratio(information, H + state.entropy)


class VariationOfInformation(PartitionEvaluation):
    """How far the partitions by columns and by class are apart, in bits.

    −(H(A | y) + H(y | A)) in bits: how far the two partitions are apart, a metric, negated. 0 is best.

    Arguments as in ``InformationGain``.

    References: Meilă (2007).
    """

    def describe(self) -> ScoreDescription:
        return self.partition_words(
            "−variation of information",
            "minus the bits that its columns and the target do not share; 0 is best",
            "bits",
            most=0.0,
        )

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        H, joint = state.entropies(sums)
        return np.minimum(H + state.entropy - 2 * joint, 0.0)


def gain(state: PartitionSums, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """I(A; y) and H(A)."""
    H, joint = state.entropies(sums)
    return state.resolved(state.entropy + H - joint, H, state.entropy), H


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole; 0 where there is nothing to know."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def information_gain(
    X: Any, y: Any = None, *, discrete: Any = "auto", sample_weight: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """Gain(a) = Ent(D) − Σ_v |D^v|/|D| Ent(D^v) of every column a, in bits.

    X, y and ``discrete`` as in ``SubsetSelector``. Files are counted in passes, never held in memory.

    >>> import numpy as np
    >>> information_gain(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1., 0.])
    """
    source = open_source(X, y, sample_weight, discrete, "information_gain")
    if not source.in_memory:
        return joint_counts(source, n_jobs=n_jobs).gains()
    evaluation = InformationGain()
    return evaluation.gains(evaluation.prepare(source, n_jobs=n_jobs), (), range(source.n_features))
