"""
{a2, a4, a6, a8}: what a greedy search can miss
===============================================

A search that adds one column at a time takes :math:`a_2`, then :math:`a_4`. In the third round :math:`a_5` is better
than :math:`a_6`, so it goes on with :math:`\\{a_2, a_4, a_5\\}`. And yet :math:`\\{a_2, a_4, a_6, a_8\\}` may be better
than any :math:`\\{a_2, a_4, a_5, a_i\\}`. Here is a table where that happens, and what each search makes of it.
"""

from itertools import product

import matplotlib.pyplot as plt
import pandas as pd

from tamis import SubsetSelector
from tamis.plots import history
from tamis.selection import Beam

# %%
# The table
# ---------
# The class is told by :math:`a_2` (three values), by :math:`a_4`, and by whether :math:`a_6` and :math:`a_8` differ.
# Of those two, either alone tells nothing. :math:`a_5` is a bad copy of their difference, right in four rows of five,
# and :math:`a_1, a_3, a_7` are noise. Every combination is there once, so chance plays no part.

rows = []
for a1, a3, a7, a2, a4, a6, a8, flip in product(*[range(2)] * 3, range(3), *[range(2)] * 3, range(5)):
    differ = a6 ^ a8
    rows.append((a1, a2, a3, a4, differ ^ (flip == 0), a6, a7, a8, 4 * a2 + 2 * a4 + differ))
X = pd.DataFrame(rows, columns=["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "y"])
y = X.pop("y")
print(X.shape, "rows and columns;", y.nunique(), "classes")

# %%
# Who finds it
# ------------
# All maximise the information gain over subsets of four.

searches = {
    "forward": "forward",
    "floating": "floating",
    "beam of 3": Beam(3),
    "beam of 5": Beam(5),
    "backward": "backward",
    "branch and bound": "branch_and_bound",
    "exhaustive": "exhaustive",
}
fitted = {name: SubsetSelector(search, n_features=4).fit(X, y) for name, search in searches.items()}
for name, selector in fitted.items():
    found = ", ".join(sorted(selector.selected_features_))
    print(f"{name:17s} {found:15s} {selector.score_:.3f} bits, {len(selector.history_):4d} subsets")

# %%
# Forward is trapped, and floating with it: from :math:`\{a_2, a_4, a_5\}` no single step, forward or back, leads to
# anything better. A beam of five keeps :math:`\{a_2, a_4, a_6\}` beside the winner of the third round, and that is
# enough here; three are too few, and on another table five may be. Backward starts from all columns and never loses
# sight of the pair. Only the last two can say that there is nothing better: exhaustive because it has seen everything,
# branch and bound because gain never grows when a column goes.
#
# Two of the histories
# --------------------

figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for axis, name in zip(axes, ("forward", "beam of 5"), strict=True):
    history(fitted[name], ax=axis)
    axis.set_title(name, loc="left")
axes[1].set_ylabel("")
plt.show()
