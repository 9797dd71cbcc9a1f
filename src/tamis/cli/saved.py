"""Saved models: a skops file with the estimator, how to encode tables for it, and what was told about it.

skops rebuilds objects only of types it is told to trust, so that a file from a stranger cannot run code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis._core.files import write_file
from tamis._core.optional import need
from tamis.cli.fitting import Fitted
from tamis.sources import as_source
from tamis.sources.codebook import Codebook

FORMAT = 2
TRUSTED = [
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "tamis.linear.classifier.SparseClassifierCV",
    "tamis.linear.regressor.SparseRegressorCV",
    "tamis.penalties.grouped.Group",
    "tamis.penalties.grouped.SparseGroup",
    "tamis.penalties.plain.L1",
    "tamis.penalties.plain.L1L2",
    "tamis.penalties.terms.Terms",
    "tamis._core.evidence.Diagnostics",
    "tamis.solvers.certificates.DualityGap",
]


@dataclass(frozen=True)
class TableModel:
    """A model that predicts for tables as they come: names, labels and gaps included."""

    model: Any
    codebook: Codebook
    told: dict[str, Any]

    def predict(self, path: Path) -> tuple[dict[str, list[Any]], list[str]]:
        """Columns by name, a prediction and the probability of each class; and notes about the table."""
        rows = self.codebook.apply(as_source(path))
        return dict(self._columns(rows)), rows.notes

    def _columns(self, rows: Any) -> Iterator[tuple[str, list[Any]]]:
        if self.told["classes"] is None:
            yield "prediction", self.model.predict(rows).tolist()
            return
        probabilities = self.model.predict_proba(rows)
        labels = self.told["classes"]
        yield "prediction", [labels[k] for k in probabilities.argmax(axis=1)]
        for k, label in enumerate(labels):
            yield f"P({label})", probabilities[:, k].tolist()


def save(path: Path, fitted: Fitted, told: dict[str, Any]) -> None:
    skops = need("skops.io", extra="app", purpose="saving a model")
    held = {"format": FORMAT, "model": fitted.model, "codebook": fitted.codebook.plain, "told": told}
    write_file(path, skops.dumps(held))


def load(path: Path) -> TableModel:
    skops = need("skops.io", extra="app", purpose="opening a saved model")
    if not path.is_file():
        raise InputError(f"there is no file {path}: --model takes a model saved by tamis fit --out")
    data = path.read_bytes()
    try:
        strange = [name for name in skops.get_untrusted_types(data=data) if name not in TRUSTED]
        held = None if strange else skops.loads(data, trusted=TRUSTED)
    except Exception as error:
        raise InputError(f"{path} is not a model saved by tamis fit ({type(error).__name__})") from None
    if strange:
        raise InputError(f"{path} holds objects that tamis fit does not save ({shorten(strange)}): it is not opened")
    if not (isinstance(held, dict) and held.get("format") == FORMAT):
        raise InputError(f"{path} is not a model saved by this version of tamis fit")
    return TableModel(held["model"], Codebook(held["codebook"]), held["told"])
