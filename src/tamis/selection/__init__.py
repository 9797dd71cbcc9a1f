"""Feature selection: a search over subsets guided by an evaluation until it stops."""

from tamis.selection.evaluation import Evaluation, InformationGain
from tamis.selection.history import History
from tamis.selection.search import Additions, Backward, Forward, Ranking, Removals, Search, Stop, Subsets
from tamis.selection.selector import SubsetSelector, information_gain

__all__ = [
    "Additions",
    "Backward",
    "Evaluation",
    "Forward",
    "History",
    "InformationGain",
    "Ranking",
    "Removals",
    "Search",
    "Stop",
    "SubsetSelector",
    "Subsets",
    "information_gain",
]
