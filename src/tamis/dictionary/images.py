"""Images through patches: denoising, inpainting and compression by sparse codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import chi2

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.random import as_rng
from tamis.dictionary.coders import OMPCoder
from tamis.dictionary.fixed_atoms import dct_atoms
from tamis.dictionary.learner import DictionaryLearner
from tamis.dictionary.patches import Strips, as_given, check_image, sample_patches, windows
from tamis.dictionary.updates import KSVDUpdate
from tamis.dictionary.updates.base import unit_rows

N_TRAIN = 20_000  # patches that atoms are learned from
COVERED = 0.955  # the share of pure noise patches whose norm is within the bound: Elad and Aharon's 1.15 σ√64
OnProgress = Callable[[str, int, int], None]


def noise_level(image: Any) -> float:
    """The standard deviation of white noise in an image, in the image's own units.

    The 3 × 3 difference of two Laplacians cancels everything that varies smoothly (Immerkær 1996); the median of its
    size, divided by 0.6745, is that of Gaussian noise, whatever edges do to a few pixels.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.dictionary import noise_level
    >>> ramp = np.add.outer(np.arange(200.0), np.arange(200.0))
    >>> noisy = ramp + 5 * np.random.default_rng(0).standard_normal(ramp.shape)
    >>> bool(abs(noise_level(noisy) - 5) < 0.2)
    True
    """
    image = check_image(image, 3).astype(np.float64)
    across = np.diff(np.diff(image, axis=0), axis=0)
    both = np.diff(np.diff(across, axis=1), axis=1)
    return float(np.median(np.abs(both)) / 6 / 0.6744897501960817)


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
        Standard deviation of the noise in the image's units; `noise_level` of the image by default. 0 changes nothing.
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
    sigma = noise_level(image) if sigma is None else check_number("sigma", sigma, at_least=0.0)
    if sigma == 0:
        return image.copy()
    pixels = image.astype(np.float32)
    p = patch * patch * (1 if image.ndim == 2 else image.shape[2])
    coder = OMPCoder(noise=noise_bound(sigma, p), n_jobs=n_jobs)
    D = _atoms(dictionary, pixels, patch, p, n_atoms, max_iter, coder, as_rng(random_state), on_progress)
    strips = Strips(pixels, patch, step)
    for done, (rows, patches) in enumerate(strips):
        _report_progress(on_progress, "patches", done, len(strips))
        means = patches.mean(axis=1, keepdims=True)
        strips.put(rows, coder.encode(patches - means, D) @ D + means)
    _report_progress(on_progress, "patches", len(strips), len(strips))
    noisy = pixels.reshape(strips.total.shape)
    blend = np.float32(30.0 * _span(image) / (255.0 * sigma) / step**2)
    return as_given((blend * noisy + strips.total) / (blend + strips.count)[..., None], image)


def noise_bound(sigma: float, p: int) -> float:
    """‖n‖ that white noise of p pixels stays within 955 times of 1,000; 1.15 σ√p for p = 64."""
    return float(sigma * np.sqrt(chi2.ppf(COVERED, p)))


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
    if not mask.any():
        return image.copy()
    pixels = image.astype(np.float32)
    pixels = np.where(mask if image.ndim == 2 else mask[..., None], np.float32(np.nan), pixels)
    if not np.isfinite(pixels[~mask]).all():
        raise InputError("image contains NaN or infinity where mask is False: mask these pixels too", argument="mask")
    p = patch * patch * (1 if image.ndim == 2 else image.shape[2])
    bound = max(
        noise_bound(check_number("sigma", sigma, at_least=0.0), p), 1e-3 * float(np.nanstd(pixels)) * np.sqrt(p)
    )
    coder = OMPCoder(n_nonzero or max(1, p // 5), noise=bound, n_jobs=n_jobs)
    coder.check()
    D = _atoms(dictionary, pixels, patch, p, n_atoms, max_iter, coder, as_rng(random_state), on_progress)
    while np.isnan(pixels).any():
        pixels = _filled_round(pixels, patch, D, coder, on_progress)
    return np.where(mask if image.ndim == 2 else mask[..., None], as_given(pixels, image), image)


def _filled_round(
    pixels: np.ndarray, patch: int, D: np.ndarray, coder: OMPCoder, on_progress: OnProgress | None
) -> np.ndarray:
    """Missing pixels that lie in patches which have a quarter of their pixels, or else whatever they have."""
    strips = Strips(pixels, patch)
    missing = np.isnan(pixels.reshape(strips.total.shape)).any(axis=2)
    for least in (0.25, 0.0):
        for done, (rows, patches) in enumerate(strips):
            _report_progress(on_progress, "patches", done, len(strips))
            share = np.isfinite(patches).mean(axis=1)
            some = np.flatnonzero((share < 1) & (share > least))
            if len(some) == 0:
                continue
            weights = np.zeros(len(patches), np.float32)
            weights[some] = share[some]
            out = np.zeros_like(patches)
            means = np.nanmean(patches[some], axis=1, keepdims=True)
            out[some] = coder.encode(patches[some] - means, D) @ D + means
            strips.put(rows, out, weights)
        if (strips.count[missing] > 0).any():
            break
    filled = (strips.total / np.maximum(strips.count, np.float32(1e-6))[..., None]).reshape(pixels.shape)
    known = missing & (strips.count > 0)
    return np.where(known if pixels.ndim == 2 else known[..., None], filled, pixels)


@dataclass(frozen=True)
class ImageCodes:
    """An image as the sparse codes of its patches side by side, and their means; ``image()`` is what they say."""

    Z: csr_array
    means: np.ndarray
    D: np.ndarray
    shape: tuple[int, ...]
    patch: int
    dtype: np.dtype

    @property
    def numbers_per_pixel(self) -> float:
        """Coefficients and means that are kept, for each pixel of the image."""
        return (self.Z.nnz + self.means.size) / (self.shape[0] * self.shape[1])

    def image(self) -> np.ndarray:
        s = self.patch
        rows, columns = -(-self.shape[0] // s), -(-self.shape[1] // s)
        blocks = (self.Z @ self.D + self.means).reshape(rows, columns, s, s, -1)
        pixels = blocks.transpose(0, 2, 1, 3, 4).reshape(rows * s, columns * s, -1)[: self.shape[0], : self.shape[1]]
        return as_given(pixels, np.empty(self.shape, self.dtype))


def compress(
    image: Any,
    *,
    n_nonzero: int | None = None,
    error: float | None = None,
    dictionary: Any = None,
    n_atoms: int = 256,
    patch: int = 8,
    max_iter: int = 10,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> ImageCodes:
    """Patches side by side, each by its mean and at most ``n_nonzero`` atoms, or as many as leave a root mean square
    error of ``error``; the edges of the image are repeated where the last patches reach beyond it.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.dictionary import compress
    >>> image = np.add.outer(np.arange(20.0), np.arange(30.0))
    >>> codes = compress(image, n_nonzero=3, n_atoms=64, max_iter=2)
    >>> bool(np.abs(codes.image() - image).max() < 2), codes.numbers_per_pixel < 0.1
    (True, True)
    """
    image = check_image(image, patch)
    if (n_nonzero is None) == (error is None):
        raise InputError("give n_nonzero or error, one of them", argument="n_nonzero")
    pixels = image.astype(np.float32)
    p = patch * patch * (1 if image.ndim == 2 else image.shape[2])
    noise = None if error is None else check_number("error", error, at_least=0.0) * float(np.sqrt(p))
    coder = OMPCoder(n_nonzero, noise, n_jobs=n_jobs)
    coder.check()
    D = _atoms(dictionary, pixels, patch, p, n_atoms, max_iter, coder, as_rng(random_state), None)
    beyond = [(0, -length % patch) for length in image.shape[:2]] + [(0, 0)] * (image.ndim - 2)
    tiles = windows(np.pad(pixels, beyond, mode="edge"), patch)[::patch, ::patch].reshape(-1, p)
    means = tiles.mean(axis=1, keepdims=True)
    return ImageCodes(coder.encode(tiles - means, D), means, D, image.shape, patch, image.dtype)


def _atoms(
    dictionary: Any,
    pixels: np.ndarray,
    patch: int,
    p: int,
    n_atoms: int,
    max_iter: int,
    coder: OMPCoder,
    rng: np.random.Generator,
    on_progress: OnProgress | None,
) -> np.ndarray:
    """Atoms of unit length in float32: those given, or learned from patches of the image without their means."""
    if dictionary is not None:
        D = np.asarray(getattr(dictionary, "components_", dictionary), dtype=np.float32)
        if D.ndim != 2 or D.shape[1] != p or not np.isfinite(D).all():
            raise InputError(
                f"dictionary must hold atoms of {p} finite numbers, got shape {D.shape}", argument="dictionary"
            )
        return unit_rows(D)[0]
    first = _cosines(check_count("n_atoms", n_atoms), patch, p)
    if check_count("max_iter", max_iter, at_least=0) == 0:
        return first
    rows = sample_patches(pixels, patch, N_TRAIN, rng)
    rows = rows[np.isfinite(rows).mean(axis=1) >= 0.5] if np.isnan(rows).any() else rows
    if len(rows) == 0:
        return first
    rows = rows - np.nanmean(rows, axis=1, keepdims=True)
    learner = DictionaryLearner(
        n_atoms, coder, KSVDUpdate(), init=first, max_iter=max_iter, tol=0.0, random_state=rng
    )  # fmt: skip
    if on_progress is not None:
        learner.set_callbacks(_ProgressCallback(on_progress))
    return learner.fit(rows).components_


def _cosines(k: int, patch: int, p: int) -> np.ndarray:
    """Cosines without the constant one; of each channel apart, and of all together, where there are several."""
    channels = p // (patch * patch)
    flat = dct_atoms(-(-k // channels) + 1, (patch, patch))[1:]
    if channels == 1:
        return flat[:k].astype(np.float32)
    mixes = np.linalg.qr(np.column_stack([np.ones(channels), np.eye(channels)[:, 1:]]))[0].T  # grey first, then colours
    return unit_rows(np.concatenate([np.kron(flat, mix) for mix in mixes])[:k])[0].astype(np.float32)


class _ProgressCallback:
    """Tells sweeps of a learner to a function."""

    def __init__(self, on_progress: OnProgress) -> None:
        self.on_progress, self.done = on_progress, 0

    def setup(self, estimator: Any, context: Any) -> None: ...

    def teardown(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        if context.task_name == "sweeps" and context.parent.parent is not None:
            self.done += 1
            self.on_progress("learning atoms", self.done, estimator.max_iter)


def _report_progress(on_progress: OnProgress | None, stage: str, done: int, total: int) -> None:
    if on_progress is not None:
        on_progress(stage, done, total)


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
    """White minus black: of whole numbers what their type holds (255), of others their range."""
    if image.dtype.kind in "iu":
        return float(np.iinfo(image.dtype).max)
    return float(image.max() - image.min()) or 1.0
