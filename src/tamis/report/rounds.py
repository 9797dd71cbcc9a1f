"""The history of a search as rows to read and points to draw."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tamis._core.series import SearchPoints, search_points
from tamis.studies.select_answer import SelectAnswer

MOST_ROUNDS = 100  # rows of the table; the first and the last of more
NAMED = 6  # columns of a subset that are named before "and 5 more"
MOST_DOTS = 1_500  # subsets that are drawn; of more, some of every size from the worst to the best


def describe_search(answer: SelectAnswer) -> dict[str, Any]:
    """What the report and ``--json`` say about the search."""
    chosen, question, means = answer.chosen, answer.question, answer.chosen.meaning
    history, selector = chosen.history, chosen.selector
    scores, size = history["score"], chosen.sizes()
    return {
        "name": chosen.plan.name,
        "who": chosen.plan.who,
        "way": chosen.plan.way,
        "evaluation": means.name,
        "unit": means.unit,
        "axis": means.axis,
        "meaning": means.is_,
        "about": chosen.about,
        "selected": list(chosen.columns),
        "judged": None if chosen.plan.judged is None else chosen.plan.judged.name,
        "score": chosen.score,
        "ceiling": answer.information.entropy if means.most == "target" else means.most,
        "share": chosen.share(answer.information),
        "status": getattr(selector, "status_", "finished"),
        "evaluations": len(history),
        "failed": int(np.isnan(scores).sum()),
        "recalled": int(getattr(selector, "n_recalled_", 0)),
        "keep": list(question.keep),
        "groups": chosen.groups,
        "bins": means.counts and answer.task == "regression",
        "combinations": answer.information.combinations if means.cells else None,
        **_rounds(history, scores, size),
        "drawn": _drawn(search_points(history, size)),
    }


def _rounds(history: Any, scores: np.ndarray, size: np.ndarray) -> dict[str, Any]:
    """One row for each subset that was kept, round by round, the best of a round first."""
    table = {key: history[key] for key in ("round", "parent", "spread", "reason", "kept")}
    table |= {"size": size, "score": scores}
    kept = np.flatnonzero(table["kept"])
    kept = kept[np.lexsort((-scores[kept], table["round"][kept]))]
    shown_rows = kept if len(kept) <= MOST_ROUNDS else np.r_[kept[: MOST_ROUNDS // 2], kept[-(MOST_ROUNDS // 2) :]]
    left = np.where(table["kept"] | np.isnan(scores), -np.inf, scores)
    alike = {n: _alike(np.flatnonzero(size == n), left) for n in np.unique(size[shown_rows]).tolist()}
    follows = history.follows(shown_rows)
    rows = [_row(history, table, i, f, *alike[int(size[i])]) for i, f in zip(shown_rows.tolist(), follows, strict=True)]
    return {"rounds": rows, "hidden": len(kept) - len(shown_rows)}


def _row(
    history: Any, table: dict[str, np.ndarray], i: int, follows: bool, compared: int, second: int | None
) -> dict[str, Any]:
    """A kept subset: as a step from the one before where it is one, and so the best of its size that was not kept."""
    beside = second is not None and follows and table["parent"][second] == table["parent"][i]
    return {
        "round": int(table["round"][i]),
        "change": history.step(i) if follows else whole(history, i),
        "size": int(table["size"][i]),
        "score": _number(table["score"][i]),
        "spread": _number(table["spread"][i]),
        "compared": compared,
        "next_change": None if second is None else history.step(second) if beside else whole(history, second),
        "next_score": None if second is None else _number(table["score"][second]),
        "reason": str(table["reason"][i]),
    }


def whole(history: Any, row: int) -> str:
    """A subset by its columns, or by those it is without."""
    names = [str(name) for name in history.subset(row)]
    missing = [str(name) for name in history.names if str(name) not in names]
    if len(missing) <= NAMED < len(names):
        return f"all but {', '.join(missing)}" if missing else "all columns"
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more or "no column"


def _alike(rows: np.ndarray, left: np.ndarray) -> tuple[int, int | None]:
    """How many subsets of a size there are, and the best of those that were not kept."""
    best = int(rows[np.argmax(left[rows])])
    return len(rows), best if np.isfinite(left[best]) else None


def _drawn(points: SearchPoints) -> dict[str, Any]:
    """Size and score of the subsets, and of the best that was kept of each size."""

    def as_records(rows: np.ndarray) -> list[dict[str, Any]]:
        return [{"size": int(points.size[i]), "score": float(points.score[i])} for i in rows]

    return {"dots": as_records(points.sample(MOST_DOTS)), "line": as_records(points.best)}


def _number(value: float) -> float | None:
    """None for what JSON cannot say."""
    return float(value) if math.isfinite(value) else None
