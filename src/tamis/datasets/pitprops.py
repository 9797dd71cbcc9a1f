"""Pit props: the 13 × 13 correlation matrix on which sparse principal components are compared since 1967."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

DESCR = """\
Pit props: correlations of 13 measurements on 180 props of Corsican pine cut for mines.
Only the correlations are published.

topdiam  top diameter            ovensg   oven-dry specific gravity    bowdist  distance of the bow from the top
length   length                  ringtop  rings at the top             whorls   number of knot whorls
moist    moisture content        ringbut  rings at the base            clear    length of clear prop from the top
testsg   specific gravity        bowmax   maximum bow                  knots    average knots per whorl
                                                                       diaknot  average knot diameter

Its first eigenvalues, as published, are 4.219, 2.378, 1.878, 1.109, 0.910, 0.815.

J. N. R. Jeffers, Two case studies in the application of principal component analysis,
Applied Statistics 16 (1967), 225–236.
"""

NAMES = (
    "topdiam", "length", "moist", "testsg", "ovensg", "ringtop", "ringbut",
    "bowmax", "bowdist", "whorls", "clear", "knots", "diaknot",
)  # fmt: skip

# Below the diagonal, in thousandths, row by row.
BELOW = (
    (954,),
    (364, 297),
    (342, 284, 882),
    (-129, -118, -148, 220),
    (313, 291, 153, 381, 364),
    (496, 503, -29, 174, 296, 813),
    (424, 419, -54, -59, 4, 90, 372),
    (592, 648, 125, 137, -39, 211, 465, 482),
    (545, 569, -81, -14, 37, 274, 679, 557, 526),
    (84, 76, 162, 97, -91, -36, -113, 61, 85, -319),
    (-19, -36, 220, 169, -145, 24, -232, -357, -127, -368, 29),
    (134, 144, 126, 15, -208, -329, -424, -202, -76, -291, 7, 184),
)


def load_pitprops() -> Any:
    """Pit props: correlations of 13 measurements on 180 timber props.

    Returns
    -------
    Bunch
        ``correlation`` (13, 13), ``feature_names``, ``n_samples`` = 180, ``DESCR``.

    References
    ----------
    J. N. R. Jeffers, *Two case studies in the application of principal component analysis*,
    Applied Statistics 16 (1967), 225–236.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.datasets import load_pitprops
    >>> np.linalg.eigvalsh(load_pitprops().correlation)[::-1][:3].round(3)
    array([4.219, 2.378, 1.878])
    """
    C = np.eye(len(NAMES))
    for i, row in enumerate(BELOW, start=1):
        C[i, :i] = C[:i, i] = np.array(row) / 1000
    return Bunch(correlation=C, feature_names=list(NAMES), n_samples=180, DESCR=DESCR)
