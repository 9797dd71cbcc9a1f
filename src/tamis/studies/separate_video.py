"""Frames in, two videos out: the work of ``tamis separate``."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis._core.memory import available_memory
from tamis._core.optional import need
from tamis.studies.separate import SeparateQuestion

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".gif")
BLOCK = 50  # frames of a block
LONG = 3e8  # bytes of float32 above which a video is taken frame by frame
VISIBLE = 0.05  # of full contrast: an entry of S moves beyond it; compressed videos are full of smaller ones
SEEN = 0.002  # of the largest singular value: components below change pixels by a fraction of a grey level
SHOWN = 3  # frames on the page


@dataclass(frozen=True)
class SeparateAnswer:
    """What was done, and three frames with their background and foreground, as PNG."""

    question: SeparateQuestion
    n_frames: int
    height: int
    width: int
    rank: int
    strategy: str
    share_moving: float
    frames: list[tuple[int, bytes, bytes, bytes]]
    files: dict[str, Path]
    seconds: float


def answer(question: SeparateQuestion, with_progress: Callable[[Any], Any]) -> SeparateAnswer:
    """In memory, or block by block where the video is long or "online" is asked for."""
    _check(question)
    started = time.perf_counter()
    first = next(frames_of(question.video), None)
    if first is None:
        raise InputError(f"{str(question.video)!r} holds no frame")
    height, width = shape = first.shape
    with tempfile.TemporaryDirectory() as folder:
        parts = {name: Path(folder) / f"{name}.mp4" for name in ("background", "foreground")}
        with Writers(parts, shape) as writers:
            done = _split(question, shape, writers, with_progress)
        question.folder.mkdir(parents=True, exist_ok=True)
        files = {name: question.folder / path.name for name, path in parts.items()}
        for name, path in parts.items():
            shutil.move(path, files[name])
    seconds = time.perf_counter() - started
    shown = writers.chosen()
    return SeparateAnswer(question, writers.n_frames, height, width, *done, writers.share, shown, files, seconds)


def _check(question: SeparateQuestion) -> None:
    from tamis._core.checks import check_count

    if not question.video.exists():
        raise InputError(f"there is no video or folder {str(question.video)!r}")
    if os.path.lexists(question.folder) and not question.folder.is_dir():
        raise InputError(f"cannot write into {str(question.folder)!r}: it is no folder; give one", argument="out")
    above = next(folder for folder in (question.folder, *question.folder.absolute().parents) if folder.exists())
    if not os.access(above, os.W_OK | os.X_OK):
        raise InputError(f"cannot write into {str(question.folder)!r}: {str(above)!r} is read-only", argument="out")
    if question.video.is_dir() and question.folder.resolve() == question.video.resolve():
        raise InputError(f"cannot write into {str(question.folder)!r}: it is what is read", argument="out")
    if question.rank is not None:
        check_count("rank", question.rank)
        if question.method == "graph":
            raise InputError("--rank is not used by --method graph: leave it out", argument="rank")


def frames_of(path: Path) -> Iterator[np.ndarray]:
    """Grey frames (height, width) in [0, 1], float32, one after the other."""
    reader = need("imageio.v3", extra="signal", purpose="reading videos and pictures")
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURES)
        shape = None
        for file in files:
            try:
                frame = grey(reader.imread(file))
            except Exception as error:  # imageio's plugins raise what their libraries raise
                raise InputError(f"cannot read {str(file)!r} as a picture: {_first_line(error)}") from None
            if shape is not None and frame.shape != shape:
                raise InputError(
                    f"{file.name!r} is {frame.shape}, the pictures before it {shape}: they must be of one size"
                )
            shape = frame.shape
            yield frame
        return
    try:
        for frame in reader.imiter(path):
            yield grey(frame)
    except InputError:
        raise
    except Exception as error:  # imageio's plugins raise what their libraries raise
        raise InputError(f"cannot read {str(path)!r} as a video: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    """What ffmpeg says after it is its whole log."""
    return str(error).strip().partition("\n")[0]


def grey(frame: np.ndarray) -> np.ndarray:
    """Luminance in [0, 1]."""
    top = np.iinfo(frame.dtype).max if frame.dtype.kind in "ui" else 1.0
    frame = frame.astype(np.float32) / np.float32(top)
    return frame if frame.ndim == 2 else frame[..., :3] @ np.array([0.299, 0.587, 0.114], np.float32)


def _split(
    question: SeparateQuestion, shape: tuple[int, ...], writers: Writers, with_progress: Callable[[Any], Any]
) -> tuple[int, str]:
    """(rank, strategy)."""
    from tamis.lowrank import GraphRobustPCA, RobustPCA

    frames = frames_of(question.video)
    most = LONG if question.method == "auto" else 0.15 * (available_memory() or 4e9)
    if question.method == "online":
        return _stream(question, frames, [], writers)
    read: list[np.ndarray] = []
    for frame in frames:
        read.append(frame.ravel())
        if len(read) * frame.nbytes > most:
            if question.method != "auto":
                raise InputError(
                    f"the video does not fit in memory: take --method online, not {question.method}", argument="method"
                )
            return _stream(question, frames, read, writers)
    X = np.stack(read)
    del read
    if question.rank is not None and question.rank > min(X.shape):
        raise InputError(
            f"--rank must be at most {min(X.shape)} for {len(X)} frames of {X.shape[1]} pixels, got {question.rank}",
            argument="rank",
        )
    if question.method == "graph":
        steps = np.eye(len(X), k=1) + np.eye(len(X), k=-1)  # frames that follow each other
        model = with_progress(GraphRobustPCA(row_graph=steps, random_state=0)).fit(X)
        strategy, L, S = "graph: frames that follow each other are neighbours", model.low_rank_, model.sparse_
        S = np.where(np.abs(S) > model.threshold_, S, 0)
    elif question.method == "auto" and len(X) < 20:
        model = with_progress(RobustPCA("alm", random_state=0)).fit(X)
        strategy, L, S = model.strategy_, model.low_rank_, model.sparse_
    else:
        model = with_progress(background_model(X, question.rank)).fit(X)
        strategy = "alternating: projections, the video in memory"
        L, S = model.low_rank_, model.sparse_
    if model.status_ == "interrupted":
        raise KeyboardInterrupt
    for x, low, s in zip(X, L, S, strict=True):
        writers.add(x.reshape(shape), low.reshape(shape), s.reshape(shape))
    s = model.singular_values_
    return int(np.count_nonzero(s > SEEN * s.max(initial=0.0))), strategy


def background_model(X: np.ndarray, rank: int | None = None) -> Any:
    """Alternating projections for frames in rows, at the given rank or that of a sample of pixels."""
    from tamis.lowrank import RobustPCA

    rank = min(rank or _background_rank(X), *X.shape)
    return RobustPCA("alternating", rank=rank, max_iter=60, random_state=0)


def _background_rank(X: np.ndarray) -> int:
    """Components that explain what the median frame leaves, in a sample of pixels: at most 5, at least 1."""
    rng = np.random.default_rng(0)
    part = X[:, rng.choice(X.shape[1], min(2000, X.shape[1]), replace=False)]
    from tamis._core.threads import thread_count
    from tamis.solvers.iteration_limits import IterationLimits
    from tamis.solvers.multipliers import augmented_lagrangian

    s = augmented_lagrangian(
        np.ascontiguousarray(part), max(part.shape) ** -0.5, IterationLimits(tol=1e-3), n_threads=thread_count(None),
        rng=rng, certified=False,
    ).low_rank.s  # fmt: skip
    return int(np.clip(np.count_nonzero(s > 0.02 * s.max(initial=0.0)), 1, 5))


def _stream(
    question: SeparateQuestion, frames: Iterator[np.ndarray], read: list[np.ndarray], writers: Writers
) -> tuple[int, str]:
    """Blocks of frames through ``partial_fit``; what is in memory is one block."""
    from tamis.lowrank import RobustPCA

    model = RobustPCA("online", rank=question.rank, random_state=0)
    waiting = list(read)
    read.clear()
    shape = writers.shape

    def work(block: list[np.ndarray]) -> None:
        X = np.stack([frame.ravel() for frame in block])
        model.partial_fit(X)
        for x, low, s in zip(X, model.low_rank_, model.sparse_, strict=True):
            writers.add(x.reshape(shape), low.reshape(shape), s.reshape(shape))

    for frame in frames:
        waiting.append(frame)
        while len(waiting) >= BLOCK:
            work(waiting[:BLOCK])
            del waiting[:BLOCK]
    if waiting:
        work(waiting)
    return model.rank_, "online: blocks of 50 frames"


class Writers:
    """Two videos that grow frame by frame, and some frames kept for the page."""

    def __init__(self, paths: dict[str, Path], shape: tuple[int, ...], rate: float = 25.0) -> None:
        writer = need("imageio_ffmpeg", extra="signal", purpose="writing videos")
        self.shape, self.n_frames = shape, 0
        self._moving: Any = 0
        self._even = tuple(-(-side // 2) * 2 for side in shape)  # as the codec wants it
        size = self._even[1], self._even[0]
        self._out = {
            name: writer.write_frames(str(path), size, pix_fmt_in="gray", fps=rate, macro_block_size=1)
            for name, path in paths.items()
        }
        self._kept: list[tuple[int, np.ndarray, np.ndarray, np.ndarray]] = []
        self._every = 1

    def __enter__(self) -> Writers:
        return self

    def __exit__(self, *_: Any) -> None:
        for out in self._out.values():
            out.close()

    def add(self, frame: np.ndarray, background: np.ndarray, sparse: np.ndarray) -> None:
        moving = np.where(np.abs(sparse) > VISIBLE, sparse, 0)
        shown = np.where(moving != 0, 0.25 + 0.75 * np.clip(np.abs(moving), 0, 1), 0.0)
        if not self.n_frames:  # not before: without a frame ffmpeg complains by itself
            for out in self._out.values():
                out.send(None)
        self._moving += np.count_nonzero(moving)
        for name, picture in (("background", background), ("foreground", shown)):
            self._out[name].send(np.ascontiguousarray(self._bytes(picture)))
        self._keep(frame, background, shown)
        self.n_frames += 1

    def _keep(self, *pictures: np.ndarray) -> None:
        """Frames at even distances, at most twelve at a time."""
        if self.n_frames % self._every == 0:
            self._kept.append((self.n_frames, *(picture.copy() for picture in pictures)))  # type: ignore[arg-type]
            if len(self._kept) == 12:
                self._kept, self._every = self._kept[::2], 2 * self._every

    def _bytes(self, picture: np.ndarray) -> np.ndarray:
        grown = [(0, even - side) for side, even in zip(self.shape, self._even, strict=True)]
        return np.pad((255 * np.clip(picture, 0, 1)).round().astype(np.uint8), grown, mode="edge")

    @property
    def share(self) -> float:
        return self._moving / max(1, self.n_frames * self.shape[0] * self.shape[1])

    def chosen(self) -> list[tuple[int, bytes, bytes, bytes]]:
        """Three frames from beginning, middle and end, as PNG."""
        at = np.unique(np.linspace(0, len(self._kept) - 1, min(SHOWN, len(self._kept))).round().astype(int))
        return [(k, *(_png(picture) for picture in pictures)) for k, *pictures in (self._kept[i] for i in at)]


def _png(picture: np.ndarray) -> bytes:
    writer = need("imageio.v3", extra="signal", purpose="writing pictures")
    buffer = io.BytesIO()
    writer.imwrite(buffer, (255 * np.clip(picture, 0, 1)).round().astype(np.uint8), extension=".png")
    return buffer.getvalue()
