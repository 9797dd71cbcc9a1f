r"""
Exercise 11.2: Relief-F, written out
====================================

Relief knows hits and misses. With more than two classes a miss may be of any of the others, and Relief-F takes one
from each:

| *input*: rows :math:`x_1, \ldots, x_n` with classes :math:`y_1, \ldots, y_n`, number of neighbours :math:`k`
| 1. :math:`p_l` := share of class :math:`l` among the rows
| 2. :math:`\delta^j := 0` for every column :math:`j`
| 3. for every row :math:`x_i`:
|   4. hits := the :math:`k` rows of class :math:`y_i` nearest to :math:`x_i`, other than itself
|   5. :math:`\delta^j := \delta^j -` mean of :math:`\mathrm{diff}(x_i^j, x^j)^2` over the hits
|   6. for every class :math:`l \ne y_i`:
|     7. misses := the :math:`k` rows of class :math:`l` nearest to :math:`x_i`
|     8. :math:`\delta^j := \delta^j + p_l \cdot` mean of :math:`\mathrm{diff}(x_i^j, x^j)^2` over the misses
| *output*: the columns of the highest :math:`\delta^j`, or those above a threshold :math:`\tau`

A class with fewer than :math:`k` rows gives all it has. With :math:`k = 1` this is equation (11.4).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from tamis import ReliefF


def relief_f(X, y, k):
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    classes, counts = np.unique(y, return_counts=True)
    share = dict(zip(classes, counts / len(y), strict=True))  # 1
    delta = np.zeros(X.shape[1])  # 2
    for i in range(len(X)):  # 3
        diff = (X - X[i]) ** 2
        order = np.argsort(diff.sum(axis=1).round(9), kind="stable")  # of equally near rows the first
        order = order[order != i]
        for c in classes:
            nearest = order[y[order] == c][:k]  # 4, 7
            weight = -1 if c == y[i] else share[c]
            delta += weight * diff[nearest].mean(axis=0)  # 5, 8
    return delta


# %%
# Written out and built in
# ------------------------
# Three kinds of iris, and twenty columns of noise.

iris = load_iris()
noise = np.random.default_rng(0).normal(size=(150, 20))
X, y = np.hstack([iris.data, noise]), iris.target
delta = relief_f(X, y, k=5)
found = ReliefF(n_neighbors=5, power=2, miss_weight="prior").fit(X, y)
print("largest difference:", f"{np.abs(delta / len(X) - found.relevance_).max():.0e}")

# %%
# What the misses should count
# ----------------------------
# The weights of line 8 sum to 1 less the share of the row's own class, here to two thirds, against hits that count 1.
# So a column that tells nothing, whose misses differ just as its hits do, does not come out at 0 but below, the lower
# the more it varies; and a column that tells a little sinks with it. With :math:`p_l / (1 - p_{y_i})` instead, which
# sum to 1, what tells nothing stands around 0. That is what ``ReliefF`` does unless it is told otherwise.

fair = ReliefF(n_neighbors=5, power=2).fit(X, y)
figure, axis = plt.subplots(figsize=(6, 3.6), layout="constrained")
for at, model in enumerate((found, fair)):
    axis.plot(np.full(20, at), model.relevance_[4:], "_", color="0.6", markersize=30)
    axis.plot(np.full(4, at), model.relevance_[:4], "o", color="C0")
for name, value in zip(iris.feature_names, fair.relevance_, strict=False):
    axis.annotate(name, (1, value), xytext=(9, 0), textcoords="offset points", va="center")
axis.annotate("noise", (1, 0), xytext=(18, 7), textcoords="offset points", va="center", color="0.5")
axis.axhline(0, color="0.3", linewidth=0.8)
axis.set(xlim=(-0.4, 1.7), ylabel="relevance")
axis.set_xticks([0, 1], labels=['miss_weight="prior",\nas printed', 'miss_weight="conditional"'])
axis.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Where to cut
# ------------
# Around 0 means on both sides of it: a threshold of 0 lets about half of the noise in. How far above 0 chance may bring
# a column is found by shuffling, and ``fdr`` cuts there: with 0.1, of the chosen columns one in ten tells nothing, on
# average over many tables. In this table it is one in five.

cut = ReliefF(n_neighbors=5, power=2, fdr=0.1, random_state=0).fit(X, y)
print("above 0:     ", len(fair.selected_features_), "columns")
print("by p-values: ", [iris.feature_names[j] if j < 4 else "noise" for j in cut.selected_features_])
