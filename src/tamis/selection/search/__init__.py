"""How subsets are proposed."""

from tamis.selection.search.base import (
    Additions,
    Index,
    RandomSubset,
    Removals,
    Search,
    Stop,
    Subsets,
    SubsetWithWeights,
)
from tamis.selection.search.best_first import Beam, BestFirst
from tamis.selection.search.exhaustive import BranchAndBound, Exhaustive
from tamis.selection.search.floating import Floating
from tamis.selection.search.greedy import Backward, Bidirectional, Forward
from tamis.selection.search.las_vegas import LasVegas
from tamis.selection.search.ranking import Ranking
from tamis.selection.search.recursive import Recursive

__all__ = [
    "Additions",
    "Backward",
    "Beam",
    "BestFirst",
    "Bidirectional",
    "BranchAndBound",
    "Exhaustive",
    "Floating",
    "Forward",
    "Index",
    "LasVegas",
    "RandomSubset",
    "Ranking",
    "Recursive",
    "Removals",
    "Search",
    "Stop",
    "SubsetWithWeights",
    "Subsets",
]
