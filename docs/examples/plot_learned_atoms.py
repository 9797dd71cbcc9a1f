"""
Learned atoms next to Haar and cosines
======================================

The experiment of Aharon, Elad and Bruckstein (2006): 441 atoms of 8 × 8 pixels learned by K-SVD from 11,000 natural
patches, next to as many overcomplete Haar functions and cosines, and the error of each at the same number of non-zeros.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from tamis import KSVD, SparseCoder
from tamis.dictionary import dct_atoms, haar_atoms
from tamis.dictionary.patches import sample_patches
from tamis.plots import atoms

rng = np.random.default_rng(0)
photos = [load_sample_image(name).mean(axis=2) for name in ("china.jpg", "flower.jpg")]


def patches(parts, each):
    X = np.concatenate([sample_patches(part, 8, each, rng) for part in parts])
    X = rng.permutation(X[X.std(axis=1) > 5])
    return X - X.mean(axis=1, keepdims=True)


train = patches([photo[:, :480] for photo in photos], 16_000)[:11_000]
test = patches([photo[:, 480:] for photo in photos], 4_000)
print(f"{len(train):,} patches to learn from, {len(test):,} of other parts of the photos")

# %%
# The three dictionaries.

learned = KSVD(441, 6, max_iter=10, random_state=0).fit(train).components_
dictionaries = {"K-SVD": learned, "Haar": haar_atoms(441, (8, 8)), "cosines": dct_atoms(441, (8, 8))}
fig, axes = plt.subplots(1, 3, figsize=(12, 4.3), layout="constrained")
for ax, (name, D) in zip(axes, dictionaries.items(), strict=True):
    atoms(D, ax=ax)
    ax.set_title(name)

# %%
# The error on patches of parts of the photos that nothing was learned from: the root mean square of what codes of so
# many atoms leave.

counts = [1, 2, 4, 6, 8, 10]
fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for name, D in dictionaries.items():
    errors = []
    for n_nonzero in counts:
        coder = SparseCoder(D, n_nonzero=n_nonzero).fit(test)
        errors.append(np.sqrt(np.mean((test - coder.inverse_transform(coder.transform(test))) ** 2)))
    ax.plot(counts, errors, marker="o", label=name)
    print(f"{name:8s}", "  ".join(f"{n}: {e:5.2f}" for n, e in zip(counts, errors, strict=True)))
ax.set_xlabel("non-zeros a patch")
ax.set_ylabel("root mean square error (of 255)")
ax.legend(frameon=False)
