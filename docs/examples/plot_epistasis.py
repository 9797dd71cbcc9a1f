"""
Epistasis: genes that tell something only as a pair
===================================================

A classic of genetics: two positions in the genome decide together who falls ill, and neither tells anything by itself.
No score that looks at one column at a time can find them. Relief compares people who are alike in all columns, and so
sees what the two do together.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis import MultiSURF, ReliefF, SubsetSelector
from tamis.plots import relief


def people(n, p, share, seed):
    """Genotypes 0, 1, 2 at p positions, and who is ill: who has a 1 at exactly one of the first two. But that holds
    for a share of the people only; the others are ill or not for reasons of their own."""
    rng = np.random.default_rng(seed)
    genotypes = rng.binomial(2, 0.5, (n, p)).astype(np.int8)
    pair = (genotypes[:, 0] == 1) ^ (genotypes[:, 1] == 1)
    return genotypes, np.where(rng.random(n) < share, pair, rng.random(n) < 0.5)


def names(p):
    return ["A", "B", *(f"noise {j}" for j in range(p - 2))]


X, ill = people(600, 200, share=0.7, seed=0)

# %%
# Nothing to see from one side
# ----------------------------
# In the margins, where only one of the two is known, every genotype has the same risk, but for chance.

figure, axis = plt.subplots(figsize=(4.4, 3.8), layout="constrained")
known = np.array([[ill[(X[:, 0] == a) & (X[:, 1] == b)].mean() for b in range(3)] for a in range(3)])
axis.imshow(known, cmap="RdBu_r", vmin=0, vmax=1)
margins = [ill[X[:, column] == g].mean() for column in (0, 1) for g in range(3)]
places = [(b, a) for a in range(3) for b in range(3)] + [(3, g) for g in range(3)] + [(g, 3) for g in range(3)]
for (x, y), share in zip(places, [*known.ravel(), *margins], strict=True):
    axis.text(x, y, f"{share:.0%}", ha="center", va="center", color="black" if 3 in (x, y) else "white")
axis.set(xlim=(-0.5, 3.5), ylim=(3.5, -0.5), xlabel="genotype at B", ylabel="genotype at A", title="share of the ill")
axis.set_xticks(range(4), labels=["0", "1", "2", "any"])
axis.set_yticks(range(4), labels=["0", "1", "2", "any"])
axis.tick_params(length=0)
axis.spines[:].set_visible(False)
plt.show()

# %%
# Where the pair ranks among two hundred columns:


def ranks(scores):
    """Of A and B."""
    return [1 + int((scores > scores[j]).sum()) for j in range(2)]


for evaluation in ("information_gain", "f_score"):
    print(f"{evaluation:18s}", ranks(SubsetSelector("ranking", evaluation, n_features=2).fit(X, ill).scores_))
for model in (ReliefF(2), MultiSURF(2)):
    print(f"{type(model).__name__:18s}", ranks(model.fit(X, ill).relevance_))

# %%
# Where to cut
# ------------
# Ranks do not say how many columns to believe. ``fdr=0.1`` shuffles, and takes what stands out of what chance brings.

found = MultiSURF(fdr=0.1, random_state=0).fit(X, ill)
print([names(200)[j] for j in found.selected_features_])
relief(found, n_features=12, names=names(200))
plt.show()

# %%
# Thousands of columns
# --------------------
# The more columns of noise there are, the less being alike in all of them has to do with the pair, and the pair sinks.
# ``removal`` leaves the worst fifth of the columns out and asks anew who is near whom, again and again; what remains is
# ever less noise.

X, ill = people(800, 3000, share=0.8, seed=1)
once = MultiSURF(2).fit(X, ill)
again = MultiSURF(2, removal=0.2).fit(X, ill)
print("weighed once:", ranks(once.relevance_), "of", X.shape[1])
print("with removal:", [names(3000)[j] for j in again.selected_features_])

# %%
# With removal the pair has to survive only the first cuts, where it need not be at the top yet.

relief(again, n_features=12, names=names(3000))
plt.show()
