"""
A photo without its noise
=========================

Noise of standard deviation 25 (of 255) is added to a photo. Patches of 8 × 8 pixels are coded by as few atoms as reach
the noise level, on atoms learned from the noisy photo itself, and put back (Elad and Aharon 2006).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from tamis import denoise
from tamis.dictionary import image_noise_level

clean = load_sample_image("china.jpg")[:256, 200:456].mean(axis=2)
noisy = clean + 25 * np.random.default_rng(0).standard_normal(clean.shape)
print(f"noise level measured in the photo: {image_noise_level(noisy):.1f}")

# %%
# With atoms that are learned, and with cosines as they are.


def psnr(image):
    return 10 * np.log10(255**2 / np.mean((image - clean) ** 2))


learned, cosines = denoise(noisy, 25), denoise(noisy, 25, max_iter=0)
pictures = {"noisy": noisy, "cosines": cosines, "learned atoms": learned}
fig, axes = plt.subplots(1, 3, figsize=(10, 3.8), layout="constrained")
for ax, (name, image) in zip(axes, pictures.items(), strict=True):
    ax.imshow(image, cmap="gray", vmin=0, vmax=255)
    ax.set_title(f"{name}: {psnr(image):.1f} dB")
    ax.set_axis_off()
