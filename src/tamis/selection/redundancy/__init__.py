"""Columns that follow from others."""

from tamis.selection.redundancy.find_redundant import Redundancy, find_redundant
from tamis.selection.redundancy.relation import Relation
from tamis.selection.redundancy.score_differences import ScoreLoss

__all__ = ["Redundancy", "Relation", "ScoreLoss", "find_redundant"]
