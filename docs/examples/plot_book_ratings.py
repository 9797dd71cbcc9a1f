"""
Book ratings: what the rank does not tell, and what the genres add
==================================================================

Four readers, five books, 12 of 20 ratings known. The table they were taken from has rank 2. Can it be found again?
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis import MatrixCompletion
from tamis.datasets import load_ratings
from tamis.lowrank import required_entries

ratings = load_ratings()
print(required_entries(4, 5, 2))

# %%
# There are fewer entries than degrees of freedom, so that many tables of rank 2 fit. The one of least nuclear norm,
# (11.26), fits all known ratings and is not the table behind them: its norm is smaller.
least = MatrixCompletion("soft_impute", alpha=0, tol=1e-9, max_iter=20_000).fit(ratings.data).completed()
for name, table in (("behind the ratings", ratings.complete), ("of least nuclear norm", least)):
    print(f"{name}: nuclear norm {np.linalg.norm(table, 'nuc'):.1f}, rank {np.linalg.matrix_rank(table, tol=1e-4)}")

# %%
# Who knows the genres knows more: a reader rates all books of a genre alike. Then three columns are left instead of
# five, and the mean of what a reader gave to a genre fills its other books; poems lie between novels and histories.
genres = np.array(ratings.genres)
by_genre = np.full_like(ratings.data, np.nan)
for genre in ("novel", "history"):
    by_genre[:, genres == genre] = np.nanmean(ratings.data[:, genres == genre], axis=1, keepdims=True)
by_genre[:, genres == "poem"] = (by_genre[:, [0]] + by_genre[:, [2]]) / 2
print("with the genres, largest error:", np.abs(by_genre - ratings.complete).max())

figure, axes = plt.subplots(1, 4, figsize=(12, 3.6), layout="constrained", sharey=True)
tables = {"known": ratings.data, "least nuclear norm": least, "with the genres": by_genre, "truth": ratings.complete}
for ax, (name, table) in zip(axes, tables.items(), strict=True):
    ax.imshow(table, vmin=0, vmax=6, cmap="YlGnBu")
    for (i, j), value in np.ndenumerate(table):
        ax.text(j, i, "?" if np.isnan(value) else f"{value:.3g}", ha="center", va="center")
    ax.set_title(name)
    ax.set_xticks(range(5), ["Gulliver", "Crusoe", "Mankind", "History", "Gitanjali"], rotation=50, ha="right")
axes[0].set_yticks(range(4), ratings.readers)

# %%
# A larger table of the same kind has enough entries: 300 readers, 200 books, a fifth of the ratings known.
rng = np.random.default_rng(0)
M = 3 + rng.normal(size=(300, 2)) @ rng.normal(size=(2, 200)) / 2
known = rng.random(M.shape) < 0.2
print(required_entries(300, 200, 3))
model = MatrixCompletion("factored", rank=3, random_state=0).fit(np.where(known, M, np.nan))
error = np.linalg.norm((model.completed() - M)[~known]) / np.linalg.norm(M[~known])
print(f"relative error at the ratings that are not known: {error:.1e}")
plt.show()
