"""scikit-learn's breast cancer table as a CSV file."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.question import Dataset


@dataclass
class TableFile:
    folder: tempfile.TemporaryDirectory
    target: str
    columns: list[str]

    @property
    def table(self) -> Path:
        return Path(self.folder.name, "breast_cancer.csv")

    @property
    def report(self) -> Path:
        return Path(self.folder.name, "report.html")

    def close(self) -> None:
        self.folder.cleanup()


def datasets(quick: bool) -> list[Dataset]:
    return [Dataset("breast cancer, 569 × 30", breast_cancer)]


def breast_cancer() -> TableFile:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    columns = [*map(str, data.feature_names), "diagnosis"]
    made = TableFile(tempfile.TemporaryDirectory(), "diagnosis", columns[:-1])
    rows = ([*map(repr, map(float, x)), str(data.target_names[k])] for x, k in zip(data.data, data.target, strict=True))
    made.table.write_text("\n".join(map(",".join, [columns, *rows])) + "\n")
    return made
