"""
Sparse regression with outliers
===============================

A tenth of the targets are wrong by a lot: a comma was lost, a sensor was off. Squares follow them, the Huber loss and
the median hardly notice.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis import SparseRegressor, SparseRegressorCV
from tamis.datafits import Huber

rng = np.random.default_rng(1)
n, p = 150, 40
X = rng.standard_normal((n, p))
true = np.zeros(p)
true[:4] = [2.0, -1.5, 1.0, 1.0]
clean = X @ true + 0.5 * rng.standard_normal(n)
y = clean.copy()
hit = rng.choice(n, n // 10, replace=False)
y[hit] += 20 * rng.exponential(size=len(hit))

# %%
# Three losses
# ------------
# δ of the Huber loss is 1.345 standard deviations of the noise, as the median of the residuals of a first fit tells
# them. α is chosen by cross-validation, each loss by its own error.

median = SparseRegressor("quantile", alpha=0.05).fit(X, y)
spread = 1.4826 * np.median(np.abs(y - median.predict(X)))
models = {
    "squares": SparseRegressorCV("squared", alphas=40, cv=5).fit(X, y),
    "Huber": SparseRegressorCV(Huber(1.345 * spread), alphas=40, cv=5).fit(X, y),
    "median": SparseRegressorCV("quantile", alphas=30, cv=5).fit(X, y),
}
for name, model in models.items():
    kept = np.flatnonzero(model.coef_)
    error = np.mean((model.predict(X) - X @ true) ** 2)
    print(f"{name:8s} keeps {kept.tolist()}, error against the truth {error:.2f}")

# %%
# What each predicts
# ------------------
# Against the targets as they were before the accident; wrong ones are crosses at the height that the model predicts
# for them.

figure, axes = plt.subplots(1, 3, figsize=(12, 4), sharex=True, sharey=True, layout="constrained")
fine = np.setdiff1d(np.arange(n), hit)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    predicted = model.predict(X)
    ax.plot(clean[fine], predicted[fine], ".", color="tab:blue", label="right targets")
    ax.plot(clean[hit], predicted[hit], "x", color="tab:red", label="wrong targets")
    ax.axline((0, 0), slope=1, color="black", lw=0.8)
    ax.set(title=name, xlabel="target without the error")
axes[0].set_ylabel("prediction")
axes[0].legend()
plt.show()
