"""
Receptive fields
================

Olshausen and Field (1996) learned a sparse code of natural images and found atoms like the receptive fields of simple
cells: localised, oriented, band-pass. Next to it the principal components of 8 × 8 patches, which look like cosines.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.fft import fft2, fftfreq, ifft2
from sklearn.datasets import load_sample_image

from tamis import OnlineDictionary
from tamis.dictionary.patches import sample_patches
from tamis.plots import atoms

# %%
# Whitening: amplitudes of natural images fall like 1/f, so each frequency is multiplied by f, up to a cut-off.


def whitened(image):
    rows, columns = (fftfreq(n)[:, None] if axis == 0 else fftfreq(n) for axis, n in enumerate(image.shape))
    f = np.hypot(rows, columns)
    return np.real(ifft2(fft2(image - image.mean()) * f * np.exp(-((f / 0.4) ** 4))))


rng = np.random.default_rng(0)
photos = [load_sample_image(name).mean(axis=2) for name in ("china.jpg", "flower.jpg")]
patches = np.concatenate([sample_patches(whitened(photo), 16, 2_500, rng) for photo in photos])
patches = patches / patches.std()

# %%
# 144 atoms by the lasso and online updates.

learner = OnlineDictionary(144, alpha=6.0, max_iter=8, random_state=0).fit(patches)
plain = np.concatenate([sample_patches(photo, 8, 5_000, rng) for photo in photos])
plain = plain - plain.mean(axis=1, keepdims=True)
components = np.linalg.svd(plain - plain.mean(axis=0), full_matrices=False)[2]

fig, axes = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained")
atoms(learner, ax=axes[0])
axes[0].set_title("sparse code of whitened 16 × 16 patches")
atoms(components, ax=axes[1])
axes[1].set_title("principal components of 8 × 8 patches")
