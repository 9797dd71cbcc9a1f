"""Answer of ``tamis compare``, or of ``tamis select`` without a method → plain dictionary, and the page of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tamis.report import compare_words, words
from tamis.report.charts import PALETTE
from tamis.report.provenance import made
from tamis.report.small_charts import small_distribution
from tamis.studies.compare_answer import CompareAnswer
from tamis.studies.distributions import MOST_CLASSES, shown_classes

MOST_ROWS = 300  # of a page's ranking, besides the chosen columns: with more it is slow on a phone
DRAWN_ONLY = ("words", "tiles", "selected_python")


def summarise_comparison(answer: CompareAnswer) -> dict[str, Any]:
    """All that is printed, dumped as JSON and drawn."""
    found = answer.comparison
    summary: dict[str, Any] = {
        "selected": answer.chosen,
        "question": _question(answer),
        "data": _data(answer),
        "recommended": _recommended(found),
        "scoring": found.scoring_,
        "stability": estimate(found.stability_),
        "columns": _columns(answer),
        "methods": _methods(found),
        "curves": [_curve(found, name, in_words) for name, in_words in found.methods_.items()],
        "baselines": {which: number(found.baseline(which)[0]) for which in ("none", "all")},
        "table": _rows(found.table_),
        "pvalue": found.pvalue_,
        "status": found.status_,
        "unfinished": list(found.unfinished_),
        "failures": [{"what": what, "split": j, "why": why} for what, j, why in found.failures_],
        "counts": {"splits": found.n_splits_, "resamples": found.n_resamples_, "half_samples": found.n_half_samples_},
        "made": made(seconds=answer.seconds),
    }
    return summary | compare_words.say(summary, answer)


def document(summary: dict[str, Any]) -> dict[str, Any]:
    """The JSON document: the summary without what is only drawn."""
    first = {"tamis": summary["made"]["versions"]["tamis"], "answer": summary["answer"]}
    columns = [{k: v for k, v in c.items() if k != "spread"} for c in summary["columns"]]
    data = {k: v for k, v in summary["data"].items() if not k.endswith("_in_words")}
    return first | {k: v for k, v in summary.items() if k not in DRAWN_ONLY} | {"data": data, "columns": columns}


def _question(answer: CompareAnswer) -> dict[str, Any]:
    q = answer.question
    return {
        "verb": q.verb, "table": q.table_title, "table_name": q.table_name, "target": q.target, "task": answer.task,
        "task_why": "as asked" if q.task != "auto" else words.task_reason(answer),
        "n_features": q.n_features, "keep": list(q.keep), "include": list(q.include), "drop": list(q.drop),
        "feature_groups": list(q.feature_groups), "groups": q.groups, "time_order": q.time_order,
        "time_limit": q.time_limit, "resume": None if q.checkpoint is None else str(q.checkpoint),
        "command": q.command,
    }  # fmt: skip


def _data(answer: CompareAnswer) -> dict[str, Any]:
    columns = answer.source.schema.columns
    n = answer.source.n_rows
    rows = n if n is not None else sum(count for *_, count in answer.classes)
    return {
        "rows": rows,
        "columns": answer.usable.n_features,
        "kinds": dict(Counter(str(c.kind) for c in columns)),
        "missing": {c.name: c.missing for c in columns if c.missing},
        "classes": [{"label": label, "rows": count} for _, label, count in answer.classes],
        "entropy": answer.entropy,
        "left_out": [{"column": name, "reason": why} for name, why in answer.left_out.items()],
        "warnings": [*answer.notes, *answer.comparison.notes_, *compare_words.cautions(answer, rows)],
    }


def _recommended(found: Any) -> dict[str, Any]:
    r = found.recommended_
    return {
        "features": [str(name) for name in r.features], "method": r.method, "size": r.size, "learner": r.learner,
        "score": number(r.score), "interval": [number(v) for v in r.interval],
        "against_none": estimate(r.against_none), "against_all": estimate(r.against_all),
        "better_than_none": bool(r.better_than_none), "score_while_choosing": number(r.score_while_choosing),
        "all_columns": estimate(r.all_columns), "all_better_than_none": bool(r.all_against_none.low > 0),
        "reason": r.reason, "chosen_by": found.chosen_by,
    }  # fmt: skip


def _columns(answer: CompareAnswer) -> list[dict[str, Any]]:
    """One row per usable column, by falling information gain; ties keep the table's order."""
    found = answer.comparison
    floor = found.noise_floor_
    often = {str(row["column"]): row for row in _rows(found.columns_)}
    swaps = {str(name): [str(one.column) for one in ones] for name, ones in found.interchangeable_.items()}
    place = {name: i for i, name in enumerate(answer.chosen, 1)}
    labels = [label for _, label, _ in shown_classes(answer.classes)] or [""]
    rows = []
    for rank, j in enumerate(np.argsort(-answer.gains, kind="stable"), 1):
        column = answer.usable.schema.columns[j]
        held = often.get(column.name, {"frequency": None, "folds": ""})
        rows.append(
            {
                "rank": rank, "column": column.name, "kind": str(column.kind), "missing": column.missing,
                "chosen": place.get(column.name), "frequency": held["frequency"], "folds": held["folds"],
                "gain": float(answer.gains[j]),
                "gain_share": _share(float(answer.gains[j]), answer.entropy),
                "noise": None if floor is None else max(0.0, float(floor.floor[j])),
                "p": None if floor is None else float(floor.pvalues[j]),
                "effect": _effect(answer.effects.get(column.name)), "instead": swaps.get(column.name, []),
                "spread": _spread(answer.spread.get(column.name), labels),
            }
        )  # fmt: skip
    return rows


