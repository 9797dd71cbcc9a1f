"""What one pass leaves behind: moments and Gram matrices, counts, bin edges."""

from tamis.stats.collect import Statistic, collect

__all__ = ["Statistic", "collect"]
