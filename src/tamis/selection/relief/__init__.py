"""Columns weighed by the nearest rows of every class."""

from tamis.selection.relief.estimators import MultiSURF, Relief, ReliefF, RReliefF

__all__ = ["MultiSURF", "RReliefF", "Relief", "ReliefF"]
