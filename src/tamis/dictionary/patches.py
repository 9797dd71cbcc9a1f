"""Patches of images: read as a strided view, put back by averaging."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError

AT_ONCE = 2**22  # numbers of the patches that are in memory together


def check_image(image: Any, patch: int, *, gaps: bool = False) -> np.ndarray:
    """(height, width) or (height, width, channels) real numbers, no smaller than a patch; finite unless ``gaps``."""
    image = np.asarray(image)
    if image.dtype.kind not in "fiub" or image.ndim not in (2, 3) or (image.ndim == 3 and not 1 <= image.shape[2] <= 4):
        raise InputError(
            "image must be an array of numbers of shape (height, width) or (height, width, channels) with at most 4 "
            f"channels, got {image.dtype} of shape {image.shape}",
            argument="image",
        )
    if min(image.shape[:2]) < check_count("patch", patch):
        raise InputError(
            f"image of {image.shape[0]} × {image.shape[1]} pixels is smaller than a patch of {patch} × {patch}: give a "
            "smaller patch",
            argument="patch",
        )
    image = image.astype(np.float64) if image.dtype == bool else image
    if image.dtype.kind == "f" and not gaps and not np.isfinite(image).all():
        raise InputError("image contains NaN or infinity: inpaint fills in pixels that are missing", argument="image")
    return image


def windows(image: np.ndarray, patch: int) -> np.ndarray:
    """All patches as a view, no copy: [i, j] is the patch (patch, patch, channels) whose first pixel is (i, j)."""
    view = np.lib.stride_tricks.sliding_window_view(image, (patch, patch), axis=(0, 1))
    return view[..., None] if image.ndim == 2 else np.moveaxis(view, 2, -1)


def sample_patches(image: np.ndarray, patch: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """n of the patches, or all where there are fewer, as rows (n, patch · patch · channels)."""
    view = windows(image, patch)
    height, width = view.shape[:2]
    count = height * width
    at = np.arange(count) if count <= n else rng.choice(count, n, replace=False)
    return view[at // width, at % width].reshape(len(at), -1)


def channels_of(image: np.ndarray) -> int:
    return 1 if image.ndim == 2 else image.shape[2]


def without_means(patches: np.ndarray, channels: int) -> tuple[np.ndarray, np.ndarray]:
    """Patches as rows (n, p) less the mean of each of their channels, and these means (n, channels); NaN left out."""
    pixels = patches.reshape(len(patches), -1, channels)
    mean: Any = np.nanmean if np.isnan(pixels).any() else np.mean
    means: np.ndarray = mean(pixels, axis=1, dtype=np.float32)
    return (pixels - means[:, None]).reshape(patches.shape), means


class Strips:
    """Patches of an image by strips of rows of them, in float32, and the average of what is put back for each.

    Only one strip is in memory. ``step`` leaves out positions, but never the last row and column of patches, so that
    every pixel is covered.
    """

    def __init__(self, image: np.ndarray, patch: int, step: int = 1) -> None:
        self.image = image
        self.view = windows(image, patch)
        self.patch = patch
        self.rows = _positions(self.view.shape[0], step)
        self.columns = _positions(self.view.shape[1], step)
        self.p = int(np.prod(self.view.shape[2:]))
        self.total = np.zeros((*image.shape[:2], self.view.shape[4]), np.float32)
        self.count = np.zeros(image.shape[:2], np.float32)

    def __len__(self) -> int:
        return -(-len(self.rows) // self._height)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Rows of patch positions, and the patches there as rows."""
        for i in range(0, len(self.rows), self._height):
            rows = self.rows[i : i + self._height]
            patches = self.view[_places(rows, self.columns)]
            yield rows, patches.astype(np.float32).reshape(len(rows) * len(self.columns), self.p)

    def put(
        self, rows: np.ndarray, patches: np.ndarray, means: np.ndarray | None = None, weights: np.ndarray | None = None
    ) -> None:
        """Add patches, and the means of their channels, to the average, each patch with its weight."""
        s, shape = self.patch, (len(rows), len(self.columns))
        blocks = patches.reshape(*shape, s, s, -1)
        if means is not None:
            blocks = blocks + means.reshape(*shape, 1, 1, -1)
        weight = np.ones(shape, np.float32) if weights is None else weights.reshape(shape).astype(np.float32)
        if weights is not None:
            blocks = blocks * weight[:, :, None, None, None]
        for a in range(s):
            for b in range(s):
                at = _places(rows + a, self.columns + b)
                self.total[at] += blocks[:, :, a, b]
                self.count[at] += weight

    def average(self, blend: float) -> np.ndarray:
        """The average with ``blend`` times the image itself, as one of the images, in the image's type."""
        out = np.empty_like(as_given(self.image[:1], self.image[:1]), shape=self.image.shape)
        height = max(1, AT_ONCE // self.total[0].size)
        for i in range(0, len(out), height):
            rows = slice(i, i + height)
            given = self.image[rows].reshape(self.total[rows].shape)
            mean = (np.float32(blend) * given + self.total[rows]) / (np.float32(blend) + self.count[rows])[..., None]
            out[rows] = as_given(mean, self.image[rows])
        return out

    @property
    def _height(self) -> int:
        return max(1, AT_ONCE // (self.p * len(self.columns)))


def _places(rows: np.ndarray, columns: np.ndarray) -> Any:
    """What indexes these rows and columns: two slices where each are evenly spaced."""
    down, across = _as_slice(rows), _as_slice(columns)
    return np.ix_(rows, columns) if down is None or across is None else (down, across)


def _as_slice(at: np.ndarray) -> slice | None:
    step = int(at[1] - at[0]) if len(at) > 1 else 1
    return slice(int(at[0]), int(at[-1]) + 1, step) if (np.diff(at) == step).all() else None


def _positions(n: int, step: int) -> np.ndarray:
    at = np.arange(0, n, step)
    return at if at[-1] == n - 1 else np.append(at, n - 1)


def as_given(pixels: np.ndarray, image: np.ndarray) -> np.ndarray:
    """Pixels in the shape and type of the image, whole numbers rounded and cut to what the type holds."""
    pixels = pixels.reshape(image.shape)
    if image.dtype.kind in "iu":
        limits = np.iinfo(image.dtype)
        return np.clip(np.rint(pixels), limits.min, limits.max).astype(image.dtype)
    return pixels.astype(image.dtype if image.dtype.kind == "f" else np.float64)
