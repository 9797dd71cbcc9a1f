"""Sounds as arrays of floats between −1 and 1, read from WAV files and written to them."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np

from tamis._core.errors import InputError, about
from tamis._core.files import write_file


def read_sound(path: Path, *, argument: str = "file") -> tuple[int, np.ndarray]:
    """Samples per second, and the sound (n,), or (n, channels) where it has several."""
    from scipy.io import wavfile

    with about(argument):
        if not path.is_file():
            raise InputError(f"cannot read {str(path)!r}: there is no such file")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # chunks of other programs inside the file
                rate, samples = wavfile.read(io.BytesIO(path.read_bytes()))
        except Exception as error:  # its errors depend on what is damaged
            raise InputError(f"cannot read {str(path)!r} as a WAV file: {error}") from None
        samples = _scaled(samples)
        if not samples.size or not np.isfinite(samples).all():
            raise InputError(f"cannot read {str(path)!r}: it holds no samples, or some that are not finite")
    return int(rate), samples[:, 0] if samples.ndim == 2 and samples.shape[1] == 1 else samples


def sound_bytes(rate: int, sound: np.ndarray) -> bytes:
    """A WAV file of 16 bits a sample; what is beyond −1 and 1 is cut."""
    from scipy.io import wavfile

    file = io.BytesIO()
    wavfile.write(file, rate, np.round(np.clip(sound, -1.0, 1.0) * 32767.0).astype(np.int16))
    return file.getvalue()


def write_sound(path: Path, rate: int, sound: np.ndarray) -> None:
    """Whole or not at all."""
    write_file(path, sound_bytes(rate, sound))


def _scaled(samples: np.ndarray) -> np.ndarray:
    if samples.dtype == np.uint8:
        return (samples.astype(np.float64) - 128.0) / 128.0
    if samples.dtype.kind == "i":
        return samples / (float(np.iinfo(samples.dtype).max) + 1.0)
    return samples.astype(np.float64)
