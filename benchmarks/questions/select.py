"""From typing the command to the report on disk.

scikit-learn's breast cancer table as a CSV file.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar

NO_NESTED = "tamis select --no-nested"


class Objective(objective.Objective):
    title = "tamis select on breast cancer"
    text = (
        "Wall time of `tamis select breast_cancer.csv --target diagnosis --method search --out report.html`, warm, "
        "interpreter start included. Judged: exit code 0 and a report that names every one of the 30 columns "
        "(`unnamed` counts those it does not). The command repeats its choice in five folds and fits gradient "
        "boosting there, for the score in rows never used to choose; the bar is for the choice and the report alone, "
        "`--no-nested`. The other yardstick only starts Python and imports scikit-learn's linear models."
    )
    memory = ""  # it is the child's, which is not weighed
    columns = {"unnamed": "unnamed"}  # noqa: RUF012

    def judge(self, data: TableFile, reference: None, result: str) -> dict[str, float]:
        return {"unnamed": float(sum(name not in result for name in data.columns))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["unnamed"] == 0

    def bars(self, table: Table) -> list[dict[str, Any]]:
        alone = next((row for row in table.rows if row.name == NO_NESTED), None)
        return [bar("seconds with --no-nested", None if alone is None else alone.seconds, "≤", 3)]


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