def _spread(found: Any, labels: list[str]) -> dict[str, Any] | None:
    return None if found is None else small_distribution(found, labels)


def _share(gain: float, entropy: float) -> float:
    return float(f"{max(0.0, min(1.0, gain / entropy)) if entropy > 0 else 0.0:.4g}")


def _effect(effect: Any) -> dict[str, Any] | None:
    return None if effect is None else {"value": effect.value, "level": effect.level, "class": effect.about}


def _methods(found: Any) -> list[dict[str, Any]]:
    """Each method at its best size, and at the recommended one; the best first."""
    rows = []
    for name, in_words in found.methods_.items():
        curve = found.curve(name)
        own = [i for i, size in enumerate(curve.sizes) if 0 < size < found.n_columns]
        if not own:
            continue
        top = max(own, key=lambda i: curve.scores[i])
        here = next((i for i in own if curve.sizes[i] == found.recommended_.size), None)
        rows.append(
            {
                "method": name, "words": in_words, "score": number(curve.scores[top]),
                "error": number(curve.errors[top]), "size": int(curve.sizes[top]), "learner": curve.learners[top],
                "at_size": None if here is None else number(curve.scores[here]),
                "chosen": found.recommended_.method == name,
            }
        )  # fmt: skip
    return sorted(rows, key=lambda row: -(row["score"] or -np.inf))


def _curve(found: Any, name: str, in_words: str) -> dict[str, Any]:
    curve = found.curve(name)
    points = zip(curve.sizes.tolist(), curve.scores.tolist(), curve.errors.tolist(), strict=True)
    return {
        "method": name,
        "words": in_words,
        "points": [
            {"size": int(size), "score": number(score), "error": number(error)} for size, score, error in points
        ],
    }


def _rows(table: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(table, map(_plain, row), strict=True)) for row in zip(*table.values(), strict=True)]


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    return number(value) if isinstance(value, (float, np.floating)) else str(value)


def number(value: Any) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None


def estimate(estimate: Any) -> dict[str, Any] | None:
    if not np.isfinite(estimate.value):
        return None
    return {"value": float(estimate.value), "interval": [number(estimate.low), number(estimate.high)]}


def shown_columns(s: dict[str, Any]) -> list[dict[str, Any]]:
    """The ranking of a page: the first, and every chosen column whatever its rank."""
    return [c for c in s["columns"] if c["rank"] <= MOST_ROWS or c["chosen"]]


def render_comparison(s: dict[str, Any]) -> str:
    """The page."""
    from tamis.report.compare_charts import curves_chart
    from tamis.report.html import page
    from tamis.report.readable import readable

    s = readable(s)
    chosen = sorted((c for c in s["columns"] if c["chosen"]), key=lambda c: c["chosen"])
    legend = [
        {"label": c["label"], "color": PALETTE[k % len(PALETTE)]} for k, c in enumerate(_legend(s["data"]["classes"]))
    ]
    drawn = {"curves": curves_chart(s, s["words"]["curves"])}
    return page("compare.html", drawn, s=s, shown=shown_columns(s), chosen=chosen, legend=legend)


def _legend(classes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The classes that are drawn, in their order."""
    often = sorted(classes, key=lambda c: -c["rows"])[:MOST_CLASSES]
    return [c for c in classes if c in often]
