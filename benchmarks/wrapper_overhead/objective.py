"""How much time does a wrapper add to the fits of the learner it wraps?"""

from __future__ import annotations

from typing import Any, NamedTuple

from benchmarks import question
from benchmarks.alone import COLUMNS, overhead
from benchmarks.greedy import is_choice
from benchmarks.question import Table
from benchmarks.wrapper_overhead.datasets import Wrapped


class Chosen(NamedTuple):
    """Columns, and where it is told the score they were given and how many subsets were evaluated."""

    columns: list[int]
    score: float | None = None
    evaluations: int | None = None


class Objective(question.Objective):
    title = "A wrapper over the learner's own fits"
    text = (
        "Forward selection by the mean score of a learner over five folds (accuracy over stratified folds for classes, "
        "R² for numbers), one process with one thread for everybody. The yardstick knows every subset in advance and "
        "only clones, fits and scores in a double loop over subsets and folds. The learner counts the processor time "
        "of its own fits, predictions and scores, so that what else a run takes is known within that run. Judged: how "
        "far the score of the chosen columns stays below that of the columns which a plain greedy loop chooses "
        "(`loss`), the error of the told score, and how many evaluations more or fewer than the loop's were told. "
        "Ours: `CrossValidated(learner, cv)`; scikit-learn's and mlxtend's `SequentialFeatureSelector`; ITMO-FS's "
        "`SequentialForwardSelection`."
    )
    repeats = 10
    columns = {"loss": "loss", "error": "score error", "evaluations": "evaluations off"} | COLUMNS

    def judge(self, data: Wrapped, reference: None, result: Chosen) -> dict[str, float]:
        columns = [int(j) for j in result.columns]
        if not is_choice(columns, data.k, data.X.shape[1]):
            return {"loss": float("inf")}
        known = {frozenset(each): score for each, score in data.asked}
        score = known.get(frozenset(columns)) or data.score(columns)
        found = {"loss": data.best[1] - score}
        if result.score is not None:
            found["error"] = abs(float(result.score) - score)
        if result.evaluations is not None:
            found["evaluations"] = float(abs(result.evaluations - len(data.asked)))
        return found

    def accepts(self, judged: dict[str, float]) -> bool:
        return max(judged.values()) <= 1e-12

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [overhead(table)]
