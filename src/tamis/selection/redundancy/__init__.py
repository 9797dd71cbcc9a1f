"""Columns that follow from others."""

from tamis.selection.redundancy.finding import Redundancy, find_redundant
from tamis.selection.redundancy.helpful import ScoreLoss
from tamis.selection.redundancy.relation import Relation

__all__ = ["Redundancy", "Relation", "ScoreLoss", "find_redundant"]
