"""
Wrong readings in a table of sensors, found and named
=====================================================

Twelve thermometers in a building, read every hour for ten days: all follow the weather, the heating and the sun, each
in its own measure. Some readings are wrong, one sensor is stuck for a night, some values are missing. Nobody says
which: robust PCA finds them from the other sensors, and says what they should have been.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from tamis import RobustPCA

rng = np.random.default_rng(0)
hours = np.arange(240)
day = 2 * np.pi * hours / 24
sun = np.maximum(0, np.sin(day - 2 * np.pi / 3))
causes = np.column_stack([np.sin(day), sun, np.cos(hours / 50), np.ones(240)])
names = ["hall", "attic", "cellar", "kitchen", "office", "library", "north", "east", "south", "west", "garage", "roof"]
weights = rng.uniform(0.3, 3, (4, 12)) + np.array([[0.0], [0.0], [0.0], [18.0]])
true = pd.DataFrame(causes @ weights + 0.05 * rng.normal(size=(240, 12)), columns=names)

readings = true.copy()
wrong = [(30, "attic", 9.0), (77, "kitchen", -14.0), (121, "roof", 22.0), (122, "roof", 20.0), (200, "west", -7.0)]
for hour, name, by in wrong:
    readings.loc[hour, name] += by
readings.loc[150:160, "cellar"] = 8.0  # stuck
readings = readings.mask(rng.random(readings.shape) < 0.05)

model = RobustPCA("stable", random_state=0).fit(readings)
print(f"rank {model.rank_}, noise of {model.noise_:.2f} degrees")
print(model.outlier_frame(16).round(1).to_string(index=False))

# %%
# The missing and the wrong readings as the other sensors say they were:
low = pd.DataFrame(model.low_rank_, columns=names)
figure, axes = plt.subplots(2, 1, figsize=(9, 5), layout="constrained", sharex=True)
for ax, name in zip(axes, ("cellar", "roof"), strict=True):
    ax.plot(hours, readings[name], ".", color="0.5", label="readings")
    ax.plot(hours, low[name], color="tab:blue", label="low rank")
    at = np.abs(model.sparse_[:, names.index(name)]) > 1
    ax.plot(hours[at], readings[name][at], "x", color="tab:red", label="beyond it")
    ax.set(ylabel=f"{name}, °C")
axes[0].legend(frameon=False, ncols=3)
axes[1].set_xlabel("hour")
plt.show()
