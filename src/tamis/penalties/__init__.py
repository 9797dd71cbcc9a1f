"""What is asked of the coefficients: the term of the objective that depends on α and knows nothing of the data."""

from typing import Any

from tamis._core.checks import as_object
from tamis.penalties.base import (
    CompiledPenalty,
    HasColumns,
    HasConjugate,
    HasDualNorm,
    HasEntry,
    HasFree,
    NonConvex,
    Penalty,
)
from tamis.penalties.box import Box
from tamis.penalties.concave import MCP, SCAD, ConcavePenalty
from tamis.penalties.fused import Fused
from tamis.penalties.group import Group, SparseGroup
from tamis.penalties.l1_l2 import L1, L1L2, L2
from tamis.penalties.powers import L0, Bridge, Lq, ThresholdPenalty
from tamis.penalties.slope import SLOPE
from tamis.penalties.terms import Terms
from tamis.penalties.weights import adaptive_weights

__all__ = [
    "L0",
    "L1",
    "L1L2",
    "L2",
    "MCP",
    "SCAD",
    "SLOPE",
    "Box",
    "Bridge",
    "CompiledPenalty",
    "ConcavePenalty",
    "Fused",
    "Group",
    "HasColumns",
    "HasConjugate",
    "HasDualNorm",
    "HasEntry",
    "HasFree",
    "Lq",
    "NonConvex",
    "Penalty",
    "SparseGroup",
    "Terms",
    "ThresholdPenalty",
    "adaptive_weights",
    "as_penalty",
]

KINDS: dict[str, Any] = {
    "l1": L1,
    "l2": L2,
    "l1l2": L1L2,
    "group": Group,
    "sparse_group": SparseGroup,
    "mcp": MCP,
    "scad": SCAD,
    "l0": L0,
    "lq": Lq,
    "bridge": Bridge,
    "box": Box,
    "slope": SLOPE,
    "fused": Fused,
}


def as_penalty(given: Any) -> Penalty:
    """The penalty itself, or the default one a short string stands for: "l1", "l2", "l1l2", "group", "sparse_group",
    "mcp", "scad", "l0", "lq", "bridge", "box", "slope", "fused".
    """
    penalty: Penalty = as_object("penalty", given, KINDS, Penalty)
    return penalty
