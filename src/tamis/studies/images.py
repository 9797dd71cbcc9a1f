"""Images read from files and written to them, as floats between 0 and 1 or in the file's own numbers; as data URIs."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tamis._core.errors import InputError, about
from tamis._core.files import write_file
from tamis._core.optional import need

WRITTEN = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".tif": "TIFF", ".tiff": "TIFF", ".bmp": "BMP"}
TRANSPARENT = ("PNG", "TIFF")
LARGEST = 400_000_000  # pixels: beyond it a damaged header is more likely than a photo


@dataclass(frozen=True)
class Picture:
    """An image in the numbers of its file: ``pixels`` (height, width) or (height, width, 3) of uint8, uint16, or
    float32 between 0 and 1; ``alpha`` (height, width) where it has transparency.
    """

    pixels: np.ndarray
    alpha: np.ndarray | None = None

    @property
    def white(self) -> float:
        return float(np.iinfo(self.pixels.dtype).max) if self.pixels.dtype.kind == "u" else 1.0

    def with_shares(self, image: np.ndarray) -> Picture:
        """Another image of shares of white, in the numbers of this one, with its transparency; floats get 16 bits."""
        dtype = self.pixels.dtype if self.pixels.dtype.kind == "u" else np.dtype(np.uint16)
        most = float(np.iinfo(dtype).max)
        alpha = self.alpha
        if alpha is not None and alpha.dtype != dtype:
            alpha = np.rint(alpha * most).astype(dtype)
        return Picture(np.rint(np.clip(image, 0.0, 1.0) * most).astype(dtype), alpha)


def read_image(path: Path, *, argument: str = "image", grey: bool = False) -> np.ndarray:
    """The image as float64 between 0 and 1: (height, width), or (height, width, 3) where it has colours.

    What is transparent stands on white. ``grey`` turns colours into their luminance (Rec. 601).
    """
    picture = read_picture(path, argument=argument)
    pixels = picture.pixels / picture.white
    if picture.alpha is not None:
        alpha = picture.alpha / picture.white
        alpha = alpha if pixels.ndim == 2 else alpha[..., None]
        pixels = alpha * pixels + (1.0 - alpha)
    return luminance(pixels) if grey else pixels


def read_picture(path: Path, *, argument: str = "image") -> Picture:
    """The image in the numbers that its file has."""
    with about(argument):
        pixels = _plain(_decoded(path), path)
    if pixels.ndim == 2:
        return Picture(pixels)
    alpha = pixels[..., -1] if pixels.shape[2] in (2, 4) else None
    colours = pixels[..., :3] if pixels.shape[2] >= 3 else pixels[..., 0]
    return Picture(np.ascontiguousarray(colours), alpha)


def luminance(image: np.ndarray) -> np.ndarray:
    """0.299 R + 0.587 G + 0.114 B (ITU-R BT.601); a grey image is returned as it is."""
    return image if image.ndim == 2 else image @ np.array([0.299, 0.587, 0.114])


def write_image(path: Path, image: np.ndarray, alpha: np.ndarray | None = None) -> int:
    """Write the image whole or not at all; the ending says the format. Values between 0 and 1 get eight bits a channel.

    Whole numbers are written as they are: those of 16 bits where the format has them, else rounded to eight; how many
    bits it were is returned. JPEG and BMP have no transparency: there what is transparent stands on white.
    """
    kind = _format(path)
    if alpha is not None:
        image = _with_alpha(image, alpha) if kind in TRANSPARENT else _on_white(image, alpha)
    content, bits = _encoded(image, kind)
    write_file(path, content)
    return bits


def _with_alpha(image: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    return np.dstack([image, alpha]) if image.ndim == 2 else np.concatenate([image, alpha[..., None]], axis=2)


def _on_white(image: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    white = float(np.iinfo(image.dtype).max) if image.dtype.kind == "u" else 1.0
    share = alpha / np.float32(white) if image.ndim == 2 else alpha[..., None] / np.float32(white)
    mixed = share * image + (1 - share) * np.float32(white)
    return np.rint(mixed).astype(image.dtype) if image.dtype.kind == "u" else mixed


def check_image_name(path: Path, argument: str) -> None:
    """Complain, before any work, about an ending that no image is written by."""
    with about(argument):
        _format(path)


def data_uri(image: np.ndarray) -> str:
    """The image as PNG inside an address, for a page that loads nothing."""
    return "data:image/png;base64," + base64.b64encode(_encoded(image, "PNG")[0]).decode()


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
        deep = path.suffix.lower() in (".tif", ".tiff") and find_spec("tifffile")
        return np.asarray(imageio.imread(content, index=0, **({"extension": ".tif"} if deep else {})))
    except InputError:
        raise
    except Exception as error:  # each format's reader has errors of its own
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"cannot read {str(path)!r} as an image: {why}") from None


def _plain(pixels: np.ndarray, path: Path) -> np.ndarray:
    """As uint8, uint16, or float32 between 0 and 1."""
    if pixels.ndim not in (2, 3) or pixels.size == 0 or (pixels.ndim == 3 and pixels.shape[2] not in (1, 2, 3, 4)):
        raise InputError(f"cannot read {str(path)!r} as an image: its shape is {pixels.shape}")
    if pixels.dtype == bool:
        return pixels.astype(np.uint8) * 255
    if pixels.dtype in (np.uint8, np.uint16):
        return pixels
    if np.issubdtype(pixels.dtype, np.integer):
        return _whole(pixels, path)
    if not np.isfinite(pixels).all() or pixels.min() < 0 or pixels.max() > 1:
        raise InputError(f"cannot read {str(path)!r} as an image: its floats are not all between 0 and 1; scale them")
    return pixels.astype(np.float32)


def _whole(pixels: np.ndarray, path: Path) -> np.ndarray:
    """Numbers of 32 bits, in which some readers hand over 16."""
    if pixels.min() < 0 or pixels.max() > 65535:
        raise InputError(f"cannot read {str(path)!r} as an image: its numbers are not all between 0 and 65,535")
    return pixels.astype(np.uint16)


def _encoded(image: np.ndarray, kind: str) -> tuple[bytes, int]:
    """The file, and how many bits a channel has."""
    imageio = need("imageio.v3", extra="signal", purpose="writing images")
    for pixels in _with_bits(image, kind):
        options: dict[str, Any] = {"quality": 95} if kind == "JPEG" else {}
        if pixels.dtype == np.uint16 and pixels.ndim == 3 and find_spec("tifffile"):
            options = {"plugin": "tifffile"}
        try:
            content: bytes = imageio.imwrite("<bytes>", pixels, extension="." + kind.lower(), **options)
            return content, 8 * pixels.dtype.itemsize
        except (OSError, TypeError, ValueError):  # of 16 bits not every writer takes colours
            if pixels.dtype == np.uint8:
                raise
    raise AssertionError("eight bits are always written or complained about")


def _with_bits(image: np.ndarray, kind: str) -> Iterator[np.ndarray]:
    """The image as it is tried to be written, the best first."""
    if image.dtype == np.uint16 and (kind == "TIFF" or (kind == "PNG" and image.ndim == 2)):
        yield image
    if image.dtype == np.uint8:
        yield image
    else:
        white = 65535.0 if image.dtype == np.uint16 else 1.0
        yield np.round(np.clip(image / white, 0.0, 1.0) * 255.0).astype(np.uint8)


def _format(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in WRITTEN:
        raise InputError(f"cannot write {str(path)!r} as an image: its name must end with one of {', '.join(WRITTEN)}")
    return WRITTEN[ending]
