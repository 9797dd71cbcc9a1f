"""
Weather and play: a gain that depends on which table you believe
=================================================================

The smallest example of information gain has eight rows and one column. Its source prints a table and works out a
solution, and the two do not agree: the table has five sunny days, the solution counts three. Tamis offers both, and
computes

.. math::

    \\operatorname{Gain}(A) = \\operatorname{Ent}(D) - \\sum_v \\frac{|D^v|}{|D|} \\operatorname{Ent}(D^v).
"""

from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

from tamis import SubsetSelector
from tamis.datasets import load_weather

# %%
# The two versions
# ----------------
# Both have four days with play and four without.

versions = {version: load_weather(version) for version in ("worked", "printed")}
for version, weather in versions.items():
    print(version, dict(Counter(zip(weather.data[:, 0].tolist(), weather.target.tolist(), strict=True))))

# %%
# Information gain
# ----------------
# A ranking scores each column by itself; ``scores_`` are bits.

gains = {}
for version, weather in versions.items():
    selector = SubsetSelector(search="ranking", n_features=1).fit(weather.data, weather.target)
    gains[version] = float(selector.scores_[0])
    print(f"{version:8s} {gains[version]:.3f} bits")

# %%
# The same by hand
# ----------------
# One bar per day's weather: its width is its share of the rows, its height the entropy that is left once the weather is
# known. The coloured area is what remains of the one bit; the empty area is the gain.


def entropy(labels):
    p = np.array(list(Counter(labels.tolist()).values())) / len(labels)
    return float(-(p * np.log2(p)).sum())


figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True, layout="constrained")
for axis, (version, weather) in zip(axes, versions.items(), strict=True):
    left = remaining = 0.0
    for value in ("sunny", "overcast", "rainy"):
        rows = weather.data[:, 0] == value
        share, height = rows.mean(), entropy(weather.target[rows])
        axis.bar(left, height, width=share, align="edge", edgecolor="white")
        axis.text(left + share / 2, 0.06, value, ha="center")
        left, remaining = left + share, remaining + share * height
    assert abs(entropy(weather.target) - remaining - gains[version]) < 1e-12
    axis.set(
        title=f"{version}: gain {gains[version]:.3f} bits", xlabel="share of the days", xlim=(0, 1), ylim=(0, 1.05)
    )
axes[0].set_ylabel("entropy left (bits)")
plt.show()
