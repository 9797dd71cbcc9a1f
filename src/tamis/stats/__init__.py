"""What one pass leaves behind: moments and Gram matrices, counts, bin edges."""

from tamis.stats.base import Statistic
from tamis.stats.collect import collect

__all__ = ["Statistic", "collect"]
