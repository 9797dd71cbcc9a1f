"""Results as matplotlib axes. Nothing is computed here."""

from tamis.plots.cv_curve import cv_curve
from tamis.plots.history import history
from tamis.plots.path import path
from tamis.plots.redundancy import redundancy
from tamis.plots.relief import relief

__all__ = ["cv_curve", "history", "path", "redundancy", "relief"]
