"""What an estimator minimises and how: every argument checked once, strings turned into objects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis._core.random import as_rng
from tamis.datafits import Datafit, Multinomial, Squared
from tamis.penalties import CompiledPenalty, Penalty
from tamis.solvers.block_descent import BlockDescent
from tamis.solvers.gram_descent import GramDescent
from tamis.solvers.proximal import Fista, ProximalGradient
from tamis.solvers.working_set import WorkingSet

ROAD_OF_SOLVER = {
    "gram": "statistics",
    "working_set": "operator",
    "fista": "operator",
    "proximal_gradient": "operator",
}


@dataclass(frozen=True)
class Plan:
    """datafit + α · penalty, whether with an intercept and on standardised columns, and who solves it."""

    datafit: Datafit
    penalty: Penalty
    fit_intercept: bool = True
    standardize: bool = False
    precompute: Any = "auto"
    solver: Any = "auto"
    tol: float = 1e-7
    max_iter: int = 1000
    seed: int = -1  # of the order of coordinates; −1: in turn
    n_jobs: int | None = None

    def with_penalty(self, penalty: Penalty) -> Plan:
        return replace(self, penalty=penalty)

    @property
    def squared(self) -> bool:
        return isinstance(self.datafit, Squared)

    @property
    def compiled(self) -> bool:
        return isinstance(self.penalty, CompiledPenalty)

    def grouped(self, p: int) -> bool:
        return isinstance(self.penalty, CompiledPenalty) and self.penalty.terms(p).group is not None
