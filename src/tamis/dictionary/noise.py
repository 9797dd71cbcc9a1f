"""How much white noise an image has, and how much a patch of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import chi2

from tamis._core.errors import InputError
from tamis.dictionary.patches import check_image

COVERED = 0.955  # the share of pure noise patches whose norm is within the bound: Elad and Aharon's 1.15 σ√64
AT_ONCE = 2**18  # numbers of a strip
MOST_PIXELS = 2**23  # from about so many the median is taken


def image_noise_level(image: Any) -> float:
    """The standard deviation of white noise in an image, in the image's own units.

    The 3 × 3 difference of two Laplacians cancels everything that varies smoothly (Immerkær 1996); the median of its
    size, divided by 0.6745, is that of Gaussian noise, whatever edges do to a few pixels. Of a large image some strips
    all over it are looked at.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.dictionary import image_noise_level
    >>> ramp = np.add.outer(np.arange(200.0), np.arange(200.0))
    >>> noisy = ramp + 5 * np.random.default_rng(0).standard_normal(ramp.shape)
    >>> bool(abs(image_noise_level(noisy) - 5) < 0.2)
    True
    """
    image = check_image(image, 1)
    if min(image.shape[:2]) < 3:
        raise InputError(
            f"image of {image.shape[0]} × {image.shape[1]} pixels is too small to measure its noise, which takes "
            "3 × 3: give sigma",
            argument="sigma",
        )
    height = max(3, AT_ONCE // image[0].size)
    every = max(1, -(-image.size // MOST_PIXELS))  # strips of which one is looked at
    strips = range(0, image.shape[0] - 2, height * every)
    sizes = np.concatenate([np.abs(_twice_differenced(image[i : i + height + 2])).ravel() for i in strips])
    return float(np.median(sizes, overwrite_input=True) / 6 / 0.6744897501960817)


def _twice_differenced(image: np.ndarray) -> np.ndarray:
    across = np.diff(image.astype(np.float64), n=2, axis=0)
    return np.diff(across, n=2, axis=1)


def noise_bound(sigma: float, p: int) -> float:
    """‖n‖ that white noise of p pixels stays within 955 times of 1,000; 1.15 σ√p for p = 64."""
    return float(sigma * np.sqrt(chi2.ppf(COVERED, p)))
