"""
NMF by three kinds of algorithm, over time
==========================================

Multiplicative updates are simple and slow, ADMM and primal-dual methods are fast at first and promise nothing, and
coordinate descent and Newton steps go on. All begin at the same point.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from tamis import NMF

rng = np.random.default_rng(0)
X = rng.uniform(size=(300, 10)) @ rng.uniform(size=(10, 200)) + 0.05 * rng.uniform(size=(300, 200))
start = rng.uniform(size=(300, 10)), rng.uniform(size=(10, 200))

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
races = {"squared": ("mu", "admm", "hals"), "kl": ("mu", "admm", "primal_dual", "newton")}
for ax, (datafit, solvers) in zip(axes, races.items(), strict=True):
    for solver in solvers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are stopped after a second, wherever they are
            model = NMF(10, datafit=datafit, solver=solver, init=start, tol=0, max_iter=10_000, time_limit=1.0).fit(X)
        seconds, objective = model.diagnostics_.trace.T
        ax.plot(seconds, objective, label=solver)
    ax.set(title=datafit, xlabel="seconds", ylabel="objective", yscale="log")
    ax.legend(frameon=False)
plt.show()
