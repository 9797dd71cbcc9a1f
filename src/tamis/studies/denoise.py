"""``tamis denoise``: an image without its noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tamis.studies.question import Question, file_to_write, option

IMAGE = "A PNG, JPEG, TIFF or BMP image."


@dataclass(frozen=True, kw_only=True)
class DenoiseQuestion(Question):
    """The options of ``tamis denoise``."""

    verb: ClassVar[str] = "denoise"

    image: Path = option(IMAGE, positional=True)
    out: Path = option(
        "Where the denoised image goes; the ending says the format.", positional=True, parse=file_to_write
    )
    sigma: float | None = option(
        "Standard deviation of the noise, black being 0 and white 255.", default=None, shown="measured in the image"
    )
    atoms: int = option("How many atoms are learned.", default=256, metavar="K")
    patch: int = option("Patches are so many pixels high and wide.", default=8, metavar="PIXELS")
    sweeps: int = option("Sweeps of K-SVD over patches of the image; 0 uses cosines.", default=10, metavar="N")
    step: int = option("Take patches at every so many pixels: faster, and a little worse.", default=1, metavar="PIXELS")
    grey: bool = option("Turn colours into grey first.", default=False)
    json: bool = option("Print one JSON document instead of words.", default=False, printing=True)


@dataclass(frozen=True)
class DenoiseAnswer:
    """What was done: sizes, the noise level (of 255), whether it was measured, and how much the image changed."""

    width: int
    height: int
    channels: int
    sigma: float
    measured: bool
    removed: float  # root mean square of what was taken away, of 255
    seconds: float


def denoise(question: DenoiseQuestion, on_progress: Callable[[str, int, int], None] | None = None) -> DenoiseAnswer:
    """Denoise the image and write it; what cannot be used is said before it is read."""
    import time

    import numpy as np

    from tamis._core.errors import InputError
    from tamis.dictionary import denoise as without_noise
    from tamis.dictionary import noise_level
    from tamis.studies.images import check_image_name, read_image, write_image
    from tamis.studies.outputs import check_written

    check_image_name(question.out, "out")
    check_written(question, {"out": question.out}, [], [question.image])
    if question.sigma is not None and not 0 <= question.sigma <= 255:
        raise InputError(f"sigma must be between 0 and 255, got {question.sigma!r}", argument="sigma")
    image = read_image(question.image, grey=question.grey)
    begun = time.perf_counter()
    sigma = noise_level(image) * 255 if question.sigma is None else question.sigma
    try:
        cleaned = without_noise(
            image.astype(np.float32), sigma / 255, n_atoms=question.atoms, patch=question.patch,
            max_iter=question.sweeps, step=question.step, on_progress=on_progress,
        )  # fmt: skip
    except InputError as error:
        raise InputError(str(error), argument=ARGUMENTS.get(error.argument or "", error.argument)) from None
    write_image(question.out, cleaned)
    removed = float(np.sqrt(np.mean((np.clip(cleaned, 0, 1) - image) ** 2))) * 255
    channels = 1 if image.ndim == 2 else image.shape[2]
    seconds = time.perf_counter() - begun
    return DenoiseAnswer(
        image.shape[1], image.shape[0], channels, float(sigma), question.sigma is None, removed, seconds
    )  # fmt: skip


ARGUMENTS = {"n_atoms": "atoms", "max_iter": "sweeps"}  # of the library, as they are asked for here
