"""
One outlier turns PCA, and not robust PCA
=========================================

Sixty rows of eight columns along a line, and one entry that was written down wrongly. The first principal component
follows it. Robust PCA puts what does not fit into its sparse part and keeps the direction of the others.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis import PCA, RobustPCA

rng = np.random.default_rng(0)
t = rng.normal(size=60)
line = np.array([1, 0.5, 0.8, -0.6, 1.0, -0.9, 0.7, 0.6])
X = np.outer(t, line) + 0.05 * rng.normal(size=(60, 8))
X[0, 1] = 15.0

pca = PCA(n_components=1).fit(X)
robust = RobustPCA("stable").fit(X)
print("entry of the sparse part that is largest:", np.unravel_index(np.abs(robust.sparse_).argmax(), X.shape))


def angle(direction):
    return np.degrees(np.arccos(min(1.0, abs(direction @ line) / np.linalg.norm(direction) / np.linalg.norm(line))))


figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
ax.scatter(*X[1:, :2].T, s=14, color="0.4")
ax.scatter(*X[0, :2], s=60, marker="x", color="tab:red", label="the outlier")
for name, v, centre, style in (
    ("PCA", pca.components_[0], X[:, :2].mean(axis=0), "--"),
    ("robust PCA", robust.components_[0], np.zeros(2), "-"),
):
    ends = centre + np.outer([-4, 4], v[:2] / np.linalg.norm(v[:2]))
    ax.plot(*ends.T, style, label=f"{name}, {angle(v):.1f}° off")
ax.set(xlabel="first column", ylabel="second column", xlim=(-4, 4))
ax.legend(frameon=False)
plt.show()
