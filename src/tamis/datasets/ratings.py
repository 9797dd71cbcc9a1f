"""Book ratings: four readers, five books, three genres, and many empty places."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

DESCR = """\
Book ratings: 4 readers × 5 books on a scale from 1 (least) to 5 (most preferred); NaN where a reader has
not rated a book.

Made for this library in the manner of Table 11.1 of Z.-H. Zhou, Machine Learning (Sect. 11.6): the same five books,
but the readers and all numbers are ours. ``complete`` is the table they were taken from: a reader rates all books of
a genre alike, and poems halfway between novels and histories, so it has rank 2. Who knows this can fill in the 8
missing entries from the 12 known ones. Who knows only that the rank is 2 cannot: it has 14 degrees of freedom, and the
table of least nuclear norm that fits the known entries is another one (16.6 against 19.0).
"""

BOOKS = {
    "Gulliver's Travels": "novel",
    "Robinson Crusoe": "novel",
    "The Story of Mankind": "history",
    "A Study of History": "history",
    "Gitanjali": "poem",
}
FACTORS = {  # novel, history, poem = (novel + history) / 2
    "Ada": {"novel": 5, "history": 1, "poem": 3},
    "Ben": {"novel": 3, "history": 5, "poem": 4},
    "Chloe": {"novel": 1, "history": 3, "poem": 2},
    "Dan": {"novel": 2, "history": 4, "poem": 3},
}
OBSERVED = np.array([
    (1, 0, 1, 0, 1),
    (1, 1, 0, 1, 0),
    (0, 1, 1, 1, 1),
    (1, 0, 0, 1, 0),
], dtype=bool)  # fmt: skip


def load_ratings() -> Any:
    """Book ratings: 4 readers × 5 books, 12 of 20 entries known, scale 1 to 5. The numbers are ours (see ``DESCR``).

    Returns
    -------
    Bunch
        ``data`` (4, 5) with NaN where unknown, ``complete`` (4, 5) the rank-2 table behind it, ``readers``,
        ``feature_names`` (the books), ``genres``, ``DESCR``.

    Examples
    --------
    >>> from tamis.datasets import load_ratings
    >>> load_ratings().data
    array([[ 5., nan,  1., nan,  3.],
           [ 3.,  3., nan,  5., nan],
           [nan,  1.,  3.,  3.,  2.],
           [ 2., nan, nan,  4., nan]])
    """
    complete = np.array([[factor[genre] for genre in BOOKS.values()] for factor in FACTORS.values()], dtype=float)
    return Bunch(
        data=np.where(OBSERVED, complete, np.nan),
        complete=complete,
        readers=list(FACTORS),
        feature_names=list(BOOKS),
        genres=list(BOOKS.values()),
        DESCR=DESCR,
    )
