"""How subsets are proposed."""

from tamis.selection.search.base import (
    Additions,
    AdditionsWithPValues,
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

SEARCHES: dict[str, type[Search]] = {
    "ranking": Ranking,
    "forward": Forward,
    "backward": Backward,
    "bidirectional": Bidirectional,
    "floating": Floating,
    "best_first": BestFirst,
    "beam": Beam,
    "exhaustive": Exhaustive,
    "branch_and_bound": BranchAndBound,
    "recursive": Recursive,
    "las_vegas": LasVegas,
}

__all__ = [
    "SEARCHES",
    "Additions",
    "AdditionsWithPValues",
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
