"""What an estimator minimises and how: every argument checked once, strings turned into objects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from tamis._core.checks import check_choice
from tamis._core.errors import InputError
from tamis.datafits import Datafit, HasSmoothing, LeastSquares
from tamis.penalties import CompiledPenalty, ConcavePenalty, NonConvex, Penalty, ThresholdPenalty
from tamis.solvers.concave_descent import ConcaveDescent
from tamis.solvers.gram_block_descent import GramBlockDescent
from tamis.solvers.gram_descent import GramDescent
from tamis.solvers.multi_output_working_set import MultiOutputWorkingSet
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.proximal import Fista, ProximalGradient
from tamis.solvers.requirements import unmet
from tamis.solvers.smoothing import Smoothing
from tamis.solvers.threshold_descent import ThresholdDescent
from tamis.solvers.working_set import WorkingSet

SOLVERS = ("gram", "working_set", "streamed", "fista", "proximal_gradient")


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
    adaptive: bool = False  # weights of the penalty come from a first fit on the same rows
    classes: np.ndarray | None = None
    class_weight: np.ndarray | None = None  # one per class

    def for_target(self, y: np.ndarray, s: np.ndarray | None) -> Plan:
        """With a smoothing that suits the spread of y, where the datafit has one."""
        if not isinstance(self.datafit, HasSmoothing):
            return self
        return replace(self, datafit=self.datafit.for_target(y, s))

    def with_penalty(self, penalty: Penalty) -> Plan:
        return replace(self, penalty=penalty)

    def with_tol(self, tol: float) -> Plan:
        if isinstance(self.solver, str):
            return replace(self, tol=tol)
        return replace(self, tol=tol, solver=clone(self.solver).set_params(tol=tol))

    @property
    def squared(self) -> bool:
        return isinstance(self.datafit, LeastSquares)

    @property
    def compiled(self) -> bool:
        return isinstance(self.penalty, CompiledPenalty)

    def grouped(self, p: int) -> bool:
        return isinstance(self.penalty, CompiledPenalty) and self.penalty.terms(p).group is not None

    def gram_solver(self, p: int) -> Any:
        """Who solves p columns on statistics."""
        if not isinstance(self.solver, str):
            return self.solver
        if self.grouped(p):
            return GramBlockDescent(self.tol, self.max_iter, self.seed)
        return GramDescent(self.tol, self.max_iter, self.seed)

    def rows_solver(self, n_outputs: int) -> Any:
        """Who solves on rows."""
        if not isinstance(self.solver, str):
            return self.solver
        if self.solver in PROXIMAL:
            return PROXIMAL[self.solver](self.tol, PROXIMAL_STEPS * self.max_iter)
        if n_outputs == 1 and isinstance(self.penalty, ConcavePenalty):
            solver: Any = ConcaveDescent(self.tol, self.max_iter, self.seed, self.n_jobs)
        elif (
            n_outputs == 1
            and isinstance(self.penalty, ThresholdPenalty)
            and not (self.penalty.caps or isinstance(self.datafit, HasSmoothing))
        ):
            solver = ThresholdDescent(self.tol, self.max_iter, self.seed, self.n_jobs)
        elif n_outputs == 1 and isinstance(self.datafit, HasSmoothing):
            solver = Smoothing(self.tol, self.max_iter, self.seed, self.n_jobs)
        elif n_outputs > 1:
            solver = MultiOutputWorkingSet(self.tol, self.max_iter, self.n_jobs)
        else:
            solver = WorkingSet(self.tol, self.max_iter, self.seed, self.n_jobs)
        if self.solver != "auto" or unmet(solver, self.datafit, self.penalty) == [OperatorProblem]:
            return solver  # which names what it lacks where it was asked for by name
        if isinstance(self.datafit, HasSmoothing) and n_outputs > 1:
            raise InputError(
                f"{type(self.datafit).__name__} fits several targets one by one, {type(self.penalty).__name__} fits "
                "them together: fit them one by one, or use penalty='l1' or the loss Huber",
                argument="penalty",
            )
        if isinstance(self.datafit, HasSmoothing):
            raise InputError(
                f"{type(self.datafit).__name__} bends too sharply for {type(self.penalty).__name__}: use a penalty "
                "made of ℓ₁, ℓ₂ and group terms, MCP or SCAD, or the loss Huber",
                argument="penalty",
            )
        proximal = ProximalGradient if isinstance(self.penalty, NonConvex) else Fista
        return proximal(self.tol, PROXIMAL_STEPS * self.max_iter)

    def rows_solver_name(self, n_outputs: int, in_memory: bool) -> str:
        """What ``solver`` calls who solves on rows; the class where it is the user's own."""
        solver = self.rows_solver(n_outputs)
        if isinstance(solver, (WorkingSet, MultiOutputWorkingSet, ConcaveDescent, ThresholdDescent, Smoothing)):
            return "working_set" if in_memory else "streamed"
        names = {kind: name for name, kind in PROXIMAL.items()}
        return names.get(type(solver), type(solver).__name__)


PROXIMAL = {"fista": Fista, "proximal_gradient": ProximalGradient}
PROXIMAL_STEPS = 100  # a step costs two products, a round of the others many


def check_solver(solver: Any) -> Any:
    if isinstance(solver, str):
        return check_choice("solver", solver, ("auto", *SOLVERS))
    if isinstance(solver, type) or not callable(getattr(solver, "path", None)):
        options = ", ".join(repr(name) for name in ("auto", *SOLVERS))
        raise InputError(
            f"solver must be one of {options}, or a solver object with a path method; got {solver!r}", argument="solver"
        )
    return solver


def check_precompute(precompute: Any, p: int) -> Any:
    """ "auto", True, False or a (p, p) matrix."""
    if isinstance(precompute, (str, bool, np.bool_)):
        return check_choice("precompute", precompute, ("auto", True, False))
    G = np.asarray(precompute)
    if G.shape != (p, p) or G.dtype.kind not in "fiu":
        raise InputError(
            f"precompute must be 'auto', True, False or the ({p}, {p}) matrix XᵀX of the columns, got an array of "
            f"shape {G.shape} and dtype {G.dtype}",
            argument="precompute",
        )
    return G if G.dtype == np.float32 else np.asarray(G, dtype=np.float64)
