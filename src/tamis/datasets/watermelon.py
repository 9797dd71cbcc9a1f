"""Watermelon 3.0: seventeen melons, six nominal and two numeric columns, ripe or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from tamis._core.checks import check_choice

DESCR = """\
Watermelon data set 3.0: 17 melons, 6 nominal columns (color, root, sound, texture, umbilicus, surface), 2 numeric ones
(density, sugar), class ripe: 8 yes, 9 no. No value is missing.

Z.-H. Zhou, Machine Learning, Table 4.3. Its six nominal columns are Table 4.1 (watermelon 2.0), whose information
gains the book works out: texture 0.381, umbilicus 0.289, root 0.143, sound 0.141, color 0.109, surface 0.006 bits.
For the numeric columns it finds the best split in two: sugar at 0.126, 0.349 bits; density at 0.381, 0.262 bits.
"""

# English and Chinese words in the same order; a row below holds positions into them.
WORDS = {
    "color": (("green", "dark", "light"), ("青绿", "乌黑", "浅白")),
    "root": (("curly", "slightly curly", "straight"), ("蜷缩", "稍蜷", "硬挺")),
    "sound": (("muffled", "dull", "crisp"), ("浊响", "沉闷", "清脆")),
    "texture": (("clear", "slightly blurry", "blurry"), ("清晰", "稍糊", "模糊")),
    "umbilicus": (("hollow", "slightly hollow", "flat"), ("凹陷", "稍凹", "平坦")),
    "surface": (("hard", "soft"), ("硬滑", "软粘")),
    "ripe": (("no", "yes"), ("否", "是")),
}
NAMES = {
    "en": ("color", "root", "sound", "texture", "umbilicus", "surface", "density", "sugar", "ripe"),
    "zh": ("色泽", "根蒂", "敲声", "纹理", "脐部", "触感", "密度", "含糖率", "好瓜"),
}
# color root sound texture umbilicus surface | density sugar | ripe
ROWS = np.array([
    (0, 0, 0, 0, 0, 0, 0.697, 0.460, 1),
    (1, 0, 1, 0, 0, 0, 0.774, 0.376, 1),
    (1, 0, 0, 0, 0, 0, 0.634, 0.264, 1),
    (0, 0, 1, 0, 0, 0, 0.608, 0.318, 1),
    (2, 0, 0, 0, 0, 0, 0.556, 0.215, 1),
    (0, 1, 0, 0, 1, 1, 0.403, 0.237, 1),
    (1, 1, 0, 1, 1, 1, 0.481, 0.149, 1),
    (1, 1, 0, 0, 1, 0, 0.437, 0.211, 1),
    (1, 1, 1, 1, 1, 0, 0.666, 0.091, 0),
    (0, 2, 2, 0, 2, 1, 0.243, 0.267, 0),
    (2, 2, 2, 2, 2, 0, 0.245, 0.057, 0),
    (2, 0, 0, 2, 2, 1, 0.343, 0.099, 0),
    (0, 1, 0, 1, 0, 0, 0.639, 0.161, 0),
    (2, 1, 1, 1, 0, 0, 0.657, 0.198, 0),
    (1, 1, 0, 0, 1, 1, 0.360, 0.370, 0),
    (2, 0, 0, 2, 2, 0, 0.593, 0.042, 0),
    (0, 0, 1, 1, 1, 0, 0.719, 0.103, 0),
])  # fmt: skip


def load_watermelon(*, language: str = "en", return_X_y: bool = False) -> Any:
    """Watermelon 3.0: 17 rows, 6 nominal and 2 numeric columns; ripe: 8 yes, 9 no.

    Parameters
    ----------
    language : {"en", "zh"}
        Names and values in English, or as in the Chinese edition.
    return_X_y : bool
        Only ``(data, target)``.

    Returns
    -------
    Bunch
        ``data`` (17, 8) object array of strings and floats, ``target`` (17,) strings, ``feature_names``,
        ``target_names``, ``columns`` (name → typed array, target included, for building a frame), ``DESCR``.

    References
    ----------
    Z.-H. Zhou, *Machine Learning*, Table 4.3.

    Examples
    --------
    >>> from tamis.datasets import load_watermelon
    >>> melons = load_watermelon()
    >>> dict(zip(melons.feature_names, melons.data[0]))
    {'color': 'green', 'root': 'curly', 'sound': 'muffled', 'texture': 'clear', 'umbilicus': 'hollow',
     'surface': 'hard', 'density': 0.697, 'sugar': 0.46}
    """
    edition = ("en", "zh").index(check_choice("language", language, ["en", "zh"]))
    names = NAMES[language]
    columns = {name: _column(english, edition) for name, english in zip(names, NAMES["en"], strict=True)}
    data = np.array([columns[name].tolist() for name in names[:-1]], dtype=object).T
    target = columns[names[-1]]
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        feature_names=list(names[:-1]),
        target_names=list(WORDS["ripe"][edition]),
        columns=columns,
        DESCR=DESCR,
    )


def _column(name: str, edition: int) -> np.ndarray:
    values = ROWS[:, NAMES["en"].index(name)]
    return np.array(WORDS[name][edition])[values.astype(int)] if name in WORDS else values.copy()
