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
    HasNewtonStep,
    HasNull,
    LeastSquares,
)
from tamis.datafits.logistic import Logistic, Multinomial
from tamis.datafits.squared import Squared

__all__ = [
    "CouplesOutputs",
    "Datafit",
    "ForClasses",
    "HasCurvature",
    "HasDual",
    "HasLocal",
    "HasNewtonStep",
    "HasNull",
    "LeastSquares",
    "Logistic",
    "Multinomial",
    "Squared",
    "as_datafit",
]

KINDS: dict[str, Any] = {"squared": Squared, "logistic": Logistic, "multinomial": Multinomial}


def as_datafit(given: Any) -> Datafit:
    """The datafit itself, or the one a short string stands for: "squared", "logistic", "multinomial"."""
    datafit: Datafit = as_object("datafit", given, KINDS, Datafit)
    return datafit
