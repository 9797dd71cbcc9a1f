"""Feature selection: a search over subsets guided by an evaluation until it stops."""

from tamis.selection.cross_validated import CrossValidated
from tamis.selection.evaluation import Answer, Evaluation, InformationGain
from tamis.selection.history import History
from tamis.selection.linear_fit import LinearFit
from tamis.selection.search import (
    Additions,
    Backward,
    Beam,
    BestFirst,
    Bidirectional,
    BranchAndBound,
    Exhaustive,
    Floating,
    Forward,
    LasVegas,
    Ranking,
    Removals,
    Search,
    Stop,
    Subsets,
)
from tamis.selection.selector import SubsetSelector, information_gain

__all__ = [
    "Additions",
    "Answer",
    "Backward",
    "Beam",
    "BestFirst",
    "Bidirectional",
    "BranchAndBound",
    "CrossValidated",
    "Evaluation",
    "Exhaustive",
    "Floating",
    "Forward",
    "History",
    "InformationGain",
    "LasVegas",
    "LinearFit",
    "Ranking",
    "Removals",
    "Search",
    "Stop",
    "SubsetSelector",
    "Subsets",
    "information_gain",
]
