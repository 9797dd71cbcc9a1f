"""An image as the sparse codes of its patches side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tamis._core.checks import check_number
from tamis._core.errors import InputError
from tamis.dictionary.coders import OMPCoder
from tamis.dictionary.patch_atoms import PatchAtoms
from tamis.dictionary.patches import as_given, channels_of, check_image, windows, without_means


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
        channels = self.means.shape[1]
        blocks = (self.Z @ self.D).reshape(rows, columns, s, s, channels) + self.means.reshape(rows, columns, 1, 1, -1)
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
    about = PatchAtoms(patch, channels_of(image), dictionary, n_atoms, max_iter, random_state)
    noise = None if error is None else check_number("error", error, at_least=0.0) * float(np.sqrt(about.p))
    coder = OMPCoder(n_nonzero, noise, n_jobs=n_jobs)
    coder.check()
    D = about.found(image, coder)
    beyond = [(0, -length % patch) for length in image.shape[:2]] + [(0, 0)] * (image.ndim - 2)
    tiles = windows(np.pad(image, beyond, mode="edge"), patch)[::patch, ::patch].reshape(-1, about.p)
    rest, means = without_means(tiles.astype(np.float32), about.channels)
    return ImageCodes(coder.encode(rest, D), means, D, image.shape, patch, image.dtype)
