"""What does importing the library cost beyond NumPy?"""

from __future__ import annotations

from typing import Any

from benchmarks import question
from benchmarks.question import Table, bar


class Objective(question.Objective):
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
