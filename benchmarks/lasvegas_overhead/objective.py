"""How much time does the Las Vegas wrapper add to the fits of the learner it wraps?"""

from __future__ import annotations

from typing import Any

from benchmarks import question
from benchmarks.alone import COLUMNS, overhead
from benchmarks.lasvegas_overhead.datasets import Drawn
from benchmarks.question import Table
from benchmarks.wrapper_overhead.objective import Chosen


class Objective(question.Objective):
    title = "The Las Vegas wrapper over the learner's own fits"
    text = (
        "Random subsets by the mean score of a learner over five folds, until so many draws in a row were in vain, one "
        "process with one thread. No maintained package has it. The yardstick knows every subset in advance and only "
        "clones, fits and scores in a double loop over subsets and folds. The learner counts the processor time of its "
        "own fits, predictions and scores, so that what else a run takes is known within that run. Judged: how far the "
        "score of the chosen columns stays below that of a plain loop over the same draws (`loss`), the error of the "
        "told score, and how many evaluations more or fewer than the loop's were told."
    )
    repeats = 10
    columns = {"loss": "loss", "error": "score error", "evaluations": "evaluations off"} | COLUMNS

    def judge(self, data: Drawn, reference: None, result: Chosen) -> dict[str, float]:
        known = {frozenset(columns): score for columns, score in data.asked}
        score = known.get(frozenset(result.columns), float("-inf"))
        return {
            "loss": abs(data.best[1] - score) + (len(result.columns) != len(data.best[0])),
            "error": abs(float(result.score or 0.0) - score),
            "evaluations": float(abs((result.evaluations or 0) - len(data.asked))),
        }

    def accepts(self, judged: dict[str, float]) -> bool:
        return max(judged.values()) <= 1e-12

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [overhead(table)]
