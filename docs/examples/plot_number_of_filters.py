"""
Learning the number of filters
==============================

With the penalty of the lasso, an atom that no code uses can be set to zero: how many remain is learned with them, and
falls as α grows. Learning begins with 120 random filters for patches of a photo.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from tamis import DictionaryLearner
from tamis.dictionary import LassoCoder, ProjectedUpdate
from tamis.dictionary.patches import sample_patches
from tamis.plots import atoms

rng = np.random.default_rng(0)
patches = sample_patches(load_sample_image("china.jpg").mean(axis=2), 8, 3_000, rng)
patches = patches - patches.mean(axis=1, keepdims=True)
lengths = np.linalg.norm(patches, axis=1)
patches = (patches / np.maximum(lengths, 1e-9)[:, None])[lengths > 30].astype(np.float32)
learned_from, left_out = patches[:1_200], patches[1_200:]

# %%
# Atoms by accelerated projected gradient, ‖d‖ ≤ 1; those that no code uses are dropped, and never come back. The error
# is that of patches that were left out of learning.

alphas = (0.3, 0.35, 0.4, 0.43, 0.46, 0.5)
first = rng.standard_normal((120, 64))
learners = [
    DictionaryLearner(120, LassoCoder(alpha), ProjectedUpdate(unused="drop"), init=first, max_iter=15).fit(learned_from)
    for alpha in alphas
]
used = [learner.n_atoms_used_ for learner in learners]
errors, sizes = [], []
for alpha, learner, k in zip(alphas, learners, used, strict=True):
    codes = learner.transform(left_out)
    errors.append(float(np.square(left_out - codes @ learner.components_).sum(axis=1).mean()))
    sizes.append(codes.nnz / len(left_out))
    print(f"α = {alpha}: {k} filters, {sizes[-1]:.1f} in a code, error {errors[-1]:.2f}")

# %%
# Fewer filters, sparser codes, a larger error: α chooses among them.

fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained", width_ratios=(1.3, 1))
axes[0].plot(alphas, used, "o-", color="C0")
axes[0].set(xlabel="α", ylim=(0, 125))
axes[0].set_ylabel("filters that are left of 120", color="C0")
other = axes[0].twinx()
other.plot(alphas, errors, "s--", color="C1")
other.set_ylabel("mean of ‖x − zD‖² of patches left out", color="C1")
few = learners[alphas.index(0.46)].components_
atoms(few[np.linalg.norm(few, axis=1) > 0], ax=axes[1])
