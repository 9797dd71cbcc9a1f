"""``tamis dictionary``: atoms that images or the rows of a table are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tamis.studies.question import Question, file_to_write, option

if TYPE_CHECKING:
    import numpy as np

TABLES = (".csv", ".tsv", ".txt", ".gz", ".parquet", ".pq")
ZOOM = 3  # pixels of the mosaic for each number of an atom


@dataclass(frozen=True, kw_only=True)
class DictionaryQuestion(Question):
    """The options of ``tamis dictionary``."""

    verb: ClassVar[str] = "dictionary"

    files: list[Path] = option("Images, whose patches are coded, or one table, whose rows are.", positional=True)
    atoms: int = option("How many atoms are learned.", default=256, metavar="K")
    n_nonzero: int = option("Most atoms of a patch or row.", default=5, metavar="N")
    patch: int = option("Patches of images are so many pixels high and wide.", default=8, metavar="PIXELS")
    patches: int = option("How many patches are drawn, in all images together.", default=20_000, metavar="N")
    sweeps: int = option("Sweeps of K-SVD.", default=20, metavar="N")
    out: Path = option(
        "Where the atoms go, as an image of them side by side.",
        default=Path("atoms.png"),
        flags=("--out", "-o"),
        parse=file_to_write,
        metavar="FILE",
    )
    model: Path | None = option(
        "Where the learned model goes, for skops to load.", default=None, parse=file_to_write, metavar="FILE"
    )
    json: bool = option("Print one JSON document instead of words.", default=False, printing=True)


@dataclass(frozen=True)
class DictionaryAnswer:
    """The fitted K-SVD, and what it was fitted on."""

    model: Any
    n_rows: int
    what: str  # patches of 8 × 8, or rows
    seconds: float

    @property
    def explained(self) -> float:
        """The share of the squares that codes of the last sweep say, while learning."""
        return self.model.explained_

    def mosaic(self) -> np.ndarray:
        from tamis._core.mosaic import mosaic

        return mosaic(self.model.components_, zoom=ZOOM)


def dictionary(
    question: DictionaryQuestion, with_progress: Callable[[Any], Any] = lambda estimator: estimator
) -> DictionaryAnswer:
    """Learn atoms and write them; what cannot be used is said before anything is read."""
    import time

    import numpy as np

    from tamis._core.errors import InputError
    from tamis._core.files import write_file
    from tamis._core.optional import need
    from tamis.dictionary import KSVD
    from tamis.studies.images import check_image_name, write_image
    from tamis.studies.outputs import check_written

    check_image_name(question.out, "out")
    check_written(question, {"out": question.out, "model": question.model}, [], question.files)
    begun = time.perf_counter()
    X, what = _rows(question)
    learner = with_progress(KSVD(question.atoms, question.n_nonzero, max_iter=question.sweeps, random_state=0))
    try:
        learner.fit(X)
    except InputError as error:
        named = {"n_atoms": "atoms", "max_iter": "sweeps"}.get(error.argument or "", error.argument)
        raise InputError(str(error), argument=named) from None
    squares = float(np.square(X, dtype=np.float64).sum() / len(X))
    learner.explained_ = 1.0 - 2 * float(learner.objective_trace_[-1]) / squares if squares > 0 else 1.0
    answer = DictionaryAnswer(learner, len(X), what, time.perf_counter() - begun)
    write_image(question.out, answer.mosaic())
    if question.model is not None:
        write_file(question.model, need("skops.io", extra="app", purpose="saving a model").dumps(learner))
    return answer


def _rows(question: DictionaryQuestion) -> tuple[np.ndarray, str]:
    from tamis._core.errors import InputError

    tables = [file for file in question.files if file.suffix.lower() in TABLES or file.is_dir()]
    if tables and len(question.files) > 1:
        raise InputError(f"give one table or images, not {str(tables[0])!r} among others", argument="files")
    return _table(tables[0]) if tables else _patches(question)


def _table(path: Path) -> tuple[np.ndarray, str]:
    from tamis.base.training_data import require_numbers
    from tamis.sources import as_source, gather

    source = as_source(path)
    require_numbers(source, "tamis dictionary")
    return gather(source).X, "rows"


def _patches(question: DictionaryQuestion) -> tuple[np.ndarray, str]:
    """Patches of the images, grey, as many of each, without their means."""
    import numpy as np

    from tamis.dictionary.patches import check_image, sample_patches
    from tamis.studies.images import read_image

    rng, each = np.random.default_rng(0), -(-question.patches // len(question.files))
    rows = []
    for file in question.files:
        image = check_image(read_image(file, argument="files", grey=True), question.patch)
        rows.append(sample_patches(image, question.patch, each, rng))
    X = np.concatenate(rows)
    return X - X.mean(axis=1, keepdims=True), f"patches of {question.patch} × {question.patch}"
