"""How subsets are proposed."""

from tamis.selection.search.base import Additions, Index, Removals, Search, Stop, Subsets
from tamis.selection.search.greedy import Backward, Forward
from tamis.selection.search.ranking import Ranking

__all__ = ["Additions", "Backward", "Forward", "Index", "Ranking", "Removals", "Search", "Stop", "Subsets"]
