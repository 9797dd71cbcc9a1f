"""Images through patches: denoising and inpainting by sparse codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis.dictionary.coders import OMPCoder
from tamis.dictionary.noise import image_noise_level, noise_bound
from tamis.dictionary.patch_atoms import OnProgress, PatchAtoms
from tamis.dictionary.patches import Strips, as_given, channels_of, check_image, without_means

FAR, LARGE = 1e4, 1e10  # images farther from zero than so many times their range, or of a larger range, are rescaled


def denoise(
    image: Any,
    sigma: float | None = None,
    *,
    dictionary: Any = None,
    n_atoms: int = 256,
    patch: int = 8,
    max_iter: int = 10,
    step: int = 1,
    n_jobs: int | None = None,
    random_state: Any = 0,
    on_progress: OnProgress | None = None,
) -> np.ndarray:
    """White noise removed by sparse codes of patches on atoms learned from the noisy image itself.

    Every patch, its mean taken out, is coded by as few atoms as reach the noise level, ‖x − zD‖ ≤ C σ√p; what the codes
    say is averaged over all patches that cover a pixel, with a little of the noisy image (Elad and Aharon 2006).
    Patches are read strip by strip, so that large photos fit into memory. Colours are coded together.

    Parameters
    ----------
    image : (height, width) or (height, width, channels)
        Of any numbers; the result has the same type, uint8 included.
    sigma : float, optional
        Standard deviation of the noise in the image's units, by default `image_noise_level`; 0 changes nothing.
    dictionary : array (n_atoms, p) or a fitted learner, optional
        Atoms for patches without their means; learned by K-SVD from ``n_atoms`` cosines by default.
    n_atoms, max_iter : int
        Of the learning; ``max_iter=0`` leaves the cosines as they are.
    patch : int
        Patches are patch × patch pixels.
    step : int
        Take patches at every so many pixels only, which is faster and a little worse.
    n_jobs, random_state
    on_progress : callable, optional
        Called with a stage's name, steps done and steps in all.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import denoise
    >>> clean = np.kron(np.eye(4), np.full((16, 16), 200.0))
    >>> noisy = clean + 20 * np.random.default_rng(0).standard_normal(clean.shape)
    >>> better = denoise(noisy, sigma=20, n_atoms=64)
    >>> bool(np.std(better - clean) < 0.5 * np.std(noisy - clean))
    True
    """
    image = check_image(image, patch)
    check_count("step", step, at_most=patch)
    sigma = image_noise_level(image) if sigma is None else check_number("sigma", sigma, at_least=0.0)
    if sigma == 0:
        return image.copy()
    units = Units.of(image)
    if not units.plain:
        options = {"dictionary": dictionary, "n_atoms": n_atoms, "patch": patch, "max_iter": max_iter, "step": step}
        options |= {"n_jobs": n_jobs, "random_state": random_state, "on_progress": on_progress}
        return as_given(units.back(denoise(units.of_pixels(image), sigma / units.scale, **options)), image)
    about = PatchAtoms(patch, channels_of(image), dictionary, n_atoms, max_iter, random_state, on_progress)
    coder = OMPCoder(noise=noise_bound(sigma, about.p), n_jobs=n_jobs)
    D = about.found(image, coder)
    strips = Strips(image, patch, step)
    for done, (rows, patches) in enumerate(strips):
        about.report("patches", done, len(strips))
        rest, means = without_means(patches, about.channels)
        strips.put(rows, coder.encode(rest, D) @ D, means)
    about.report("patches", len(strips), len(strips))
    return strips.average(30.0 * _span(image) / (255.0 * sigma) / step**2)


def inpaint(
    image: Any,
    mask: Any,
    *,
    sigma: float = 0.0,
    dictionary: Any = None,
    n_atoms: int = 256,
    n_nonzero: int | None = None,
    patch: int = 8,
    max_iter: int = 10,
    n_jobs: int | None = None,
    random_state: Any = 0,
    on_progress: OnProgress | None = None,
) -> np.ndarray:
    """Missing pixels filled in: patches are coded on the pixels that they have, and say what the others are.

    Atoms are learned from the patches that miss little, gaps left out. Where a whole patch is missing, it is filled
    from its border inwards, round after round. Pixels that are there stay as they are.

    Parameters
    ----------
    image : (height, width) or (height, width, channels)
    mask : (height, width) of bool
        True where the pixel is missing, whatever the image holds there.
    sigma : float
        Noise in the pixels that are there, which codes need not follow.
    n_nonzero : int, optional
        Most atoms of a patch; a fifth of its pixels by default.
    dictionary, n_atoms, patch, max_iter, n_jobs, random_state, on_progress
        As in `denoise`.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import inpaint
    >>> image = np.add.outer(np.arange(32.0), np.arange(32.0))
    >>> mask = np.random.default_rng(0).random(image.shape) < 0.3
    >>> filled = inpaint(np.where(mask, 0, image), mask, n_atoms=64, max_iter=2)
    >>> bool(np.abs(filled - image).max() < 3)
    True
    """
    image = check_image(image, patch, gaps=True)
    mask = _checked_mask(mask, image)
    if not np.isfinite(image[~mask]).all():
        raise InputError("image contains NaN or infinity where mask is False: mask these pixels too", argument="mask")
    if not mask.any():
        return image.copy()
    gaps = mask if image.ndim == 2 else mask[..., None]
    units = Units.of(image[~mask])
    pixels = np.where(gaps, np.float32(np.nan), units.of_pixels(np.where(gaps, 0, image)).astype(np.float32))
    about = PatchAtoms(patch, channels_of(image), dictionary, n_atoms, max_iter, random_state, on_progress)
    least = 1e-3 * float(np.nanstd(pixels)) * np.sqrt(about.p)
    bound = max(noise_bound(check_number("sigma", sigma, at_least=0.0) / units.scale, about.p), least)
    coder = OMPCoder(max(1, about.p // 5) if n_nonzero is None else n_nonzero, noise=bound, n_jobs=n_jobs)
    coder.check()
    D = about.found(pixels, coder)
    while np.isnan(pixels).any():
        pixels = _filled_round(pixels, D, coder, about)
    return np.where(gaps, as_given(units.back(pixels), image), image)


def _filled_round(pixels: np.ndarray, D: np.ndarray, coder: OMPCoder, about: PatchAtoms) -> np.ndarray:
    """Missing pixels that lie in patches which have a quarter of their pixels, or else whatever they have."""
    strips = Strips(pixels, about.patch)
    missing = np.isnan(pixels.reshape(strips.total.shape)).any(axis=2)
    for least in (0.25, 0.0):
        for done, (rows, patches) in enumerate(strips):
            about.report("patches", done, len(strips))
            share = np.isfinite(patches).mean(axis=1)
            some = np.flatnonzero((share < 1) & (share > least))
            if len(some) == 0:
                continue
            weights = np.zeros(len(patches), np.float32)
            weights[some] = share[some]
            out, means = np.zeros_like(patches), np.zeros((len(patches), about.channels), np.float32)
            rest, means[some] = without_means(patches[some], about.channels)
            out[some] = coder.encode(rest, D) @ D
            strips.put(rows, out, means, weights)
        if (strips.count[missing] > 0).any():
            break
    filled = (strips.total / np.maximum(strips.count, np.float32(1e-6))[..., None]).reshape(pixels.shape)
    covered = missing & (strips.count > 0)
    return np.where(covered if pixels.ndim == 2 else covered[..., None], filled, pixels)


def _checked_mask(mask: Any, image: np.ndarray) -> np.ndarray:
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.shape != image.shape[:2]:
        raise InputError(
            f"mask must be an array of bool of shape {image.shape[:2]}, True where a pixel is missing, got "
            f"{mask.dtype} of shape {mask.shape}",
            argument="mask",
        )
    if mask.all():
        raise InputError("mask covers the whole image: there is nothing to fill it in from", argument="mask")
    return mask


def _span(image: np.ndarray) -> float:
    """White minus black: 255 of eight bits, else what 99 of 100 pixels lie within, whatever a few hot ones are."""
    if image.dtype == np.uint8:
        return 255.0
    every = max(1, int(np.sqrt(image[..., 0].size if image.ndim == 3 else image.size)) // 1000)
    low, high = np.percentile(image[::every, ::every], [0.5, 99.5])
    return float(high - low) or float(image.max()) - float(image.min()) or 1.0


@dataclass(frozen=True)
class Units:
    """Numbers that float32 holds well: (pixels − shift)/scale. Shift 0 and scale 1 unless pixels need them."""

    shift: float = 0.0
    scale: float = 1.0

    @classmethod
    def of(cls, pixels: np.ndarray) -> Units:
        if pixels.dtype.itemsize < 4:
            return cls()
        low, high = float(pixels.min()), float(pixels.max())
        span = high / 2 - low / 2
        far = max(abs(low), abs(high)) > FAR * span
        if span == 0 or not (far or not 1 / LARGE < span < LARGE):
            return cls()
        return cls(low / 2 + high / 2, span)

    @property
    def plain(self) -> bool:
        return (self.shift, self.scale) == (0.0, 1.0)

    def of_pixels(self, pixels: np.ndarray) -> np.ndarray:
        return pixels if self.plain else (pixels - self.shift) / self.scale

    def back(self, pixels: np.ndarray) -> np.ndarray:
        return pixels if self.plain else pixels.astype(np.float64) * self.scale + self.shift
