"""
An image compressed and denoised by its wavelet coefficients
============================================================

In a wavelet basis most coefficients of a photograph are small. Dropping them compresses the image, and the error is
known beforehand: it is the norm of what was dropped (Parseval). Noise spreads evenly over all coefficients, so that the
same threshold takes most of it away.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage import data
from skimage.transform import resize

from tamis.sensing import k_term, noise_level, threshold_denoise

image = resize(data.camera(), (256, 256), anti_aliasing=True)


def psnr(x):
    return 10 * np.log10(1 / np.mean((x - image) ** 2))


# %%
# Compression
# -----------

figure, axes = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
axes[0].imshow(image, cmap="gray")
axes[0].set_title("65,536 numbers")
for axis, share in zip(axes[1:], (0.1, 0.05, 0.02), strict=True):
    kept = k_term(image, "db2", share=share)
    print(f"{kept.n_terms:6,} terms: Parseval {kept.error:.6f}, measured {np.linalg.norm(image - kept.signal):.6f}")
    axis.imshow(kept.signal, cmap="gray", vmin=0, vmax=1)
    axis.set_title(f"{kept.n_terms:,} terms, {psnr(kept.signal):.1f} dB")
for axis in axes:
    axis.set_axis_off()
plt.show()

# %%
# Denoising
# ---------
# The noise level comes from the finest coefficients, the threshold is σ√(2 ln n).

noisy = image + 0.1 * np.random.default_rng(0).standard_normal(image.shape)
print(f"noise level 0.100, found {noise_level(noisy):.3f}")
figure, axes = plt.subplots(1, 3, figsize=(9.5, 3.5), layout="constrained")
shown = {"noisy": noisy, **{rule: threshold_denoise(noisy, "sym8", rule=rule).signal for rule in ("soft", "hard")}}
for axis, (name, x) in zip(axes, shown.items(), strict=True):
    axis.imshow(x, cmap="gray", vmin=0, vmax=1)
    axis.set_title(f"{name}, {psnr(x):.1f} dB")
    axis.set_axis_off()
plt.show()
