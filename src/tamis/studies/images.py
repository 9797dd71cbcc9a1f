"""Images as arrays of floats between 0 and 1, read from files and written to them; as data URIs for pages."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np

from tamis._core.errors import InputError, about
from tamis._core.files import write_file
from tamis._core.optional import need

WRITTEN = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".tif": "TIFF", ".tiff": "TIFF", ".bmp": "BMP"}
LARGEST = 400_000_000  # pixels: beyond it a damaged header is more likely than a photo


def read_image(path: Path, *, argument: str = "image", grey: bool = False) -> np.ndarray:
    """The image as float64 between 0 and 1: (height, width), or (height, width, 3) where it has colours.

    What is transparent stands on white. ``grey`` turns colours into their luminance (Rec. 601).
    """
    with about(argument):
        pixels = _scaled(_decoded(path), path)
    pixels = _without_alpha(pixels)
    return luminance(pixels) if grey else pixels


def luminance(image: np.ndarray) -> np.ndarray:
    """0.299 R + 0.587 G + 0.114 B (ITU-R BT.601); a grey image is returned as it is."""
    return image if image.ndim == 2 else image @ np.array([0.299, 0.587, 0.114])


def write_image(path: Path, image: np.ndarray) -> None:
    """Write values between 0 and 1 with eight bits a channel, whole or not at all; the ending says the format."""
    write_file(path, _encoded(image, _format(path)))


def check_image_name(path: Path, argument: str) -> None:
    """Complain, before any work, about an ending that no image is written by."""
    with about(argument):
        _format(path)


def data_uri(image: np.ndarray) -> str:
    """The image as PNG inside an address, for a page that loads nothing."""
    return "data:image/png;base64," + base64.b64encode(_encoded(image, "PNG")).decode()


def _decoded(path: Path) -> np.ndarray:
    imageio = need("imageio.v3", extra="signal", purpose="reading images")
    if not path.exists():
        raise InputError(f"cannot read {str(path)!r}: there is no such file")
    if path.is_dir():
        raise InputError(f"cannot read {str(path)!r}: it is a folder; give an image")
    try:
        content = path.read_bytes()  # the readers of imageio leave a file open that they cannot read
        shape = imageio.improps(content, index=0).shape
        if np.prod(shape[:2]) > LARGEST:
            raise InputError(f"cannot read {str(path)!r}: it has {shape[1]:,} × {shape[0]:,} pixels; give parts of it")
        return np.asarray(imageio.imread(content, index=0))
    except InputError:
        raise
    except Exception as error:  # each format's reader has errors of its own
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"cannot read {str(path)!r} as an image: {why}") from None


def _scaled(pixels: np.ndarray, path: Path) -> np.ndarray:
    if pixels.ndim not in (2, 3) or pixels.size == 0 or (pixels.ndim == 3 and pixels.shape[2] not in (1, 2, 3, 4)):
        raise InputError(f"cannot read {str(path)!r} as an image: its shape is {pixels.shape}")
    if pixels.dtype == bool:
        return pixels.astype(np.float64)
    if np.issubdtype(pixels.dtype, np.integer):
        return pixels / float(np.iinfo(pixels.dtype).max)
    values = pixels.astype(np.float64)
    if not np.isfinite(values).all() or values.min() < 0 or values.max() > 1:
        raise InputError(f"cannot read {str(path)!r} as an image: its floats are not all between 0 and 1; scale them")
    return values


def _without_alpha(pixels: np.ndarray) -> np.ndarray:
    """On white where there is transparency; one channel becomes a plain grey image."""
    if pixels.ndim == 2:
        return pixels
    if pixels.shape[2] in (2, 4):
        alpha = pixels[..., -1:]
        pixels = alpha * pixels[..., :-1] + (1.0 - alpha)
    return pixels[..., 0] if pixels.shape[2] == 1 else pixels


def _encoded(image: np.ndarray, kind: str) -> bytes:
    imageio = need("imageio.v3", extra="signal", purpose="writing images")
    pixels = np.round(np.clip(image, 0.0, 1.0) * 255.0).astype(np.uint8)
    options: dict[str, Any] = {"quality": 95} if kind == "JPEG" else {}
    return imageio.imwrite("<bytes>", pixels, extension="." + kind.lower(), **options)


def _format(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in WRITTEN:
        raise InputError(f"cannot write {str(path)!r} as an image: its name must end with one of {', '.join(WRITTEN)}")
    return WRITTEN[ending]
