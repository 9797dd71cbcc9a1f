"""Weather and play: the eight-row table on which information gain is first computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from tamis._core.checks import check_choice

DESCR = """\
Weather and play, 8 rows: one nominal column, weather (sunny, overcast, rainy), and the class, play (yes, no).
4 rows are yes, 4 no.

A lecture's first example of information gain, Gain(A) = Ent(D) − Σ_v |D_v|/|D| Ent(D_v). The lecture's table and its
worked solution disagree, so both are offered:

version     sunny      overcast   rainy      Gain(weather)
worked      2 yes 1 no 2 yes 1 no 0 yes 2 no 0.311 bits: the value counts of the worked solution (which rounds to 0.312)
printed     3 yes 2 no 1 yes 1 no 0 yes 1 no 0.143 bits: the rows of the table as printed

The worked solution states its counts, not its rows; the order of its rows here is ours.
"""

ROWS = {
    "worked": (
        ("sunny", "yes"), ("sunny", "yes"), ("sunny", "no"),
        ("overcast", "yes"), ("overcast", "yes"), ("overcast", "no"),
        ("rainy", "no"), ("rainy", "no"),
    ),
    "printed": (
        ("sunny", "yes"), ("sunny", "yes"), ("sunny", "no"), ("sunny", "yes"), ("sunny", "no"),
        ("overcast", "no"), ("overcast", "yes"),
        ("rainy", "no"),
    ),
}  # fmt: skip


def load_weather(version: str = "worked", *, return_X_y: bool = False) -> Any:
    """Weather → play: 8 rows, one nominal column; Gain(weather) = 0.311 bits ("worked") or 0.143 bits ("printed").

    Parameters
    ----------
    version : {"worked", "printed"}
        The value counts of the source's worked solution, or the rows of its printed table: the two disagree.
    return_X_y : bool
        Only ``(data, target)``.

    Returns
    -------
    Bunch
        ``data`` (8, 1) strings, ``target`` (8,) "yes" or "no", ``feature_names``, ``target_names``,
        ``columns``, ``DESCR``.

    Examples
    --------
    >>> from tamis.datasets import load_weather
    >>> weather = load_weather("printed")
    >>> weather.data[:, 0]
    array(['sunny', 'sunny', 'sunny', 'sunny', 'sunny', 'overcast', 'overcast', 'rainy'], dtype='<U8')
    """
    rows = np.array(ROWS[check_choice("version", version, list(ROWS))])
    data, target = rows[:, :1], rows[:, 1]
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        feature_names=["weather"],
        target_names=["no", "yes"],
        columns={"weather": data[:, 0], "play": target},
        DESCR=DESCR,
    )
