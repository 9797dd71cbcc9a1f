"""From typing the command to the report on disk."""

from __future__ import annotations

from typing import Any

from benchmarks import question
from benchmarks.question import Table, bar
from benchmarks.select.datasets import TableFile


class Objective(question.Objective):
    title = "tamis select on breast cancer"
    text = (
        "Wall time of `tamis select breast_cancer.csv --target diagnosis --out report.html`, warm, interpreter start "
        "included. Judged: exit code 0 and a report that names every one of the 30 columns (`unnamed` counts those it "
        "does not). The yardstick only starts Python and imports scikit-learn's linear models."
    )
    memory = ""  # it is the child's, which is not weighed
    columns = {"unnamed": "unnamed"}  # noqa: RUF012

    def judge(self, data: TableFile, reference: None, result: str) -> dict[str, float]:
        return {"unnamed": float(sum(name not in result for name in data.columns))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["unnamed"] == 0

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [bar("seconds", ours.seconds if ours and ours.accepted else None, "≤", 3)]
