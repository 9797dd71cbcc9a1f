"""Laws anyone can run on their own parts: each checker raises AssertionError with the law that is broken."""

from tamis.testing.evaluations import check_evaluation
from tamis.testing.searches import check_search
from tamis.testing.sources import check_source

__all__ = ["check_evaluation", "check_search", "check_source"]
