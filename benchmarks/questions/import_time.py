"""What does importing the library cost beyond NumPy?

There is no data: only NumPy, imported before the clock starts.
"""

from __future__ import annotations

from typing import Any

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar


class Objective(objective.Objective):
    title = "Import beyond NumPy"
    text = "Time of `import LIBRARY` in a fresh interpreter that has already imported NumPy, with a warm file cache."
    repeats = 7
    fresh_process = True
    memory = "peak MB of the process"

    def judge(self, data: None, reference: None, result: bool) -> dict[str, float]:
        return {"missing": float(not result)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["missing"] == 0

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        milliseconds = None if ours is None or ours.seconds is None or not ours.accepted else 1000 * ours.seconds
        return [bar("milliseconds", milliseconds, "≤", 60)]


def datasets(quick: bool) -> list[Dataset]:
    return [Dataset("after import numpy", lambda: None)]
