"""Laws anyone can run on their own parts: each checker raises AssertionError with the law that is broken."""

from tamis.testing.datafits import check_datafit
from tamis.testing.evaluations import check_evaluation
from tamis.testing.nonconvex_penalties import check_nonconvex_penalty
from tamis.testing.operators import check_operator
from tamis.testing.penalties import check_penalty
from tamis.testing.searches import check_search
from tamis.testing.sources import check_source

__all__ = [
    "check_datafit",
    "check_evaluation",
    "check_nonconvex_penalty",
    "check_operator",
    "check_penalty",
    "check_search",
    "check_source",
]
