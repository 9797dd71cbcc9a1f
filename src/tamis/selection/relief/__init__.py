"""Columns weighed by the nearest rows of every class."""

from tamis.selection.relief.estimators import Relief, ReliefF

__all__ = ["Relief", "ReliefF"]
