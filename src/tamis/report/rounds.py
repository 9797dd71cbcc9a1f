"""The history of a search as rows to read and points to draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.report.study import Study
from tamis.selection.meaning import spoken

MOST_ROUNDS = 100  # rows of the table; the first and the last of more
MOST_DOTS = 1_500  # subsets that are drawn; of more, some of every size from the worst to the best
NAMED = 6  # columns of a subset before "and 5 more"


def describe_search(study: Study) -> dict[str, Any]:
    """What the report and ``--json`` say about the search."""
    selector, question, means = study.searched.selector, study.question, study.searched.meaning
    history = selector.history_
    scores = history["score"]
    return {
        "name": spoken(question.search),
        "evaluation": means.name,
        "unit": means.unit,
        "axis": means.axis,
        "meaning": means.is_,
        "about": study.searched.about,
        "selected": list(study.searched.chosen),
        "score": float(selector.score_),
        "ceiling": study.known.entropy if means.most == "target" else means.most,
        "share": float(selector.score_) / study.known.entropy if means.most == "target" else None,
        "status": selector.status_,
        "evaluations": len(history),
        "failed": int(np.isnan(scores).sum()),
        "recalled": int(selector.n_recalled_),
        "keep": list(question.keep),
        "groups": study.searched.groups,
        "combinations": study.known.combinations if means.counts else None,
        **_rounds(history, scores),
        "drawn": _drawn(history, scores),
    }


def _rounds(history: Any, scores: np.ndarray) -> dict[str, Any]:
    """One row for each subset that was kept, in the order in which they were found."""
    table = {key: history[key] for key in ("round", "parent", "size", "spread", "kept", "reason")} | {"score": scores}
    kept = np.flatnonzero(table["kept"])
    told = kept if len(kept) <= MOST_ROUNDS else np.r_[kept[: MOST_ROUNDS // 2], kept[-(MOST_ROUNDS // 2) :]]
    return {"rounds": [_row(history, table, int(i)) for i in told], "hidden": len(kept) - len(told)}


def _row(history: Any, table: dict[str, np.ndarray], i: int) -> dict[str, Any]:
    """A kept subset, how many it was compared with, and the best of those that were not kept."""
    first, end = np.searchsorted(table["round"], (table["round"][i], table["round"][i] + 1))
    left = np.where(table["kept"][first:end] | np.isnan(table["score"][first:end]), -np.inf, table["score"][first:end])
    second = int(first + np.argmax(left)) if np.isfinite(left).any() else None
    return {
        "round": int(table["round"][i]),
        "change": said(history, i, table["parent"]),
        "size": int(table["size"][i]),
        "score": _number(table["score"][i]),
        "spread": _number(table["spread"][i]),
        "compared": int(end - first),
        "next_change": None if second is None else said(history, second, table["parent"]),
        "next_score": None if second is None else _number(table["score"][second]),
        "reason": str(table["reason"][i]),
    }


def said(history: Any, row: int, parents: np.ndarray) -> str:
    """``+ a`` or ``− b`` for a step from a subset that was kept, else the whole subset."""
    (added, removed), subset = history.change(row), history.subset(row)
    from_kept = parents[row] >= 0 or len(subset) == 1
    if from_kept and len(added) + len(removed) <= 2:
        return " ".join([*(f"+ {name}" for name in added), *(f"− {name}" for name in removed)])
    return listed(subset)


def listed(names: Sequence[Any]) -> str:
    said = ", ".join(str(name) for name in names[:NAMED])
    return said + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "") or "no column"


def _drawn(history: Any, scores: np.ndarray) -> dict[str, Any]:
    """Size and score of the subsets, and of the best that was kept of each size."""
    size = history["size"]
    seen = np.flatnonzero(np.isfinite(scores))
    order = seen[np.lexsort((scores[seen], size[seen]))]
    if len(order) > MOST_DOTS:
        order = order[np.linspace(0, len(order) - 1, MOST_DOTS).round().astype(int)]
    line = [{"size": int(size[i]), "score": float(scores[i])} for i in history.outline()]
    return {"dots": [{"size": int(size[i]), "score": float(scores[i])} for i in order], "line": line}


def _number(value: float) -> float | None:
    """None for what JSON cannot say."""
    return float(value) if math.isfinite(value) else None
