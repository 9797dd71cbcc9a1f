"""The chart of a comparison: score against the number of columns, for each method."""

from __future__ import annotations

from typing import Any

from tamis.report.charts import GREY, PALETTE

TICKS = [0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000]


def curves_chart(s: dict[str, Any], about: str = "") -> dict[str, Any]:
    """Nested score against the number of columns, a band of one standard error; none and all as lines.

    ``about`` is what a reader is told who does not see it. The scale is that of the curves: where no column is far
    below them, its line is left to the words.
    """
    rows = [
        {"m": curve["words"], "size": p["size"], "score": p["score"], "low": p["score"] - (p["error"] or 0.0),
         "high": p["score"] + (p["error"] or 0.0)}
        for curve in s["curves"] for p in curve["points"] if p["score"] is not None and p["size"] > 0
    ]  # fmt: skip
    x = {"field": "size", "type": "quantitative", "title": "number of columns",
         "scale": {"type": "symlog", "constant": 20},
         "axis": {"grid": False, "values": TICKS, "format": ",d"}}  # fmt: skip
    y = {"field": "score", "type": "quantitative", "title": f"{s['scoring']} on rows left out",
         "scale": {"zero": False, "nice": False, "domain": _extent(s, rows)}}  # fmt: skip
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
    return {"description": about, "data": {"values": rows}, "width": "container", "height": 360,
            "autosize": {"type": "fit-x", "contains": "padding"}, "layer": layers}  # fmt: skip


def _extent(s: dict[str, Any], rows: list[dict[str, Any]]) -> list[float]:
    """Of the curves; with the line of no column where it is within their range below them."""
    scores = [row[end] for row in rows for end in ("low", "high")] or [0.0, 1.0]
    low, high = min(scores), max(scores)
    low = min([low, *(b for b in s["baselines"].values() if b is not None and b > low - (high - low))])
    high = max([high, *(b for b in s["baselines"].values() if b is not None)])
    margin = 0.04 * (high - low) or 0.01
    return [low - margin, high + margin]


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
        if s["baselines"][which] is not None and s["baselines"][which] >= y["scale"]["domain"][0]
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
