"""Saved models: a skops file with the estimator, how to encode tables for it, and the summary of it.

skops rebuilds objects only of types it trusts, so that a file from elsewhere cannot run code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.base.saved import read_saved, write_saved
from tamis.sources import as_source
from tamis.sources.codebook import Codebook
from tamis.studies.fit_answer import FitAnswer
from tamis.studies.saved_content import Unexpected, check_content

FORMAT = 3


@dataclass(frozen=True)
class TableModel:
    """A model that predicts for tables as they come: names, labels and gaps included."""

    model: Any
    codebook: Codebook
    summary: dict[str, Any]

    def predict(self, path: Path) -> tuple[dict[str, list[Any]], list[str]]:
        """Columns by name, a prediction and the probability of each class; and notes about the table."""
        rows = self.codebook.apply(as_source(path))
        with np.errstate(over="ignore", invalid="ignore"):  # a note says so
            predicted = self._predicted(rows)
        known = np.isfinite(predicted).reshape(len(predicted), -1).all(axis=1)
        lost = int((~known).sum())
        why = f"the prediction is too large for a number in {lost:,} of {len(known):,} rows: it is left empty there"
        return dict(self._columns(predicted, known)), rows.notes + ([why] if lost else [])

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
