"""
The best subset, and the proof that it is
=========================================

Of 60 columns, which six explain the target best? There are 50 million ways to choose. ``BestSubset`` has a good one at
once, and then raises a bound below all others until the two meet.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis import BestSubset

rng = np.random.default_rng(0)
n, p = 300, 60
X = rng.standard_normal((n, p))
for j in range(1, p):  # neighbours are correlated, which is what misleads greedy searches
    X[:, j] = 0.6 * X[:, j - 1] + 0.8 * X[:, j]
true = np.zeros(p)
true[::10] = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]
y = X @ true + 1.5 * rng.standard_normal(n)

# %%
# How many columns
# ----------------
# Of several sizes the Bayesian information criterion chooses one. Columns 0, 10, 20, 30, 40 and 50 made the target.

model = BestSubset(n_nonzero=range(1, 11), ridge=0.05).fit(X, y)
print("chosen:", np.flatnonzero(model.support_).tolist())

# %%
# The proof
# ---------
# The relative gap says how much lower the objective of any other subset of this size can be. ``verify`` recomputes it
# from the rows: the leaves of the search cover every subset, and each has a bound.

certificate = model.certificate_
print(f"objective {certificate.primal:.5f}, no subset below {certificate.dual:.5f}")
print(f"relative gap {certificate.relative_gap:.1e}, verified {certificate.verify(X, y).relative_gap:.1e}")
print(model.strategy_)

# %%
# The gap against the time it is given
# ------------------------------------
# Without any time there is the subset already, with a first bound. How quickly the bound rises depends on the ridge:
# it is what makes the relaxation tight.

limits = (0.0, 0.05, 0.2, 1.0)
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
left.plot(model.sizes_, model.criterion_path_, "o-", color="tab:gray")
left.plot(model.n_nonzero_, model.criterion_path_.min(), "o", color="tab:red", label=f"{model.n_nonzero_} columns")
left.set(xlabel="number of columns", ylabel="BIC", title="the size")
left.legend()
for ridge, color in ((0.02, "tab:orange"), (0.05, "tab:red"), (0.2, "tab:blue")):
    gaps = [BestSubset(6, ridge, tol=1e-6, time_limit=limit).fit(X, y).certificate_.relative_gap for limit in limits]
    right.plot(limits, gaps, "o-", color=color, label=f"ridge {ridge:g}")
right.set(
    xlabel="seconds for the proof", ylabel="relative gap", title="how much better any subset can be", ylim=(0, None)
)
right.legend()
plt.show()
