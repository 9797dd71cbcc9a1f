"""Answer of ``tamis denoise`` → plain dictionary → page."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.atoms_image import atoms_image
from tamis.report.html import page
from tamis.report.provenance import made
from tamis.studies.denoise_answer import DenoiseAnswer
from tamis.studies.images import data_uri

WIDEST = 800  # pixels of a photo on the page
DETAIL = 160  # pixels of the part that is shown larger
ZOOM = 3


def summarise_denoising(answer: DenoiseAnswer) -> dict[str, Any]:
    """Numbers and words, for JSON, the terminal and the page."""
    question, (height, width) = answer.question, answer.before.shape[:2]
    return {
        "question": {
            "image": str(question.image), "name": question.image.name, "out": str(question.out),
            "command": question.command,
        },
        "answer": _sentences(answer),
        "image": {"width": width, "height": height, "channels": answer.channels, "type": str(answer.before.dtype)},
        "noise": {
            "sigma": round(answer.sigma, 4), "measured": answer.measured, "removed": round(answer.removed, 4),
        },
        "atoms": {"number": len(answer.atoms), "patch": question.patch, "sweeps": question.sweeps},
        "seconds": round(answer.seconds, 3),
        "made": made(),
    }  # fmt: skip


def _sentences(answer: DenoiseAnswer) -> list[str]:
    height, width = answer.before.shape[:2]
    kind = "colour" if answer.channels > 1 else "grey"
    how = "measured in it" if answer.measured else "as given"
    first = f"{width:,} × {height:,} pixels, {kind}; noise level {answer.sigma:.3g} of 255, {how}"
    if answer.sigma == 0:
        return [f"{first}: the image is as it was."]
    away = f"Noise of root mean square {answer.removed:.3g} of 255 was taken away, in {answer.seconds:.1f} s."
    return [away, f"{first}."]


def render_denoising(answer: DenoiseAnswer, summary: dict[str, Any]) -> str:
    """The page: before and after, a part of them larger, what was taken away, and the atoms."""
    return page("denoise.html", {}, s=summary, whole=_whole(answer), detail=_detail(answer), atoms=_atoms(answer))


def _whole(answer: DenoiseAnswer) -> list[dict[str, str]]:
    pictures = {"Before": answer.before, "After": answer.after}
    return [{"uri": data_uri(_shrunk(_unit(image))), "caption": caption} for caption, image in pictures.items()]


def _detail(answer: DenoiseAnswer) -> list[dict[str, str]]:
    """The part of the image with the most going on in it."""
    at = _liveliest(answer.after)
    before, after = _unit(answer.before[at]), _unit(answer.after[at])
    reach = max(3 * answer.sigma, 1e-3)
    away = 0.5 + 255 * (before - after) / (2 * reach)
    shown = {"Before": before, "After": after, f"What was taken away, from −{reach:.3g} to {reach:.3g}": away}
    return [{"uri": data_uri(_enlarged(image)), "caption": caption} for caption, image in shown.items()]


def _atoms(answer: DenoiseAnswer) -> str:
    side = answer.question.patch
    return data_uri(atoms_image(answer.atoms, (side, side, answer.channels), ZOOM))


def _unit(image: np.ndarray) -> np.ndarray:
    return image / np.float32(np.iinfo(image.dtype).max) if image.dtype.kind == "u" else image.astype(np.float32)


def _shrunk(image: np.ndarray) -> np.ndarray:
    """Means over squares of pixels, so that the longer side is at most ``WIDEST``."""
    by = -(-max(image.shape[:2]) // WIDEST)
    height, width = (length // by for length in image.shape[:2])
    if by == 1 or height == 0 or width == 0:
        return image
    squares = image[: height * by, : width * by].reshape(height, by, width, by, -1)
    return squares.mean(axis=(1, 3)).reshape(height, width, *image.shape[2:])


def _liveliest(image: np.ndarray) -> tuple[slice, slice]:
    height, width = image.shape[:2]
    tops, lefts = (range(0, max(1, length - DETAIL + 1), DETAIL // 2) for length in (height, width))
    tiles = [(slice(i, i + DETAIL), slice(j, j + DETAIL)) for i in tops for j in lefts]
    some = tiles[:: max(1, len(tiles) // 2000)]
    return max(some, key=lambda at: float(np.std(image[at][::2, ::2])))


def _enlarged(image: np.ndarray) -> np.ndarray:
    return image.repeat(ZOOM, axis=0).repeat(ZOOM, axis=1)
