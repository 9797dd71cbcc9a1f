"""Small real tables with known answers, and planted problems whose truth comes with them.

The loaders return a ``sklearn.utils.Bunch``; those of tables also hold ``columns``, a dictionary of typed 1-D arrays
from which any frame library builds a frame: ``pandas.DataFrame(load_watermelon().columns)``.
"""

from tamis.datasets.pitprops import load_pitprops
from tamis.datasets.planted import make_discrete_classification, make_sparse_regression
from tamis.datasets.ratings import load_ratings
from tamis.datasets.watermelon import load_watermelon
from tamis.datasets.weather import load_weather

__all__ = [
    "load_pitprops",
    "load_ratings",
    "load_watermelon",
    "load_weather",
    "make_discrete_classification",
    "make_sparse_regression",
]
