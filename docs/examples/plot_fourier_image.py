"""
An image from 25 % of its Fourier samples
=========================================

A scanner measures an image in frequencies, one after the other. A quarter of them, low ones more often than high ones,
and wavelets in which the image is nearly sparse, give more than the samples alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage import data
from skimage.transform import resize

from tamis.sensing import FISTA, CompressedSensor, PartialFourier

image = resize(data.camera(), (128, 128), anti_aliasing=True)


def psnr(x):
    return 10 * np.log10(1 / np.mean((x - image) ** 2))


sampling = PartialFourier(rate=0.25, pattern="density", random_state=0)
sensor = CompressedSensor(sampling, "bior4.4", FISTA(alpha=1e-6, tol=1e-4, time_limit=30))
y = sensor.measure(image)
zero_filled = (sensor.measurement_operator_.H @ y).real.reshape(image.shape)
found = sensor.recover(y)
print(f"{len(y):,} complex samples with their mirrors, {np.count_nonzero(found.code):,} coefficients, {found.status}")

# %%
# Original, samples, without and with sparsity
# --------------------------------------------

mask = np.zeros(image.shape, bool)
mask.flat[sampling.frequencies(image.shape)] = True
shown = {
    "original": image,
    "frequencies sampled": np.fft.fftshift(mask),
    f"zeros elsewhere, {psnr(zero_filled):.1f} dB": zero_filled,
    f"recovered, {psnr(found.signal):.1f} dB": found.signal,
}
figure, axes = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
for axis, (title, x) in zip(axes, shown.items(), strict=True):
    axis.imshow(x, cmap="gray")
    axis.set_title(title)
    axis.set_axis_off()
plt.show()
