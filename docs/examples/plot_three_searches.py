"""
Forward, floating, exhaustive: three searches on one table
==========================================================

The same ten columns, the same evaluation (the cross-validated R² of least squares), three ways to look for a subset.
Forward never takes a column back, floating does where that helps, and exhaustive looks at all of the 1,023 subsets.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from tamis import SubsetSelector
from tamis.plots import history

X, y = load_diabetes(return_X_y=True, as_frame=True)

# %%
# Same question, three answers
# ----------------------------
# Least squares is scored in closed form from one pass over the rows, so even all subsets take no time here.

selectors = {name: SubsetSelector(name, "linear_fit").fit(X, y) for name in ("forward", "floating", "exhaustive")}
for name, selector in selectors.items():
    print(f"{name:10s} R² {selector.score_:.5f} of {len(selector.history_):5,} subsets: {selector.selected_features_}")

# %%
# What they looked at
# -------------------
# Every dot is a subset that was scored; the line joins the best of each size that was kept, and above it stands which
# column came (+) or went (−).

figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), sharey=True, layout="constrained")
for axis, (name, selector) in zip(axes, selectors.items(), strict=True):
    history(selector, ax=axis)
    axis.set_title(name, loc="left")
axes[1].set_ylabel("")
axes[2].set_ylabel("")
plt.show()

# %%
# Where floating turned round
# ---------------------------
# The history says which column it took back, and why.

told = selectors["floating"].history_
for row in told["kept"].nonzero()[0]:
    print(f"{told.step(row):8s} {told['score'][row]:.5f}  {told['reason'][row]}")
