"""
Receptive fields
================

Olshausen and Field (1996) learned a sparse code of natural images and found atoms like the receptive fields of simple
cells: localised, oriented, band-pass. Next to it the principal components of 8 × 8 patches, which look like cosines.
"""

import matplotlib.pyplot as plt
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.fft import fft2, fftfreq, ifft2
from sklearn.datasets import load_sample_image

from tamis import OnlineDictionary
from tamis.dictionary.patches import sample_patches
from tamis.plots import atoms

# %%
# Whitening: amplitudes of natural images fall like 1/f, so each frequency is multiplied by f, up to a cut-off. Patches
# in which little happens are left out, and all get the same length.


def whitened(image):
    f = np.hypot(*np.meshgrid(*map(fftfreq, image.shape), indexing="ij"))
    white = np.real(ifft2(fft2(np.log1p(image)) * f * np.exp(-((f / 0.3) ** 4))))
    return white / white.std()


rng = np.random.default_rng(0)
photos = [load_sample_image(name).mean(axis=2) for name in ("china.jpg", "flower.jpg")]
patches = np.concatenate([sample_patches(whitened(photo), 16, 5_000, rng) for photo in photos])
lengths = np.linalg.norm(patches, axis=1, keepdims=True)
patches = (patches / lengths)[lengths[:, 0] > np.quantile(lengths, 0.3)].astype(np.float32)

# %%
# 144 atoms by the lasso and online updates, from noise: what they look like is learned.

noise = rng.standard_normal((144, 256))
learner = OnlineDictionary(144, alpha=0.25, init=noise, max_iter=10, tol=0, random_state=0).fit(patches)

plain = np.concatenate([sample_patches(photo, 8, 5_000, rng) for photo in photos])
plain = plain - plain.mean(axis=1, keepdims=True)
components = np.linalg.svd(plain - plain.mean(axis=0), full_matrices=False)[2][:63]  # the last one is constant

fig, axes = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained")
atoms(learner, ax=axes[0])
axes[0].set_title("sparse code of whitened 16 × 16 patches")
atoms(components, ax=axes[1])
axes[1].set_title("principal components of 8 × 8 patches")

# %%
# In numbers, beside the noise it began with. Localised: the share of an atom's squares inside its best square of 8 × 8,
# a quarter of the patch. Oriented: the share of its power within 30° of the main direction, a third of all directions.
# Band-pass: the share of its power between 0.05 and 0.3 cycles per pixel, neither flat nor as fine as the pixels.


def described(D):
    squares = sliding_window_view(D.reshape(-1, 16, 16) ** 2, (8, 8), axis=(1, 2)).sum(axis=(3, 4))
    power = np.abs(fft2(D.reshape(-1, 16, 16), (32, 32), axes=(1, 2))) ** 2
    v, u = np.meshgrid(fftfreq(32), fftfreq(32), indexing="ij")
    f, angle = np.hypot(u, v), np.arctan2(v, u)
    main = 0.5 * np.angle((power * np.exp(2j * angle)).sum(axis=(1, 2)))
    near = np.cos(2 * (angle - main[:, None, None])) > 0.5
    band = (f > 0.05) & (f < 0.3)
    inside = [(power * part).sum(axis=(1, 2)) / power.sum(axis=(1, 2)) for part in (near, band)]
    return [float(np.median(share)) for share in (squares.max(axis=(1, 2)) / (D**2).sum(axis=1), *inside)]


for name, D in (("learned", learner.components_), ("noise", noise)):
    localised, oriented, band = described(D)
    print(f"{name:8} localised {localised:.2f}, oriented {oriented:.2f}, band-pass {band:.2f}")
