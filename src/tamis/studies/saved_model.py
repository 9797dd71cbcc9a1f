"""Saved models: a skops file with the estimator, how to encode tables for it, and the summary of it.

skops rebuilds objects only of types it trusts, so that a file from elsewhere cannot run code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.base.saved import read_saved, write_saved
from tamis.sources import as_source
from tamis.sources.codebook import Codebook
from tamis.studies.columns import check_ids_of
from tamis.studies.fit_answer import FitAnswer
from tamis.studies.saved_content import Unexpected, check_content

FORMAT = 3


@dataclass(frozen=True)
class TableModel:
    """A model that predicts for tables as they come: names, labels and gaps included."""

    model: Any
    codebook: Codebook
    summary: dict[str, Any]

    def predict(self, path: Path, ids: Sequence[str] = ()) -> tuple[dict[str, list[Any]], list[str]]:
        """Columns by name, those that name rows, a prediction and the probability of each class; and notes about the
        table. ``ids``: columns that name rows (none: those that the model was fitted with, as far as they are there).
        """
        source: Any = as_source(path)
        check_ids_of(ids, source.names)
        rows = self.codebook.apply(source, self._needed)
        known_ids = self.summary["question"].get("id", [])  # models saved by earlier versions have none
        lacking = [] if ids else [name for name in known_ids if name not in source.names]
        carried = list(ids) or [name for name in known_ids if name in source.names]
        with np.errstate(over="ignore", invalid="ignore"):  # a note says so
            predicted = self._predicted(rows)
        known = np.isfinite(predicted).reshape(len(predicted), -1).all(axis=1)
        lost = int((~known).sum())
        notes = rows.notes.copy()
        if lacking:
            notes.append(f"the table has no column{'s' * (len(lacking) > 1)} {shorten(lacking)} to name its rows by")
        if lost:
            notes.append(
                f"the prediction is too large for a number in {lost:,} of {len(known):,} rows: it is left empty there"
            )
        columns = dict(self._columns(predicted, known))
        for name in carried:
            if name in columns:
                raise InputError(f"--id {name!r} has the name of a column of predictions: rename it", argument="id")
        return _cells(source.table, carried) | columns, notes

    @property
    def _needed(self) -> set[str]:
        """The columns of the table that the model uses."""
        used = np.any(np.atleast_2d(self.model.coef_) != 0, axis=0)
        origin = [entry.name for entry in self.codebook.entries for _ in entry.names]
        return {name for name, there in zip(origin, used.tolist(), strict=True) if there}

    def _predicted(self, rows: Any) -> np.ndarray:
        """Numbers, probabilities of the classes, or where there are none the margin of the second class."""
        if self._labels is None:
            return self.model.predict(rows)
        return self.model.predict_proba(rows) if self._has_probabilities else self.model.decision_function(rows)

    @property
    def _has_probabilities(self) -> bool:
        return hasattr(self.model, "predict_proba")

    @property
    def _labels(self) -> list[str] | None:
        return self.summary["classes"]

    def _columns(self, predicted: np.ndarray, known: np.ndarray) -> Iterator[tuple[str, list[Any]]]:
        """None where a prediction is not known."""

        def where_known(values: Sequence[Any]) -> list[Any]:
            return [value if there else None for value, there in zip(values, known.tolist(), strict=True)]

        if self._labels is None:
            yield "prediction", where_known(predicted.tolist())
            return
        if not self._has_probabilities:
            yield "prediction", where_known([self._labels[k] for k in (predicted > 0).astype(int)])
            yield f"margin of {self._labels[1]}", where_known(predicted.tolist())
            return
        yield "prediction", where_known([self._labels[k] for k in predicted.argmax(axis=1)])
        for k, label in enumerate(self._labels):
            yield f"P({label})", where_known(predicted[:, k].tolist())


def _cells(table: Any, names: Sequence[str]) -> dict[str, list[Any]]:
    """Columns of a file as they are written: 007 is not 7. What JSON does not know (dates) is text."""
    found: dict[str, list[Any]] = {name: [] for name in names}
    if not names:
        return found
    for _, chunk in table.cells([table.names.index(name) for name in names]):
        for name, values in zip(names, chunk, strict=True):
            found[name] += [v if v is None or isinstance(v, (str, int, float, bool)) else str(v) for v in values]
    return found


def save(path: Path, answer: FitAnswer, summary: dict[str, Any]) -> None:
    content = {"format": FORMAT, "model": answer.model, "codebook": answer.codebook.plain, "summary": summary}
    write_saved(path, content)


def load(path: Path) -> TableModel:
    content = read_saved(path, argument="model")
    if not (isinstance(content, dict) and isinstance(content.get("format"), int) and content["format"] == FORMAT):
        raise InputError(f"{path} is not a model saved by this version of tamis fit", argument="model")
    try:
        check_content(content)
    except Unexpected as what:
        raise InputError(f"{path} is damaged: {what}; fit the model again", argument="model") from None
    return TableModel(content["model"], Codebook(content["codebook"]), content["summary"])
