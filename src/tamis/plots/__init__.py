"""Results as matplotlib axes. Nothing is computed here."""

from tamis.plots.curves import cv_curve
from tamis.plots.histories import history
from tamis.plots.paths import path
from tamis.plots.redundancies import redundancy

__all__ = ["cv_curve", "history", "path", "redundancy"]
