"""Patches of images: read as a strided view, put back by averaging."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError

AT_ONCE = 2**23  # numbers of the patches that are in memory together


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


class Strips:
    """Patches of an image by strips of rows of them, and the average of what is put back for each.

    Only one strip is in memory. ``step`` leaves out positions, but never the last row and column of patches, so that
    every pixel is covered.
    """

    def __init__(self, image: np.ndarray, patch: int, step: int = 1) -> None:
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
            yield rows, self.view[np.ix_(rows, self.columns)].reshape(len(rows) * len(self.columns), self.p)

    def put(self, rows: np.ndarray, patches: np.ndarray, weights: np.ndarray | None = None) -> None:
        """Add patches to the average, each with its weight."""
        s = self.patch
        shape = (len(rows), len(self.columns))
        weight = np.ones(shape, np.float32) if weights is None else weights.reshape(shape).astype(np.float32)
        blocks = patches.reshape(*shape, s, s, -1)
        for a in range(s):
            for b in range(s):
                at = np.ix_(rows + a, self.columns + b)
                self.total[at] += weight[..., None] * blocks[:, :, a, b]
                self.count[at] += weight

    @property
    def _height(self) -> int:
        return max(1, AT_ONCE // (self.p * len(self.columns)))


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
