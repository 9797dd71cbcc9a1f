r"""
Why ℓ₁ gives zeros and ℓ₂ does not
==================================

Figure 11.1 of the textbook, drawn from data. A regression with two coefficients is asked to keep them small: once by
the sum of their sizes, :math:`\|w\|_1`, and once by the sum of their squares, :math:`\|w\|_2^2`. The error is the same
bowl in both pictures; what differs is the shape it is stopped by.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis import Lasso, SparseRegressor

# %%
# Two columns that overlap a little, and a target that depends on the second far more than on the first.

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 2))
X[:, 1] += 0.4 * X[:, 0]
y = X @ [0.4, 1.2] + 0.5 * rng.normal(size=100)
X, y = X - X.mean(axis=0), y - y.mean()
least_squares = np.linalg.lstsq(X, y)[0]

# %%
# Two penalties
# -------------
# The lasso's solution has its first coefficient at exactly zero. Ridge regression makes it small.

lasso = Lasso(alpha=0.5).fit(X, y)
ridge = SparseRegressor(penalty="l2", alpha=0.6).fit(X, y)
for name, w in (("least squares", least_squares), ("lasso", lasso.coef_), ("ridge", ridge.coef_)):
    print(f"{name:14s} w₁ = {w[0]:+.4f}   w₂ = {w[1]:+.4f}")

# %%
# The picture
# -----------
# Each ellipse joins coefficients with the same squared error; least squares is their centre. The shaded ball holds all
# coefficients whose penalty is no larger than that of the solution. Being optimal means that the ellipse through the
# solution just touches the ball. A ball with corners on the axes is touched at a corner from many directions; a round
# one is touched at a point of an axis from one direction only.


def draw(axis, w, size, title):
    w1, w2 = np.meshgrid(np.linspace(-1.2, 1.5, 301), np.linspace(-1.2, 2.1, 301))
    error = np.mean((y[:, None, None] - X[:, 0, None, None] * w1 - X[:, 1, None, None] * w2) ** 2, axis=0)
    touching = np.mean((y - X @ w) ** 2)
    lowest = np.mean((y - X @ least_squares) ** 2)
    axis.contour(w1, w2, error, levels=lowest + (touching - lowest) * np.array([0.1, 0.4, 1, 1.8, 2.8]), colors="0.7")
    axis.contour(w1, w2, error, levels=[touching], colors="#d55e00", linewidths=1.8)
    axis.contourf(w1, w2, size(w1, w2), levels=[0, size(*w)], colors="#0072b2", alpha=0.25)
    axis.plot(*least_squares, "+", color="black", markersize=9)
    clear = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85}
    axis.annotate("least squares", least_squares, xytext=(8, 6), textcoords="offset points", fontsize=9, bbox=clear)
    axis.plot(*w, "o", color="#d55e00")
    axis.axhline(0, color="0.3", linewidth=0.8)
    axis.axvline(0, color="0.3", linewidth=0.8)
    axis.set(aspect="equal", xlabel="$w_1$", ylabel="$w_2$", title=title)


figure, (left, right) = plt.subplots(1, 2, figsize=(9, 5.2), layout="constrained", sharey=True)
draw(left, lasso.coef_, lambda a, b: abs(a) + abs(b), "$\\ell_1$: the touching point is a corner, $w_1 = 0$")
draw(right, ridge.coef_, lambda a, b: a**2 + b**2, f"$\\ell_2$: no corners, $w_1 = {ridge.coef_[0]:.2f}$")
right.set_ylabel("")
plt.show()

# %%
# How often is that corner met?
# -----------------------------
# Turn the truth by steps of one degree around a circle, and count the solutions with a coefficient that is exactly
# zero.

counts = {"l1": 0, "l2": 0}
for angle in np.deg2rad(np.arange(360)):
    turned = X @ [np.cos(angle), np.sin(angle)]
    for penalty in counts:
        model = SparseRegressor(penalty=penalty, alpha=0.5, fit_intercept=False).fit(X, turned)
        counts[penalty] += bool((model.coef_ == 0).any())
print(f"of 360 directions, a zero in {counts['l1']} with ℓ₁ and in {counts['l2']} with ℓ₂")
