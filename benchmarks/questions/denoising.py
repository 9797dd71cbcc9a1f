"""How well, and how fast, is white noise taken out of a photo?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar


class Objective(objective.Objective):
    title = "Denoising"
    text = (
        "A grey photo of scikit-image with Gaussian noise of σ = 25 (of 255), which everybody is told. The peak signal "
        "to noise ratio is what counts, 10 log₁₀ 255²/mean squared error; and the seconds."
    )
    repeats = 1
    columns = {"psnr": "PSNR, dB"}  # noqa: RUF012

    def reference(self, data: Photo) -> None:
        return None

    def judge(self, data: Photo, reference: None, result: np.ndarray) -> dict[str, float]:
        error = np.mean((np.clip(np.asarray(result, dtype=np.float64), 0, 255) - data.clean) ** 2)
        return {"psnr": float(10 * np.log10(255**2 / error))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return bool(np.isfinite(judged["psnr"]))

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours, means = table.ours(), table.row("scikit-image non-local means")
        better = ours.judged["psnr"] - means.judged["psnr"] if ours and means and ours.judged and means.judged else None
        return [
            bar("dB above non-local means", better, "≥", 0.3),
            bar("seconds", ours.seconds if ours else None, "≤", 6.0),
        ]


@dataclass
class Photo:
    clean: np.ndarray
    noisy: np.ndarray
    sigma: float


def datasets(quick: bool) -> list[Dataset]:
    if quick:
        return [Dataset("china, 48 × 48, σ = 25", partial(noisy, china))]
    return [
        Dataset(f"{name}, 512 × 512, σ = 25", partial(noisy, partial(shipped, name)))
        for name in ("camera", "astronaut")
    ]


def noisy(picture: Callable[[], np.ndarray]) -> Photo:
    clean = picture()
    return Photo(clean, clean + 25 * np.random.default_rng(0).standard_normal(clean.shape), 25.0)


def shipped(name: str) -> np.ndarray:
    """A picture of scikit-image, which is installed with the competitors."""
    from skimage import data
    from skimage.color import rgb2gray

    image = getattr(data, name)()
    return rgb2gray(image) * 255 if image.ndim == 3 else image.astype(np.float64)


def china() -> np.ndarray:
    """A corner of a photo of scikit-learn, which is always there."""
    from sklearn.datasets import load_sample_image

    return load_sample_image("china.jpg")[200:248, 300:348].mean(axis=2)
