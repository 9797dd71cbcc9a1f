"""How datafit + penalty is made small, and how we know it is; and what all model families share of numerics."""

from tamis._core.evidence import Certificate, Diagnostics, Result, Solution, Status
from tamis.solvers.certificates import DualityGap
from tamis.solvers.concave_descent import ConcaveDescent
from tamis.solvers.gram_block_descent import GramBlockDescent
from tamis.solvers.gram_descent import GramDescent
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.lars import Event, LarsPath, lars_path, operator_lars_path
from tamis.solvers.multi_output_working_set import MultiOutputWorkingSet
from tamis.solvers.omp import PursuitStatus, SparseCodes, batch_omp, omp_codes
from tamis.solvers.orthogonal_pursuit import Pursuit, orthogonal_matching_pursuit
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.proximal import Fista, ProximalGradient
from tamis.solvers.sampled_newton import SampledNewton
from tamis.solvers.smoothing import Smoothing
from tamis.solvers.subset_certificate import SubsetGap
from tamis.solvers.svd import (
    Factors,
    PartialSVD,
    Procrustes,
    ThresholdedSVD,
    partial_svd,
    procrustes,
    singular_value_threshold,
)
from tamis.solvers.threshold_descent import ThresholdDescent
from tamis.solvers.working_set import WorkingSet

__all__ = [
    "Certificate",
    "ConcaveDescent",
    "Diagnostics",
    "DualityGap",
    "Event",
    "Factors",
    "Fista",
    "GramBlockDescent",
    "GramDescent",
    "GramProblem",
    "LarsPath",
    "MultiOutputWorkingSet",
    "OperatorProblem",
    "PartialSVD",
    "Procrustes",
    "ProximalGradient",
    "Pursuit",
    "PursuitStatus",
    "Result",
    "SampledNewton",
    "Smoothing",
    "Solution",
    "SolvedPath",
    "SparseCodes",
    "Status",
    "SubsetGap",
    "ThresholdDescent",
    "ThresholdedSVD",
    "WorkingSet",
    "batch_omp",
    "lars_path",
    "omp_codes",
    "operator_lars_path",
    "orthogonal_matching_pursuit",
    "partial_svd",
    "procrustes",
    "singular_value_threshold",
]
