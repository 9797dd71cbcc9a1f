"""
One-hot groups: labels that enter together
==========================================

A column of labels becomes one 0/1 column for each label. The lasso then picks labels one by one, and tells little about
the column as a whole; the group lasso takes a column with all its labels, or leaves it out.
"""

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
from sklearn.datasets import load_diabetes

from tamis import as_source, sparse_path
from tamis.penalties import L1, Group
from tamis.sources import Encoded

# %%
# A table with labels
# -------------------
# The measurements of 442 diabetes patients as a questionnaire would have them: five classes of age, of body mass, of
# blood pressure and of two blood values, besides a region that has nothing to do with the disease.

diabetes = load_diabetes(scaled=False)
measured = dict(zip(diabetes.feature_names, diabetes.data.T, strict=True))
words = ("lowest", "low", "middle", "high", "highest")


def in_words(x):
    fifth = np.searchsorted(np.quantile(x, [0.2, 0.4, 0.6, 0.8]), x)
    return [words[k] for k in fifth]


columns = {name: in_words(measured[name]) for name in ("age", "bmi", "bp", "s1", "s5")}
columns["region"] = np.random.default_rng(0).choice(["north", "south", "east", "west", "isles"], 442).tolist()
table = pa.table(columns | {"progression": diabetes.target})
encoded = Encoded(as_source(table, target="progression"))
print(len(encoded.names), "indicators:", encoded.names[:6], "…")

# %%
# Two paths
# ---------
# ``Group("one-hot")`` makes a group of the indicators that come from one column.

paths = {
    "lasso: label by label": sparse_path(encoded, penalty=L1(), alphas=60),
    "group lasso: column by column": sparse_path(encoded, penalty=Group("one-hot"), alphas=60),
}
for title, path in paths.items():
    print(title)
    for name in columns:
        mine = [j for j, origin in enumerate(encoded.origin) if origin == name]
        used = path.coefs[:, mine] != 0
        enters = used.argmax(axis=0)[used.any(axis=0)]
        print(f"  {name:7s} labels enter at steps {sorted(enters.tolist())}")

# %%
# In the picture
# --------------
# One colour for each column. On the left labels leave zero one at a time; on the right all labels of a column leave
# it at the same α.

colours = dict(zip(columns, ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#5d3a9b", "0.5"), strict=True))
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained", sharey=True)
for axis, (title, path) in zip(axes, paths.items(), strict=True):
    for name, colour in colours.items():
        mine = [j for j, origin in enumerate(encoded.origin) if origin == name]
        axis.plot(path.alphas / path.alphas[0], path.coefs[:, mine], color=colour, linewidth=1.2)
        axis.lines[-1].set_label(name if axis is axes[0] else None)
    axis.axhline(0, color="0.3", linewidth=0.8)
    axis.set(xscale="log", xlim=(1, 0.01), xlabel=r"$\alpha / \alpha_{\max}$", title=title)
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("coefficient of the label")
figure.legend(loc="outside right center", frameon=False)
plt.show()
