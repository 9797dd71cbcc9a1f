"""
A one-pixel camera
==================

Tiny mirrors show a pattern of light and dark, one detector measures the light of the whole picture, and the next
pattern follows. Rows of a Hadamard matrix are such patterns. Half as many measurements as pixels are enough for a
picture with few wavelet coefficients; with a fifth of them it is lost.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage.data import shepp_logan_phantom
from skimage.transform import resize

from tamis.sensing import FISTA, CompressedSensor, PartialHadamard

image = resize(shepp_logan_phantom(), (64, 64), anti_aliasing=True)


def psnr(x):
    return 10 * np.log10(1 / np.mean((x - image) ** 2))


figure, axes = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
axes[0].imshow(image, cmap="gray", vmin=0, vmax=1)
axes[0].set_title("4,096 pixels")
for axis, rate in zip(axes[1:], (0.5, 0.33, 0.2), strict=True):
    sensor = CompressedSensor(PartialHadamard(rate, random_state=0), "haar", FISTA(alpha=3e-6, tol=1e-4, time_limit=20))
    y = sensor.measure(image)
    found = sensor.recover(y)
    axis.imshow(found.signal, cmap="gray", vmin=0, vmax=1)
    axis.set_title(f"{len(y):,} measurements, {psnr(found.signal):.1f} dB")
for axis in axes:
    axis.set_axis_off()
plt.show()

# %%
# The first patterns that the mirrors showed
# ------------------------------------------
# Scrambled: the signs of the pixels are turned at random first, so that no pattern is blind to a kind of picture.

patterns = sensor.measurement_operator_.H @ np.eye(len(y))[:, :4]
figure, axes = plt.subplots(1, 4, figsize=(10, 2.8), layout="constrained")
for axis, pattern in zip(axes, patterns.T, strict=True):
    axis.imshow(np.sign(pattern).reshape(image.shape), cmap="gray")
    axis.set_axis_off()
plt.show()
