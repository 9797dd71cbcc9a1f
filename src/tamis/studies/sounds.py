"""Sounds as arrays of floats between −1 and 1, read from WAV files and written to them."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tamis._core.errors import InputError, about
from tamis._core.files import write_file


class Sound(NamedTuple):
    """Samples per second; the samples (n,), or (n, channels) where there are several; the numbers that its file has."""

    rate: int
    samples: np.ndarray
    dtype: np.dtype


def read_sound(path: Path, *, argument: str = "file") -> Sound:
    """The sound of a WAV file."""
    from scipy.io import wavfile

    with about(argument):
        if not path.is_file():
            raise InputError(f"cannot read {str(path)!r}: there is no such file")
        content = path.read_bytes()
        _require_whole(path, content)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # chunks of other programs inside the file
                rate, given = wavfile.read(io.BytesIO(content))
        except Exception as error:  # its errors depend on what is damaged
            raise InputError(f"cannot read {str(path)!r} as a WAV file: {error}") from None
        samples = _scaled(given)
        if not samples.size or not np.isfinite(samples).all():
            raise InputError(f"cannot read {str(path)!r}: it holds no samples, or some that are not finite")
    one = samples.ndim == 2 and samples.shape[1] == 1
    return Sound(int(rate), samples[:, 0] if one else samples, given.dtype)


UNTOLD = 0xFFFFFFF0  # from here on the length in a header says that it was not known when it was written


def _require_whole(path: Path, content: bytes) -> None:
    """Not cut short: a reader would take what is left for the whole sound."""
    whole = int.from_bytes(content[4:8], "little") + 8
    if content[:4] == b"RIFF" and content[8:12] == b"WAVE" and len(content) < whole < UNTOLD:
        raise InputError(
            f"cannot read {str(path)!r}: it is cut short, {len(content):,} bytes of {whole:,}; copy it again"
        )


def sound_bytes(rate: int, sound: np.ndarray, dtype: Any = np.int16) -> bytes:
    """A WAV file of numbers of this dtype; what is beyond −1 and 1 is cut, unless they are floats."""
    from scipy.io import wavfile

    file = io.BytesIO()
    wavfile.write(file, rate, _unscaled(sound, np.dtype(dtype)))
    return file.getvalue()


def write_sound(path: Path, rate: int, sound: np.ndarray, dtype: Any = np.int16) -> None:
    """Whole or not at all."""
    write_file(path, sound_bytes(rate, sound, dtype))


def _unscaled(sound: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The inverse of `_scaled`."""
    if dtype.kind == "f":
        return sound.astype(dtype)
    limits = np.iinfo(dtype)
    half = 2.0 ** (8 * dtype.itemsize - 1)
    whole = np.rint(sound * half) + (half if dtype.kind == "u" else 0.0)
    return np.clip(whole, limits.min, np.nextafter(float(limits.max) + 1, 0.0)).astype(dtype)


def _scaled(samples: np.ndarray) -> np.ndarray:
    if samples.dtype == np.uint8:
        return (samples.astype(np.float64) - 128.0) / 128.0
    if samples.dtype.kind == "i":
        return samples / (float(np.iinfo(samples.dtype).max) + 1.0)
    return samples.astype(np.float64)
