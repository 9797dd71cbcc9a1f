"""
Which matrices can be completed
===============================

Square matrices of 40 rows, of several ranks, with several shares of their entries observed at random. How often is the
whole matrix found again? Below the line there are fewer entries than degrees of freedom, r(m + n − r), and nothing can
work; a little above it fixed-rank factors do, and the nuclear norm needs about twice as many.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from tamis import MatrixCompletion

n, ranks, shares, trials = 40, (1, 2, 3, 4, 6, 8, 10), (0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85), 2


def found(method, rank, share, seed):
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, n))
    X = np.where(rng.random(M.shape) < share, M, np.nan)
    given = (
        {"rank": rank, "tol": 1e-5, "max_iter": 100}
        if method == "factored"
        else {"alpha": 0, "tol": 1e-3, "max_iter": 200}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of entries that are too few, which is the point here
        completed = MatrixCompletion(method, random_state=seed, **given).fit(X).completed()
    return np.linalg.norm(completed - M) <= 0.02 * np.linalg.norm(M)


figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained", sharey=True)
for ax, method, title in zip(axes, ("factored", "soft_impute"), ("rank given", "least nuclear norm"), strict=True):
    share_found = [[np.mean([found(method, r, s, seed) for seed in range(trials)]) for s in shares] for r in ranks]
    ax.imshow(share_found, origin="lower", aspect="auto", cmap="gray", vmin=0, vmax=1)
    needed = [r * (2 * n - r) / n**2 for r in ranks]
    ax.plot(np.interp(needed, shares, range(len(shares)), left=-0.5), range(len(ranks)), color="tab:red")
    ax.set_xticks(range(len(shares)), [f"{s:.0%}" for s in shares])
    ax.set_yticks(range(len(ranks)), ranks)
    ax.set(title=title, xlabel="share observed")
axes[0].set_ylabel("rank")
axes[0].text(0.7, 4.5, "degrees of freedom", color="tab:red", rotation=55, ha="center", va="center", fontsize=9)
plt.show()
