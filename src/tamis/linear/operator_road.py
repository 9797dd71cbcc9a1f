"""The operator road: rows in memory or streamed, asked for products with X and for the columns that matter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis._core.progress import Steps, silent
from tamis.linear.degrees import effective_number, ridge_of
from tamis.linear.door import Rows
from tamis.linear.plan import Plan, without_penalty
from tamis.linear.roads import Road
from tamis.linear.standing import Several, Standing
from tamis.operators import Operator, Standardised, as_operator
from tamis.penalties import Penalty
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.sources import require_complete

CHUNK_BYTES = 1 << 26  # of predictions at a time


@dataclass(frozen=True)
class RowsStanding:
    """A problem on rows, and the way back to the columns as they were given.

    The problem's columns are divided by ``divisor`` (all ones without standardising), so its α |wⱼ| is
    α divisorⱼ |coefⱼ|.
    """

    A: Operator
    matrix: Any  # the array or sparse array behind A, None where rows are streamed
    y: np.ndarray
    weight: np.ndarray | None
    plan: Plan
