"""
Digits by PCA and by NMF: directions and parts
==============================================

Both write every picture as a sum of a few others. PCA adds and subtracts; NMF only adds, so its pictures are strokes.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from tamis import NMF, PCA, plots

digits = load_digits()
X = digits.data

# %%
# The pictures that digits are sums of
# ------------------------------------

pca, nmf = PCA(10).fit(X), NMF(10).fit(X)
figure, axes = plt.subplots(2, 10, figsize=(10, 2.4), layout="constrained")
for row, model in zip(axes, (pca, nmf), strict=True):
    for ax, h in zip(row, model.components_, strict=True):
        ax.imshow(h.reshape(8, 8), cmap="RdBu_r" if model is pca else "Greys")
        ax.set_axis_off()
plt.show()

# %%
# All digits in the plane of the first two directions
# ---------------------------------------------------

Z = pca.transform(X)
plots.scores(Z, digits.target, names=["pca0", "pca1"])
plt.show()

# %%
# And of the first three
# ----------------------

plots.scores(Z, digits.target, names=["pca0", "pca1", "pca2"], dimensions=3)
plt.show()

# %%
# The 90 % rule
# -------------

plots.scree(PCA(0.9).fit(X))
plt.show()
