"""Codes given atoms, one file per coder."""

from tamis.dictionary.coders.base import Coder
from tamis.dictionary.coders.fista import FISTACoder
from tamis.dictionary.coders.lasso import LassoCoder
from tamis.dictionary.coders.omp import OMPCoder
from tamis.dictionary.coders.threshold import ThresholdCoder

CODERS: dict[str, type[Coder]] = {
    "omp": OMPCoder,
    "lasso": LassoCoder,
    "fista": FISTACoder,
    "threshold": ThresholdCoder,
}

__all__ = ["CODERS", "Coder", "FISTACoder", "LassoCoder", "OMPCoder", "ThresholdCoder"]
