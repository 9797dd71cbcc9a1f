"""
MCP against the bias of the lasso
=================================

The lasso finds columns by shrinking all coefficients, and those that stay are too small. To make up for what is lost,
it keeps columns that mean nothing. MCP, SCAD and L0 stop shrinking where a coefficient is large.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis import SparseRegressorCV, sparse_path

rng = np.random.default_rng(0)
n, p = 200, 100
X = rng.standard_normal((n, p))
true = np.zeros(p)
true[:5] = [3.0, -2.0, 1.5, 1.0, -1.0]
y = X @ true + 1.0 * rng.standard_normal(n)

# %%
# Chosen by cross-validation
# --------------------------
# How many columns each keeps at its best α, and how far the five true coefficients are from the truth.

models = {name: SparseRegressorCV(penalty=name, alphas=60, cv=5).fit(X, y) for name in ("l1", "mcp", "scad", "l0")}
for name, model in models.items():
    wrong = np.count_nonzero(model.coef_[5:])
    error = np.abs(model.coef_[:5] - true[:5]).mean()
    print(f"{name:5s} keeps {np.count_nonzero(model.coef_):2d} columns, {wrong:2d} of them wrong; error {error:.3f}")

# %%
# Along the path
# --------------
# Lines are coefficients, dotted ones the truth. Under the lasso they creep towards it and noise comes in before they
# are there; under MCP they arrive.

figure, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True, layout="constrained")
for ax, name, title in zip(axes, ("l1", "mcp"), ("lasso", "MCP"), strict=True):
    path = sparse_path(X, y, penalty=name, alphas=60, eps=0.03)
    ax.plot(path.alphas, path.coefs[:, 5:], color="lightgray", lw=0.8)
    for j in range(5):
        ax.plot(path.alphas, path.coefs[:, j], color=f"C{j}")
        ax.axhline(true[j], color=f"C{j}", ls=":", lw=1)
    ax.axvline(models[name].alpha_, color="black", lw=0.8)
    ax.text(models[name].alpha_, 3.35, " chosen", va="center")
    ax.set(xscale="log", xlabel="α", title=title, ylim=(-2.5, 3.6))
    ax.invert_xaxis()
axes[0].set_ylabel("coefficient")
plt.show()

# %%
# What is known about the answer
# ------------------------------
# The lasso's comes with a duality gap. MCP is not convex: there are diagnostics, and no certificate.

print("lasso:", f"gap {models['l1'].dual_gap_:.1e}")
print("MCP:  ", f"certificate {models['mcp'].certificate_}, stationary to {models['mcp'].diagnostics_['kkt']:.1e}")
