"""The answer of ``tamis dictionary``: atoms, and how well they say rows that they were not learned from."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tamis._core.atoms_image import atoms_image, tile_shape
from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis.base.training_data import require_numbers
from tamis.dictionary import KSVD, atom_coherence, atom_usage
from tamis.dictionary.patches import check_image, sample_patches, without_means
from tamis.sources import as_source, gather
from tamis.sources.excel import split_sheet
from tamis.stats.code_statistics import squared_residuals
from tamis.studies.dictionary import DictionaryQuestion
from tamis.studies.images import check_image_name, read_image, write_image
from tamis.studies.outputs import check_written

TABLES = (".csv", ".tsv", ".txt", ".gz", ".parquet", ".pq", ".xlsx", ".xlsm")
ARGUMENTS = {"n_atoms": "atoms", "max_iter": "sweeps"}  # of the library, as they are asked for here
ZOOM = 3  # pixels of the image for each number of an atom
HELD_OUT = 0.1  # of the rows of a table, or of the patches and of the height of an image, is left out of learning
FLAT = 1e-6  # of white: what is left of a flat patch without its mean is rounding
FEWEST = 20  # rows; of fewer none are held out


@dataclass(frozen=True)
class Rows:
    """What is coded: patches of ``shape``, or rows of a table with columns of these names; which are left out of
    learning, to see what atoms are worth on rows that they do not come from.
    """

    X: np.ndarray
    what: str
    left_out: np.ndarray
    shape: tuple[int, ...] | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class DictionaryAnswer:
    """The fitted K-SVD, how many rows use each atom, and the shares of squares that codes of them keep."""

    question: DictionaryQuestion
    model: KSVD
    rows: Rows
    usage: np.ndarray  # of the rows it was learned from
    explained: float  # the same, while learning
    held_out: int
    explained_held_out: float | None
    coherence: float
    seconds: float

    @property
    def order(self) -> np.ndarray:
        """Atoms, the most used first."""
        return np.argsort(-self.usage, kind="stable")

    def atoms_image(self) -> np.ndarray:
        D = self.model.components_[self.order]
        return atoms_image(D, tile_shape(D.shape[1], self.rows.shape), zoom=ZOOM)


def check(question: DictionaryQuestion) -> None:
    check_image_name(question.out, "out")
    check_written(question, question.outputs, [], question.files)
    check_count("patches", question.patches)


def answer(
    question: DictionaryQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator
) -> DictionaryAnswer:
    rows = _rows(question)
    begun = time.perf_counter()
    kept, held_out = rows.X[~rows.left_out], rows.X[rows.left_out]
    learner = with_progress(KSVD(question.atoms, question.n_nonzero, max_iter=question.sweeps, random_state=0))
    try:
        learner.fit(kept)
    except InputError as error:
        raise InputError(str(error), argument=ARGUMENTS.get(error.argument or "", error.argument)) from None
    Z = learner.transform(kept)
    found = DictionaryAnswer(
        question, learner, rows, atom_usage(Z), _explained(learner, kept, Z), len(held_out),
        _explained(learner, held_out, learner.transform(held_out)) if len(held_out) else None,
        atom_coherence(learner.components_), time.perf_counter() - begun,
    )  # fmt: skip
    _write(question, found)
    return found


def _write(question: DictionaryQuestion, found: DictionaryAnswer) -> None:
    write_image(question.out, found.atoms_image())
    found.model.save(question.outputs["model"])


def _explained(learner: KSVD, X: np.ndarray, Z: csr_array) -> float:
    """1 − Σ‖x − zD‖²/Σ‖x‖², over what is observed."""
    squares = float(np.nansum(np.square(X, dtype=np.float64)))
    left = float(squared_residuals(X, Z, learner.components_).sum())
    return 1.0 - left / squares if squares > 0 else 1.0


def _rows(question: DictionaryQuestion) -> Rows:
    tables = [file for file in question.files if split_sheet(file)[0].suffix.lower() in TABLES or file.is_dir()]
    if tables and len(question.files) > 1:
        raise InputError(f"give one table or images, not {str(tables[0])!r} among others", argument="files")
    if not tables:
        return _patches(question)
    unused = [name for name in ("patch", "patches", "colour") if question.asks(name)]
    if unused:
        raise InputError(f"{unused[0]} is about images, and {str(tables[0])!r} is a table", argument=unused[0])
    return _table(tables[0])


def _table(path: Path) -> Rows:
    source = as_source(path)
    require_numbers(source, "tamis dictionary")
    X = np.asarray(gather(source).X)
    left_out = np.zeros(len(X), bool)
    if len(X) >= FEWEST:
        left_out[np.random.default_rng(0).permutation(len(X))[: int(HELD_OUT * len(X))]] = True
    return Rows(X, "rows", left_out, names=tuple(map(str, source.names)))


def _patches(question: DictionaryQuestion) -> Rows:
    """Patches of the images, as many of each, without the means of their channels."""
    rng, each = np.random.default_rng(0), -(-question.patches // len(question.files))
    channels, rows, left_out = 3 if question.colour else 1, [], []
    for file in question.files:
        image = check_image(read_image(file, argument="files", grey=not question.colour), question.patch)
        if question.colour and image.ndim == 2:
            image = np.repeat(image[..., None], 3, axis=2)
        for part, n, apart in _split(image, question.patch, each, rng):
            rows.append(sample_patches(part, question.patch, n, rng))
            left_out.append(np.full(len(rows[-1]), apart))
    X = without_means(np.concatenate(rows), channels)[0]
    X[np.abs(X).max(axis=1) < FLAT] = 0.0
    size = (question.patch, question.patch)
    return Rows(X, f"patches of {size[0]} × {size[1]}", np.concatenate(left_out), (*size, channels))


def _split(image: np.ndarray, patch: int, n: int, rng: np.random.Generator) -> list[tuple[np.ndarray, int, bool]]:
    """Parts of the image, how many patches are drawn from each, and whether they are left out of learning: a band of
    rows is, so that these patches share no pixel with the others.
    """
    height, n_apart = len(image), int(HELD_OUT * n)
    band = max(patch, round(HELD_OUT * height))
    if n_apart == 0 or height < band + 2 * patch:
        return [(image, n, False)]
    first = int(rng.integers(height - band + 1))
    others = [part for part in (image[:first], image[first + band :]) if len(part) >= patch]
    positions = np.array([len(part) - patch + 1 for part in others])
    drawn = np.diff(np.rint((n - n_apart) * np.append(0, np.cumsum(positions)) / positions.sum())).astype(int)
    return [
        (image[first : first + band], n_apart, True),
        *((part, int(count), False) for part, count in zip(others, drawn, strict=True) if count > 0),
    ]
