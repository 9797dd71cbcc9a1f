"""
Faces with something in front of them
=====================================

A hundred small photographs of faces; across each a bright or dark bar is drawn, somewhere else in every one. Faces
resemble each other, so that as rows they are nearly of low rank, and the bars are gross errors. Classical components
of the same rank smear the bars over all faces.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage.data import lfw_subset

from tamis import RobustPCA

faces = lfw_subset()[:100].reshape(100, -1)
rng = np.random.default_rng(0)
spoilt, hidden = faces.copy().reshape(-1, 25, 25), np.zeros((100, 25, 25), bool)
for k in range(100):
    top, left = rng.integers(3, 18), rng.integers(0, 10)
    spoilt[k, top : top + 3, left : left + 12] = rng.choice([0.0, 1.0])
    hidden[k, top : top + 3, left : left + 12] = True
spoilt, hidden = spoilt.reshape(100, -1), hidden.reshape(100, -1)

model = RobustPCA().fit(spoilt)
U, s, Vt = np.linalg.svd(spoilt, full_matrices=False)
classical = (U[:, : model.rank_] * s[: model.rank_]) @ Vt[: model.rank_]


def error(found):
    return np.sqrt(np.mean((found - faces)[hidden] ** 2))


print(
    f"rank {model.rank_}; error behind the bars: robust {error(model.low_rank_):.3f}, classical {error(classical):.3f}"
)

figure, axes = plt.subplots(4, 6, figsize=(9, 6.4), layout="constrained")
rows = {"spoilt": spoilt, "low rank": model.low_rank_, "sparse": np.abs(model.sparse_), "classical": classical}
for line, (name, pictures) in zip(axes, rows.items(), strict=True):
    for ax, k in zip(line, (2, 17, 33, 48, 64, 90), strict=True):
        ax.imshow(pictures[k].reshape(25, 25), cmap="gray", vmin=0, vmax=1)
        ax.set_xticks([])
        ax.set_yticks([])
    line[0].set_ylabel(name)
plt.show()
