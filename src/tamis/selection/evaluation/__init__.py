"""How good a subset is."""

from typing import Any

from tamis._core.checks import as_object
from tamis.selection.evaluation.agreement import (
    AdjustedRand,
    Consistency,
    CorrelationCoefficient,
    Disagreement,
    Kappa,
    QStatistic,
)
from tamis.selection.evaluation.base import NAN_SCORE, Evaluation, SubsetScore
from tamis.selection.evaluation.column_scores import FScore, ReliefWeight
from tamis.selection.evaluation.counting import PartitionSums
from tamis.selection.evaluation.cross_validated import CrossValidated
from tamis.selection.evaluation.information import (
    GainRatio,
    InformationGain,
    SymmetricUncertainty,
    VariationOfInformation,
)
from tamis.selection.evaluation.linear_fit import LinearFit
from tamis.selection.evaluation.pairwise import CFS, CMIM, MRMR, JointInformation, MRMRSet

EVALUATIONS: dict[str, type[Evaluation]] = {
    "information_gain": InformationGain,
    "gain_ratio": GainRatio,
    "symmetric_uncertainty": SymmetricUncertainty,
    "variation_of_information": VariationOfInformation,
    "adjusted_rand": AdjustedRand,
    "disagreement": Disagreement,
    "q_statistic": QStatistic,
    "kappa": Kappa,
    "correlation_coefficient": CorrelationCoefficient,
    "consistency": Consistency,
    "mrmr": MRMR,
    "mrmr_set": MRMRSet,
    "joint_information": JointInformation,
    "cmim": CMIM,
    "cfs": CFS,
    "f_score": FScore,
    "relief_weight": ReliefWeight,
    "linear_fit": LinearFit,
}

CRITERIA = ("aic", "bic")


def as_evaluation(given: Any) -> Evaluation:
    """What ``evaluation=`` names: a short string, "aic" or "bic" for least squares by that criterion, an estimator,
    which is cross-validated, or an evaluation."""
    if isinstance(given, str) and given.lower() in CRITERIA:
        return LinearFit(criterion=given.lower())
    learns = hasattr(given, "fit") and hasattr(given, "predict") and not isinstance(given, type)
    if learns and not isinstance(given, Evaluation):
        return CrossValidated(given)
    return as_object("evaluation", given, EVALUATIONS, Evaluation)


__all__ = [
    "CFS",
    "CMIM",
    "EVALUATIONS",
    "MRMR",
    "NAN_SCORE",
    "AdjustedRand",
    "Consistency",
    "CorrelationCoefficient",
    "CrossValidated",
    "Disagreement",
    "Evaluation",
    "FScore",
    "GainRatio",
    "InformationGain",
    "JointInformation",
    "Kappa",
    "LinearFit",
    "MRMRSet",
    "PartitionSums",
    "QStatistic",
    "ReliefWeight",
    "SubsetScore",
    "SymmetricUncertainty",
    "VariationOfInformation",
    "as_evaluation",
]
