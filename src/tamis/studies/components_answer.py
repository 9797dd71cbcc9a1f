"""The answer to ``tamis components``: columns that can be used, how many components, loadings, scores."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.memory import held_memory
from tamis.components import NMF, PCA, RankChoice, SparsePCA, choose_rank
from tamis.sources import Columns, Encoded, Source, gather
from tamis.sources.base import workers_of
from tamis.studies.clusters import open_table
from tamis.studies.columns import without
from tamis.studies.components import ComponentsQuestion
from tamis.studies.outputs import check_written

MOST = 10  # components that are looked for where no number is asked
DRAWN = 2000  # rows whose scores are on the page


@dataclass(frozen=True)
class ComponentsAnswer:
    """``variances`` are those of all principal directions, ``n_above_noise`` how many of them exceed those of noise."""

    question: ComponentsQuestion
    model: Any
    names: list[str]
    left_out: dict[str, str]
    filled: dict[str, int]
    n_rows: int
    scores: np.ndarray
    labels: list[str] | None
    variances: np.ndarray
    n_above_noise: int
    rank: RankChoice | None
    seconds: float


def check(question: ComponentsQuestion) -> None:
    """Say what cannot be used before anything is read."""
    if question.n is not None:
        check_count("n", question.n)
    if question.n_nonzero is not None:
        if question.method != "sparse":
            raise InputError(f"--n-nonzero is for --method sparse, not {question.method}", argument="n_nonzero")
        check_count("n_nonzero", question.n_nonzero)
    if question.raw and question.method == "nmf":
        raise InputError("--raw is for pca and sparse: nmf takes columns as they are", argument="raw")
    check_written(question, {"out": question.report, "scores": question.scores}, [question.table])


def answer(question: ComponentsQuestion, with_progress: Callable[[Any], Any]) -> ComponentsAnswer:
    began = time.perf_counter()
    whole = open_table(question.table, question.dask)
    labels = None if question.label is None else _labels(whole, question.label)
    source = without(whole, [*question.drop, *([] if question.label is None else [question.label])])
    used, left_out = _numbers(source)
    X = _rows(used, question)
    n, p = used.n_rows or 0, used.n_features
    if n < 2 or p < 2:
        raise InputError(f"{n:,} rows and {p} columns of numbers are left: components need 2 of each at least")
    if question.n is not None and question.n > min(n, p):
        raise InputError(
            f"--n must be at most {min(n, p)}, the lesser of rows and columns; got {question.n}", argument="n"
        )
    whole_spectrum, n_above_noise = _spectrum(X, question)
    rank = choose_rank(X, range(1, min(n, p, MOST) + 1)) if question.method == "nmf" and question.n is None else None
    k = question.n or (rank.rank if rank is not None else min(MOST, max(2, n_above_noise)))
    model = with_progress(_model(question, min(k, p, n)))
    scores = np.asarray(model.fit(used).transform(used))
    seconds = time.perf_counter() - began
    return ComponentsAnswer(
        question, model, list(used.names), left_out, used.filled, n, scores, labels, whole_spectrum, n_above_noise,
        rank, seconds,
    )  # fmt: skip


def _rows(used: Encoded, question: ComponentsQuestion) -> Any:
    """All rows in memory, or, where Dask has them or they do not fit, what gives them again in each pass."""
    fits = 8.0 * (used.n_rows or 0) * used.n_features <= held_memory()
    if question.method == "nmf" and question.n is None:  # which rank predicts held-out entries needs them all
        return gather(used).X
    return gather(used).X if fits and workers_of(used) is None else used


def _model(question: ComponentsQuestion, k: int) -> Any:
    if question.method == "pca":
        return PCA(k, standardize=not question.raw)
    if question.method == "sparse":
        return SparsePCA(k, n_nonzero=question.n_nonzero, standardize=not question.raw)
    return NMF(k)


def _spectrum(X: Any, question: ComponentsQuestion) -> tuple[np.ndarray, int]:
    """All variances, and how many are above those of noise by parallel analysis."""
    standardize = not question.raw
    everything = PCA(None, standardize=standardize).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that there are none is said in words
        count = PCA("auto", standardize=standardize).fit(X).n_components_
    return everything.explained_variance_, count


def _numbers(source: Source) -> tuple[Encoded, dict[str, str]]:
    """Columns of numbers, gaps filled with their means; the others with the reason."""
    schema = source.schema
    labels = {c.name: "labels, not numbers" for c in schema.columns if c.levels is not None or not c.readable}
    numbers = [j for j, c in enumerate(schema.columns) if c.name not in labels]
    if not numbers:
        raise InputError("the table has no column of numbers: components are made of numbers", argument="table")
    used = Encoded(Columns(source, numbers))
    return used, labels | dict(used.left_out)


def _labels(source: Source, name: str) -> list[str]:
    column = source.schema.columns[source.schema.index(name)]
    values = gather(source, [source.names.index(name)]).X[:, 0]
    if column.levels is not None:
        return ["" if np.isnan(v) else str(column.levels[int(v)]) for v in values]
    return ["" if np.isnan(v) else f"{v:g}" for v in values]
