"""How far the prediction is from y."""

from typing import Any

from tamis._core.checks import as_object
from tamis.datafits.base import (
    CouplesOutputs,
    Datafit,
    ForClasses,
    HasCurvature,
    HasDual,
    HasLocal,
    HasMean,
    HasNewtonStep,
    HasNull,
    HasOffset,
    HasSmoothing,
    HasTargets,
    LeastSquares,
    PiecewiseQuadratic,
)
from tamis.datafits.hinge import SquaredHinge
from tamis.datafits.log_link import Gamma, Poisson
from tamis.datafits.logistic import Logistic, Multinomial
from tamis.datafits.robust import Huber, Quantile
from tamis.datafits.squared import Squared

__all__ = [
    "CouplesOutputs",
    "Datafit",
    "ForClasses",
    "Gamma",
    "HasCurvature",
    "HasDual",
    "HasLocal",
    "HasMean",
    "HasNewtonStep",
    "HasNull",
    "HasOffset",
    "HasSmoothing",
    "HasTargets",
    "Huber",
    "LeastSquares",
    "Logistic",
    "Multinomial",
    "PiecewiseQuadratic",
    "Poisson",
    "Quantile",
    "Squared",
    "SquaredHinge",
    "as_datafit",
]

KINDS: dict[str, Any] = {
    "squared": Squared,
    "logistic": Logistic,
    "multinomial": Multinomial,
    "squared_hinge": SquaredHinge,
    "poisson": Poisson,
    "gamma": Gamma,
    "huber": Huber,
    "quantile": Quantile,
}


def as_datafit(given: Any) -> Datafit:
    """The datafit itself, or the one a short string stands for: "squared", "huber", "quantile", "poisson", "gamma"; for
    classes "logistic", "multinomial", "squared_hinge".
    """
    datafit: Datafit = as_object("datafit", given, KINDS, Datafit)
    return datafit
