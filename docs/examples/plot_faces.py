"""
Faces by PCA and by NMF: variations and parts
=============================================

One hundred small photographs of faces. PCA finds how faces vary about the mean face, with both signs; NMF writes every
face as a sum of parts, none of which is negative.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage.data import lfw_subset

from tamis import NMF, PCA, plots

faces = lfw_subset()[:100]  # the other hundred are no faces
X = faces.reshape(100, -1)

# %%
# How many directions: the 90 % rule
# ----------------------------------
# There are more pixels than faces, so the directions come from an SVD of the rows; 40 of at most 99 explain
# 90 % of the variance.

pca = PCA(n_components=0.9).fit(X)
print(pca.strategy_)
print(pca.n_components_, "directions explain", f"{pca.explained_variance_ratio_.sum():.1%}")
plots.scree(pca)
plt.show()

# %%
# What a face is a sum of
# -----------------------
# The first directions, red where they add light and blue where they take it away; and sixteen parts. A
# small ℓ₁ penalty of both factors leaves more of the parts' pixels at zero.

nmf = NMF(16, alpha_W=0.3, alpha_H=0.003).fit(X)


def pictures(figure, title, images, **options):
    figure.suptitle(title)
    for ax, image in zip(figure.subplots(4, 4).ravel(), images, strict=True):
        ax.imshow(image.reshape(25, 25), **options)
        ax.set_axis_off()


figure = plt.figure(figsize=(9, 4.8), layout="constrained")
left, right = figure.subfigures(1, 2)
largest = np.abs(pca.components_[:16]).max()
pictures(left, "PCA: directions", pca.components_[:16], cmap="RdBu_r", vmin=-largest, vmax=largest)
pictures(right, "NMF: parts", nmf.components_, cmap="Greys")
plt.show()
print(f"pixels that are exactly zero: PCA {np.mean(pca.components_ == 0):.0%}, NMF {np.mean(nmf.components_ == 0):.0%}")

# %%
# The same faces from sixteen numbers each
# ----------------------------------------
# At the same rank no sum of sixteen pictures is nearer to the faces, in squares, than that of PCA. NMF pays for its
# parts with some of that.

sixteen = PCA(16).fit(X)
rebuilt = {
    "faces": X,
    "PCA": sixteen.inverse_transform(sixteen.transform(X)),
    "NMF": nmf.inverse_transform(nmf.transform(X)),
}
figure, axes = plt.subplots(3, 8, figsize=(9, 3.6), layout="constrained")
for row, (name, images) in zip(axes, rebuilt.items(), strict=True):
    error = np.linalg.norm(images - X) / np.linalg.norm(X)
    row[0].set_title(name if name == "faces" else f"{name}, error {error:.0%}", loc="left", fontsize=9)
    for ax, image in zip(row, images[::13], strict=True):
        ax.imshow(image.reshape(25, 25), cmap="grey", vmin=0, vmax=1)
        ax.set_axis_off()
plt.show()
