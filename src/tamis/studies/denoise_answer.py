"""The answer of ``tamis denoise``. The image keeps the numbers of its file, so that large photos fit into memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tamis._core.errors import InputError
from tamis.dictionary import OMPCoder, image_noise_level
from tamis.dictionary import denoise as without_noise
from tamis.dictionary.noise import noise_bound
from tamis.dictionary.patch_atoms import PatchAtoms
from tamis.dictionary.patches import channels_of, check_image
from tamis.studies.denoise import DenoiseQuestion
from tamis.studies.images import Picture, check_image_name, luminance, read_picture, write_image
from tamis.studies.outputs import check_written

ARGUMENTS = {"n_atoms": "atoms", "max_iter": "sweeps"}  # of the library, as they are asked for here
STRIP = 256  # rows of the image that are compared at once


@dataclass(frozen=True)
class DenoiseAnswer:
    """The images before and after, the atoms, the noise level (of 255) and how much was taken away."""

    question: DenoiseQuestion
    before: np.ndarray
    after: np.ndarray
    atoms: np.ndarray
    sigma: float
    measured: bool
    removed: float  # root mean square of what was taken away, of 255
    seconds: float

    @property
    def channels(self) -> int:
        return channels_of(self.before)


def check(question: DenoiseQuestion) -> None:
    check_image_name(question.out, "out")
    check_written(question, {"out": question.out, "report": question.report}, [], [question.image])
    if question.sigma is not None and not 0 <= question.sigma <= 255:
        raise InputError(f"sigma must be between 0 and 255, got {question.sigma!r}", argument="sigma")


def answer(question: DenoiseQuestion, on_progress: Callable[[str, int, int], None] | None = None) -> DenoiseAnswer:
    picture = _picture_of(question)
    image, unit = picture.pixels, picture.white / 255
    begun = time.perf_counter()
    try:
        check_image(image, question.patch)
        sigma = image_noise_level(image) if question.sigma is None else question.sigma * unit
        sweeps = question.sweeps if sigma > 0 else 0  # without noise nothing is coded
        about = PatchAtoms(question.patch, channels_of(image), None, question.atoms, sweeps, 0, on_progress)
        D = about.found(image, OMPCoder(noise=noise_bound(sigma, about.p)))
        cleaned = without_noise(
            image, sigma, dictionary=D, patch=question.patch, step=question.step, on_progress=on_progress
        )  # fmt: skip
    except InputError as error:
        raise InputError(str(error), argument=ARGUMENTS.get(error.argument or "", error.argument)) from None
    write_image(question.out, cleaned, picture.alpha)
    removed, seconds = _root_mean_square(image, cleaned) / unit, time.perf_counter() - begun
    return DenoiseAnswer(question, image, cleaned, D, sigma / unit, question.sigma is None, removed, seconds)


def _picture_of(question: DenoiseQuestion) -> Picture:
    picture = read_picture(question.image)
    if not question.grey or picture.pixels.ndim == 2:
        return picture
    grey = luminance(picture.pixels)
    whole = picture.pixels.dtype.kind == "u"
    return Picture((np.rint(grey) if whole else grey).astype(picture.pixels.dtype), picture.alpha)


def _root_mean_square(before: np.ndarray, after: np.ndarray) -> float:
    strips = (slice(i, i + STRIP) for i in range(0, len(before), STRIP))
    total = sum(float(np.square(after[s].astype(np.float64) - before[s]).sum()) for s in strips)
    return float(np.sqrt(total / before.size))
