"""How fast is a clip split into background and foreground, in memory and frame by frame?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar, judged


@dataclass(frozen=True)
class Clip:
    """Frames as rows, in float32, and which pixels move. ``online``: a block of 50 frames at a time."""

    X: np.ndarray
    moving: np.ndarray
    online: bool


class Objective(objective.Objective):
    title = "Background and foreground of a video"
    text = (
        "A bright object moves over a still scene whose lighting changes in two patterns, with a little noise. The "
        "answer is the pixels of the foreground, nothing else is told; F1 is over all pixels of all frames: accepted "
        "from 0.95 on, and from 0.75 where frames come in blocks of 50, of which 0.9 is asked for."
    )
    repeats = 1
    cap = 60.0
    columns = {"missed": "1 − F1"}  # noqa: RUF012

    def judge(self, data: Clip, reference: None, result: np.ndarray) -> dict[str, float]:
        found = np.asarray(result, dtype=bool)
        both = np.count_nonzero(found & data.moving)
        f1 = 2 * both / max(1, np.count_nonzero(found) + np.count_nonzero(data.moving))
        return {"missed": float(1 - f1), "allowed": 0.25 if data.online else 0.05}

    def accepts(self, judged: dict[str, float]) -> bool:
        return bool(judged["missed"] <= judged["allowed"])

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours, missed = table.ours(), judged(table.ours(), "missed")
        f1 = None if missed is None else 1 - missed
        seconds = ours.seconds if ours and ours.accepted else None
        frames, pixels = 1000, 320 * 240
        if "blocks" in table.dataset:
            rate = None if seconds is None else frames / seconds
            return [bar("frames per second", rate, "≥", 100), bar("F1", f1, "≥", 0.9)]
        memory = None if ours is None or ours.peak_mb is None else ours.peak_mb * 2**20 / (4 * frames * pixels)
        return [
            bar("seconds", seconds, "≤", 60),
            bar("F1", f1, "≥", 0.95),
            bar("memory beside that of the data", memory, "≤", 4),
        ]


def datasets(quick: bool) -> list[Dataset]:
    frames, height, width = (120, 24, 32) if quick else (1000, 240, 320)
    name = f"{width} × {height} × {frames:,} frames, float32"
    return [
        Dataset(name, partial(planted, frames, height, width, False), barred=not quick),
        Dataset(f"{name}, in blocks", partial(planted, frames, height, width, True), barred=not quick),
    ]


def planted(frames: int, height: int, width: int, online: bool) -> Clip:
    rng = np.random.default_rng(0)
    y, x = np.mgrid[0:height, 0:width] / height
    scene = 0.35 + 0.1 * np.sin(5 * x) * np.cos(4 * y) + 0.08 * rng.random((height, width))
    light = np.stack([scene, scene * x / x.max()]).reshape(2, -1).astype(np.float32)
    t = np.arange(frames)
    weights = np.column_stack([1 + 0.05 * np.sin(t / 40), 0.15 * np.cos(t / 65)]).astype(np.float32)
    X = weights @ light
    moving = np.zeros((frames, height, width), bool)
    side = height // 6
    for k in range(frames):
        top = int((height - side) * (0.5 + 0.45 * np.sin(k / 37)))
        left = int((width - side) * (0.5 + 0.5 * np.sin(k / 23)))
        moving[k, top : top + side, left : left + side] = True
    moving = moving.reshape(frames, -1)
    X[moving] = 0.85
    for first in range(0, frames, 100):
        X[first : first + 100] += 0.01 * rng.standard_normal(
            (min(100, frames - first), height * width), dtype=np.float32
        )
    return Clip(X, moving, online)
