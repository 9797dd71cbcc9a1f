"""
Exercise 11.1: Relief on the watermelons
========================================

Seventeen melons, eight columns, of which six hold words and two numbers: which tell a ripe melon? Relief asks each
melon for its nearest one that is alike in ripeness, the near-hit, and its nearest one that is not, the near-miss. A
column is worth something where the near-miss differs and the near-hit does not.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis import Relief, ReliefF
from tamis.datasets import load_watermelon
from tamis.plots import relief

melons = load_watermelon()
names, ripe = melons.feature_names, melons.target
n = len(ripe)

# %%
# By hand
# -------
# Words differ by 0 or 1, numbers by their distance once they are scaled to [0, 1]. Near is what differs least in all
# columns together.

density, sugar = (np.asarray(melons.columns[name], dtype=float) for name in ("density", "sugar"))
words = melons.data[:, :6]
numbers = np.column_stack([(v - v.min()) / np.ptp(v) for v in (density, sugar)])
diff = np.concatenate([words[:, None] != words, np.abs(numbers[:, None] - numbers)], axis=2).astype(float) ** 2

delta = np.zeros(len(names))
for i in range(n):
    distance = diff[i].sum(axis=1)
    distance[i] = np.inf  # no melon is its own neighbour
    hit = np.argmin(np.where(ripe == ripe[i], distance, np.inf))
    miss = np.argmin(np.where(ripe != ripe[i], distance, np.inf))
    delta += diff[i, miss] - diff[i, hit]

for name, value in zip(names, delta, strict=True):
    print(f"{name:10s} {value:6.2f}")

# %%
# By the library
# --------------
# ``relevance_`` is the mean over the melons, which does not grow with their number; the book prints the sum, n times
# as much.

found = Relief(n_permutations=200, random_state=0).fit(melons.data, ripe)
print("sum  ", (n * found.relevance_).round(2))
print("mean ", found.relevance_.round(3))
print("the same as by hand:", np.allclose(n * found.relevance_, delta, atol=1e-12))

# %%
# What seventeen melons can say
# -----------------------------
# Above 0 are texture, umbilicus, root and sugar. The lines are standard errors, and to the right stands how often a
# column that has nothing to do with ripeness would come out as high. Sugar has less relevance than root, for its values
# lie closer together, and yet is clearer: of root these few melons do not convince.

relief(found, names=names)
plt.show()

# %%
# Several neighbours
# ------------------
# One near-hit and one near-miss are a matter of chance. Relief-F averages over several; with one neighbour and the
# weights as printed in (11.4) every miss counts only by the share of its class, about one half, and all columns sink.

printed = ReliefF(n_neighbors=1, power=2, miss_weight="prior").fit(melons.data, ripe)
three = ReliefF(n_neighbors=3, power=2).fit(melons.data, ripe)
print(f"{'':10s} {'(11.3)':>8s} {'(11.4)':>8s} {'3 neighbours':>13s}")
for j, name in enumerate(names):
    sums = [n * model.relevance_[j] for model in (found, printed, three)]
    print(f"{name:10s} {sums[0]:8.2f} {sums[1]:8.2f} {sums[2]:13.2f}")
