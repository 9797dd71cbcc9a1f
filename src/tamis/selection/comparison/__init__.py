"""Which columns, how sure, at what cost: methods of selection compared on rows that chose nothing."""

from tamis.selection.comparison.compare import compare_selectors
from tamis.selection.comparison.interchangeable import Interchangeable
from tamis.selection.comparison.method_selector import MethodSelector
from tamis.selection.comparison.recommendation import Recommended
from tamis.selection.comparison.result import Comparison, Curve
from tamis.selection.comparison.scores import Estimate
from tamis.selection.comparison.stability import stability_index

__all__ = [
    "Comparison",
    "Curve",
    "Estimate",
    "Interchangeable",
    "MethodSelector",
    "Recommended",
    "compare_selectors",
    "stability_index",
]
