"""Atoms for the patches of one image: given, or learned from the image itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.random import as_rng
from tamis._core.vectors import unit_rows
from tamis.dictionary.coders import OMPCoder
from tamis.dictionary.fixed_atoms import dct_atoms
from tamis.dictionary.learner import DictionaryLearner
from tamis.dictionary.patches import sample_patches, without_means
from tamis.dictionary.updates import KSVDUpdate

N_TRAIN = 20_000  # patches that atoms are learned from
OnProgress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class PatchAtoms:
    """What `denoise`, `inpaint` and `compress` are told about atoms and patches, checked."""

    patch: int
    channels: int
    dictionary: Any
    n_atoms: int
    max_iter: int
    random_state: Any
    on_progress: OnProgress | None = None

    @property
    def p(self) -> int:
        return self.patch * self.patch * self.channels

    def report(self, stage: str, done: int, total: int) -> None:
        if self.on_progress is not None:
            self.on_progress(stage, done, total)

    def found(self, image: np.ndarray, coder: OMPCoder) -> np.ndarray:
        """Atoms of unit length in float32: those given, or learned from patches of the image without their means."""
        if self.dictionary is not None:
            return self._given()
        first = cosines(check_count("n_atoms", self.n_atoms), self.patch, self.channels)
        if check_count("max_iter", self.max_iter, at_least=0) == 0:
            return first
        rng = as_rng(self.random_state)
        rows = sample_patches(image, self.patch, N_TRAIN, rng).astype(np.float32)
        if np.isnan(rows).any():
            rows = rows[np.isfinite(rows).mean(axis=1) >= 0.5]
        if len(rows) == 0:
            return first
        return self._learned(without_means(rows, self.channels)[0], first, coder, rng)

    def _given(self) -> np.ndarray:
        D = np.asarray(getattr(self.dictionary, "components_", self.dictionary))
        if D.dtype.kind not in "fiub" or D.ndim != 2 or len(D) == 0 or D.shape[1] != self.p or not np.isfinite(D).all():
            given = f"shape {D.shape}" if D.ndim else repr(self.dictionary)
            raise InputError(
                f"dictionary must hold atoms of {self.p} finite numbers in rows, at least one; got {given}",
                argument="dictionary",
            )
        return unit_rows(D.astype(np.float64))[0].astype(np.float32)

    def _learned(self, rows: np.ndarray, first: np.ndarray, coder: OMPCoder, rng: np.random.Generator) -> np.ndarray:
        learner = DictionaryLearner(
            len(first), coder, KSVDUpdate(), init=first, max_iter=self.max_iter, tol=0.0, random_state=rng
        )
        if self.on_progress is not None:
            learner.set_callbacks(_ProgressCallback(self.on_progress))
        return learner.fit(rows).components_


def cosines(k: int, patch: int, channels: int) -> np.ndarray:
    """Cosines without the constant one; of all channels together, and of their differences, where there are several."""
    flat = dct_atoms(-(-k // channels) + 1, (patch, patch))[1:]
    if channels == 1:
        return flat[:k].astype(np.float32)
    mixes = np.linalg.qr(np.column_stack([np.ones(channels), np.eye(channels)[:, 1:]]))[0].T  # grey first, then colours
    return unit_rows(np.concatenate([np.kron(flat, mix) for mix in mixes])[:k])[0].astype(np.float32)


class _ProgressCallback:
    """Tells sweeps of a learner to a function."""

    def __init__(self, on_progress: OnProgress) -> None:
        self.on_progress, self.done = on_progress, 0

    def setup(self, estimator: Any, context: Any) -> None: ...

    def teardown(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        if context.task_name == "sweeps" and context.parent.parent is not None:
            self.done += 1
            self.on_progress("learning atoms", self.done, estimator.max_iter)
