"""How subsets are proposed."""

from tamis.selection.search.base import Additions, Drawn, Index, Removals, Search, Stop, Subsets, Weighed
from tamis.selection.search.both_ways import Bidirectional, Floating
from tamis.selection.search.chance import LasVegas
from tamis.selection.search.complete import BranchAndBound, Exhaustive
from tamis.selection.search.frontier import Beam, BestFirst
from tamis.selection.search.greedy import Backward, Forward
from tamis.selection.search.ranking import Ranking
from tamis.selection.search.recursive import Recursive

__all__ = [
    "Additions",
    "Backward",
    "Beam",
    "BestFirst",
    "Bidirectional",
    "BranchAndBound",
    "Drawn",
    "Exhaustive",
    "Floating",
    "Forward",
    "Index",
    "LasVegas",
    "Ranking",
    "Recursive",
    "Removals",
    "Search",
    "Stop",
    "Subsets",
    "Weighed",
]
