"""
The base area of a box: redundant, and yet of use
=================================================

Who knows the length and the width of a box knows its base area: the column is redundant, its information is in the
others. But where the volume is to be told, the base area is a step on the way, an intermediate concept, and a learner
that has to work out the step by itself does worse without it.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from tamis import find_redundant
from tamis.plots import redundancy

rng = np.random.default_rng(0)
boxes = pd.DataFrame(rng.uniform(1, 3, (300, 3)), columns=["length", "width", "height"])
boxes["base area"] = boxes["length"] * boxes["width"]
volume = boxes["base area"] * boxes["height"]

# %%
# What follows from what
# ----------------------
# A product is a sum of logarithms, so it is found exactly. And it can be read backwards: given the area, the width
# follows from the length.

found = find_redundant(boxes, volume)
print(found)
redundancy(found)
plt.show()

# %%
# Whom it helps
# -------------
# A decision tree cuts one column at a time and cannot multiply; it misses the area. A linear model of the logarithms
# does not: there the area is the sum of two columns that are there anyway.

logs = np.log(boxes)
for learner, table, target in (
    (DecisionTreeRegressor(random_state=0), boxes, volume),
    (LinearRegression(), logs, np.log(volume)),
):
    told = find_redundant(table, target, learner=learner)
    loss = told.losses["base area"]
    print(f"{type(learner).__name__:22s} loses {loss.mean:.3f} ± {loss.error:.3f}: {told.verdicts['base area']}")

# %%
# More rows, less need
# --------------------
# With more boxes a tree can afford more cuts and makes up for the column, slowly.

sizes = [100, 200, 400, 800, 1600]
losses = []
for n in sizes:
    many = pd.DataFrame(rng.uniform(1, 3, (n, 3)), columns=["length", "width", "height"])
    many["base area"] = many["length"] * many["width"]
    losses.append(find_redundant(many, many["base area"] * many["height"], n_repeats=3).losses["base area"])

figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
axis.errorbar(sizes, [loss.mean for loss in losses], yerr=[loss.error for loss in losses], fmt="o-", capsize=3)
axis.axhline(0, color="0.5", linewidth=0.8)
axis.set(xscale="log", xlabel="boxes", ylabel="R² lost without the base area")
axis.minorticks_off()
axis.set_xticks(sizes, labels=[str(n) for n in sizes])
plt.show()
