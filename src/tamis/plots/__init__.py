"""Results as matplotlib axes. Nothing is computed here."""

from tamis.plots.atoms import atoms
from tamis.plots.comparison import comparison
from tamis.plots.components import biplot, loadings, scores, scree
from tamis.plots.cv_curve import cv_curve
from tamis.plots.history import history
from tamis.plots.low_rank_plus_sparse import low_rank_plus_sparse
from tamis.plots.path import path
from tamis.plots.phase import phase
from tamis.plots.recovery import recovery
from tamis.plots.redundancy import redundancy
from tamis.plots.relief import relief
from tamis.plots.stability import stability

__all__ = [
    "atoms",
    "biplot",
    "comparison",
    "cv_curve",
    "history",
    "loadings",
    "low_rank_plus_sparse",
    "path",
    "phase",
    "recovery",
    "redundancy",
    "relief",
    "scores",
    "scree",
    "stability",
]
