"""Answer of ``tamis compare`` → plain dictionary, and the chart and page of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report.charts import GREY, PALETTE
from tamis.report.provenance import made
from tamis.studies.compare import CompareAnswer

TICKS = [0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000]


def summarise_comparison(answer: CompareAnswer) -> dict[str, Any]:
    """All that is printed, dumped as JSON and drawn."""
    found, question = answer.comparison, answer.question
    r = found.recommended_
    first, *details = str(found).split("\n")
    return {
        "headline": first[:1].upper() + first[1:],
        "details": [line.strip() for line in details],
        "question": {"table": str(question.table), "target": question.target, "command": question.command},
        "data": {"rows": answer.n_rows, "columns": answer.n_columns,
                 "left_out": [{"column": name, "reason": why} for name, why in answer.left_out.items()]},
        "recommended": {
            "features": [str(name) for name in r.features], "method": r.method, "size": r.size, "learner": r.learner,
            "score": _number(r.score), "interval": [_number(v) for v in r.interval],
            "against_none": _estimate(r.against_none), "against_all": _estimate(r.against_all),
            "better_than_none": bool(r.better_than_none), "score_while_choosing": _number(r.score_while_choosing),
            "reason": r.reason,
        },
        "scoring": found.scoring_,
        "stability": _estimate(found.stability_),
        "frequencies": _columns(found),
        "curves": [_curve(found, name, words) for name, words in found.methods_.items()],
        "baselines": {which: _number(found.baseline(which)[0]) for which in ("none", "all")},
        "table": _rows(found.table_),
        "pvalue": found.pvalue_,
        "status": found.status_,
        "unfinished": list(found.unfinished_),
        "notes": list(found.notes_),
        "made": made(seconds=found.seconds_),
    }  # fmt: skip


def _columns(found: Any) -> list[dict[str, Any]]:
    """How often each column is chosen, its p-value alone, and which columns can take its place."""
    floor = found.noise_floor_
    pvalues = {} if floor is None else dict(zip(floor.names, floor.pvalues.tolist(), strict=True))
    rows = _rows(found.columns_)
    for row, name in zip(rows, found.columns_["column"], strict=True):
        swaps = found.interchangeable_.get(name, [])
        row |= {"p": _number(pvalues.get(name)), "instead": [str(one.column) for one in swaps]}
    return rows


def _curve(found: Any, name: str, words: str) -> dict[str, Any]:
    curve = found.curve(name)
    points = zip(curve.sizes.tolist(), curve.scores.tolist(), curve.errors.tolist(), strict=True)
    return {
        "method": name,
        "words": words,
        "points": [
            {"size": int(size), "score": _number(score), "error": _number(error)} for size, score, error in points
        ],
    }


def _rows(table: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(table, map(_plain, row), strict=True)) for row in zip(*table.values(), strict=True)]


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    return _number(value) if isinstance(value, (float, np.floating)) else str(value)


def _number(value: Any) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None


def _estimate(estimate: Any) -> dict[str, Any] | None:
    if not np.isfinite(estimate.value):
        return None
    return {"value": float(estimate.value), "interval": [float(estimate.low), float(estimate.high)]}


def curves_chart(s: dict[str, Any]) -> dict[str, Any]:
    """Nested score against the number of columns, a band of one standard error; none and all as lines."""
    rows = [
        {"m": curve["words"], "size": p["size"], "score": p["score"], "low": p["score"] - (p["error"] or 0.0),
         "high": p["score"] + (p["error"] or 0.0)}
        for curve in s["curves"] for p in curve["points"] if p["score"] is not None
    ]  # fmt: skip
    x = {"field": "size", "type": "quantitative", "title": "number of columns",
         "scale": {"type": "symlog", "constant": 20},
         "axis": {"grid": False, "values": TICKS, "format": ",d"}}  # fmt: skip
    y = {"field": "score", "type": "quantitative", "title": f"{s['scoring']} on rows left out",
         "scale": {"zero": False}}  # fmt: skip
    tips = [{"field": "m", "title": "method"}, {"field": "size", "title": "columns"},
            {"field": "score", "title": s["scoring"], "format": ".3f"}]  # fmt: skip
    colour, chosen = _colours(s), [row for row in s["table"] if row["chosen"]]
    layers = [
        {"mark": {"type": "area", "opacity": 0.12},
         "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}},
        {"mark": {"type": "line", "point": True, "strokeWidth": 1.8},
         "encoding": {"x": x, "y": y, "color": colour, "tooltip": tips}},
        *_baselines(s, y),
        {"data": {"values": chosen}, "mark": {"type": "point", "size": 220, "strokeWidth": 2, "color": PALETTE[1]},
         "encoding": {"x": x, "y": y}},
    ]  # fmt: skip
    return {"data": {"values": rows}, "width": "container", "height": 360,
            "autosize": {"type": "fit-x", "contains": "padding"}, "layer": layers}  # fmt: skip


def _colours(s: dict[str, Any]) -> dict[str, Any]:
    """One for each method; every layer needs the legend, or none has it."""
    names = [curve["words"] for curve in s["curves"]]
    scale = {"domain": names, "range": [PALETTE[i % len(PALETTE)] for i in range(len(names))]}
    legend = {"orient": "bottom", "columns": 3, "labelLimit": 400, "labelFontSize": 11, "symbolOpacity": 1}
    return {"field": "m", "type": "nominal", "title": None, "scale": scale, "legend": legend}


def _baselines(s: dict[str, Any], y: dict[str, Any]) -> list[dict[str, Any]]:
    """Lines across for no column and for all, each with its name where the curves are not."""
    lines = [
        {"what": what, "score": s["baselines"][which], "left": which == "all"}
        for which, what in (("none", "no column"), ("all", "all columns"))
        if s["baselines"][which] is not None
    ]
    text = {"y": y, "text": {"field": "what"}}
    return [
        {"data": {"values": lines}, "mark": {"type": "rule", "color": GREY, "strokeDash": [5, 4]},
         "encoding": {"y": y, "tooltip": [{"field": "what"}, {"field": "score", "format": ".3f"}]}},
        {"data": {"values": [line for line in lines if line["left"]]}, "encoding": text,
         "mark": {"type": "text", "align": "left", "dx": 6, "dy": -6, "x": 0}},
        {"data": {"values": [line for line in lines if not line["left"]]}, "encoding": text,
         "mark": {"type": "text", "align": "right", "dx": -4, "dy": -6, "x": "width"}},
    ]  # fmt: skip


def render_comparison(s: dict[str, Any]) -> str:
    """The page of ``tamis compare``."""
    from tamis.report.html import page
    from tamis.report.readable import readable

    s = readable(s)
    return page("compare.html", {"curves": curves_chart(s)}, s=s)
