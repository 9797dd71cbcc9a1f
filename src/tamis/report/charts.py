"""Summary → Vega-Lite specifications, as plain dictionaries. Columns' names travel as data, never as field names."""

from __future__ import annotations

from typing import Any

PALETTE = ("#3b82c4", "#e07b1a", "#2f9e6e", "#d1495b", "#8a63c4", "#a0832f", "#1aa3b0", "#c2559d", "#6f8f2f", "#8c6d5a")
GREY = "#9aa0a8"
HEIGHT = 360
MOST_BARS = 40
LABEL_GAP = 15  # pixels between the baselines of two labels

Spec = dict[str, Any]


def charts(summary: dict[str, Any]) -> dict[str, Any]:
    """The specifications the template's script draws."""
    return {
        "lassos": [{"path": path_chart(l), "cv": cv_chart(l), "legend": _legend(l)} for l in summary["lassos"]],
        "search": search_chart(summary["search"]),
        "judged": judged_chart(summary),
    }


def path_chart(lasso: dict[str, Any]) -> Spec:
    """Coefficients against α/α_max, falling to the right; the strongest columns coloured and named, the others grey."""
    series = lasso["path"]["series"]
    ratios = lasso["path"]["ratios"]
    rows = [
        {"s": i, "ratio": a, "coefficient": v}
        for i, s in enumerate(series)
        for a, v in zip(ratios, s["coefficients"], strict=True)
    ]
    low, high = _extent(r["coefficient"] for r in rows)
    y: Spec = {"field": "coefficient", "type": "quantitative", "title": "coefficient per standard deviation"}
    y["scale"] = {"domain": [low, high], "nice": False, "zero": False}
    x = _alpha_axis([min(ratios), 1.0])
    about = f"lasso path; at the smallest penalty the strongest are {', '.join(s['name'] for s in series[:3])}"
    labels = _labels(series[: len(PALETTE)], min(ratios), low, high)
    page = _page(rows, [*_choices(lasso, min(ratios)), _lines(x, y), _hover_points(x, y), labels], HEIGHT, about)
    return page | {"transform": [_look_up(series)]}


def cv_chart(lasso: dict[str, Any]) -> Spec:
    """Mean error over the folds with one standard error to each side, relative to the model without columns."""
    cv = lasso["cv"]
    rows = [
        {"ratio": a, "error": m, "low": m - e, "high": m + e, "kept": k}
        for a, m, e, k in zip(cv["ratios"], cv["error"], cv["spread"], cv["n_kept"], strict=True)
    ]
    x = _alpha_axis([min(cv["ratios"]), 1.0])
    y = {"field": "error", "type": "quantitative", "title": "error (1 = no columns at all)", "scale": {"zero": False}}
    tooltip = [_tip("ratio", "α/α_max"), _tip("error", "error"), {"field": "kept", "title": "columns kept"}]
    band = {
        "mark": {"type": "area", "color": PALETTE[0], "opacity": 0.2},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    line = {"mark": {"type": "line", "color": PALETTE[0], "strokeWidth": 2}, "encoding": {"x": x, "y": y}}
    points = {"mark": {"type": "point", "size": 120, "opacity": 0}, "encoding": {"x": x, "y": y, "tooltip": tooltip}}
    about = f"error in rows left out against the penalty; smallest {min(cv['error']):.3g} of the error without columns"
    return _page(rows, [*_choices(lasso, min(cv["ratios"])), band, line, points], 260, about)


def judged_chart(summary: dict[str, Any]) -> Spec | None:
    """The method's own number of each column with one standard error to each side, the largest first."""
    known = [c for c in summary["columns"] if c["judged"] is not None]
    shown = [c for i, c in enumerate(known) if i < MOST_BARS or c["chosen"]]
    if summary["search"]["judged"] is None or len(shown) < 2:
        return None
    rows = [
        {"column": c["column"], "value": c["judged"], "low": c["judged"] - (c["judged_error"] or 0.0),
         "high": c["judged"] + (c["judged_error"] or 0.0), "chosen": bool(c["chosen"])}
        for c in shown
    ]  # fmt: skip
    y = {"field": "column", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 170}}
    x = {"field": "value", "type": "quantitative", "title": summary["search"]["judged"]}
    colour = {"condition": {"test": "datum.chosen", "value": PALETTE[2]}, "value": GREY}
    tips = [{"field": "column", "title": "column"}, _tip("value", summary["search"]["judged"])]
    layers = [
        {"mark": {"type": "bar", "height": {"band": 0.7}},
         "encoding": {"x": x, "y": y, "color": colour, "tooltip": tips}},
        {"mark": {"type": "rule"}, "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y}},
    ]  # fmt: skip
    about = f"{summary['search']['judged']} of the columns, the largest of {rows[0]['column']}"
    return _page(rows, layers, 18 * len(rows), about)


def search_chart(search: dict[str, Any]) -> Spec | None:
    """Score against the number of columns: what was evaluated, what was kept, the best kept of each size as a line."""
    drawn = search["drawn"]
    if not search["moves"] or len({dot["size"] for dot in drawn["dots"]}) < 2:
        return None
    kept = [{**r, "label": r["change"]} for r in search["rounds"] if r["score"] is not None]
    chosen = [{"size": len(search["selected"]), "score": search["score"]}]
    of_all_bits = search["share"] is not None
    sizes = [dot["size"] for dot in drawn["dots"]]
    x = _size_axis(min(sizes), max(sizes), falling=kept[0]["size"] > kept[-1]["size"])
    y = {"field": "score", "type": "quantitative", "title": search["axis"], "scale": {"zero": of_all_bits}}
    both, named = {"x": x, "y": y}, {"field": "label", "title": "kept"}
    tooltip = [named, {"field": "size", "title": "columns"}, _tip("score", search["evaluation"])]
    dot = {"type": "circle", "color": PALETTE[2]}
    layers = [
        *([_ceiling(search["ceiling"])] if of_all_bits else []),
        {"mark": {"type": "circle", "color": GREY, "size": 26, "opacity": 0.45}, "encoding": both},
        {"data": {"values": drawn["line"]}, "mark": {"type": "line", "color": PALETTE[2]}, "encoding": both},
        {"data": {"values": kept}, "mark": {**dot, "size": 70, "opacity": 1}, "encoding": both | {"tooltip": tooltip}},
        {"data": {"values": chosen}, "mark": _RING, "encoding": both},
    ]
    about = f"{search['axis']} against the number of columns in the subset; chosen: {len(search['selected'])}"
    return _page(drawn["dots"], layers, 260, about)


_RING = {"type": "point", "shape": "circle", "color": PALETTE[1], "size": 220, "strokeWidth": 2, "opacity": 1}


def _size_axis(least: int, most: int, *, falling: bool) -> Spec:
    """Read from left to right as the search went."""
    ticks = list(range(least, most + 1, -(-(most - least) // 14)))
    return {
        "field": "size",
        "type": "quantitative",
        "title": "columns in the subset",
        "axis": {"grid": False, "values": ticks, "format": "d"},
        "scale": {"zero": False, "reverse": falling, "padding": 12, "nice": False},
    }


def _page(rows: list[dict[str, Any]], layers: list[Spec], height: int, description: str) -> Spec:
    """``description`` is what a reader is told who does not see the chart."""
    return {
        "description": description,
        "data": {"values": rows},
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "layer": layers,
    }


def _alpha_axis(domain: list[float]) -> Spec:
    return {
        "field": "ratio",
        "type": "quantitative",
        "title": "penalty α/α_max, falling",
        "scale": {"type": "log", "reverse": True, "domain": domain, "nice": False},
        "axis": {"grid": False, "format": "~g", "tickCount": 4},
    }


def _lines(x: Spec, y: Spec) -> Spec:
    hovered = {"param": "hover", "empty": False}
    return {
        "mark": {"type": "line", "interpolate": "linear"},
        "encoding": {
            "x": x,
            "y": y,
            "detail": {"field": "column"},
            "color": {"field": "color", "type": "nominal", "scale": None},
            "strokeWidth": {"condition": [{**hovered, "value": 4}, {"test": "datum.strong", "value": 2}], "value": 1},
            "opacity": {"condition": [{**hovered, "value": 1}, {"test": "datum.strong", "value": 0.95}], "value": 0.45},
        },
    }


def _hover_points(x: Spec, y: Spec) -> Spec:
    """Invisible points as wide as their distance: whoever comes near sees the column's name, and its line stands out.

    (``nearest`` would do without their size, but Vega-Lite loses texts in the tooltips of its cells.)
    """
    pick = {"type": "point", "fields": ["column"], "on": "pointerover", "clear": "pointerout"}
    tooltip = [{"field": "column", "title": "column"}, _tip("coefficient", "coefficient"), _tip("ratio", "α/α_max")]
    return {
        "params": [{"name": "hover", "select": pick}],
        "mark": {"type": "point", "filled": True, "opacity": 0, "size": 160},
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
    }


def _labels(series: list[dict[str, Any]], at: float, low: float, high: float) -> Spec:
    """The strongest columns' names where their lines end, moved apart until each can be read."""
    ends = [s["coefficients"][-1] for s in series]
    per_pixel = (high - low) / HEIGHT
    placed = [high - p * per_pixel for p in spread([(high - e) / per_pixel for e in ends], LABEL_GAP, HEIGHT)]
    values = [
        {"ratio": at, "end": v, "name": s["name"], "color": PALETTE[i]}
        for i, (s, v) in enumerate(zip(series, placed, strict=True))
    ]
    return {
        "name": "labels",
        "data": {"values": values},
        "mark": {"type": "text", "align": "left", "dx": 6, "limit": 170, "fontSize": 11.5, "baseline": "middle"},
        "encoding": {
            "x": {"field": "ratio", "type": "quantitative"},
            "y": {"field": "end", "type": "quantitative"},
            "text": {"field": "name"},
            "color": {"field": "color", "type": "nominal", "scale": None},
        },
    }


def spread(targets: list[float], gap: float, length: float) -> list[float]:
    """Positions in [0, length] in the order of the wanted ones and near them, ``gap`` apart if there is room."""
    order = sorted(range(len(targets)), key=lambda i: targets[i])
    gap = min(gap, length / max(1, len(targets) - 1))
    placed = list(targets)
    floor = 0.0
    for i in order:
        placed[i] = max(targets[i], floor)
        floor = placed[i] + gap
    ceiling = length
    for i in reversed(order):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - gap
    return placed


def _choices(lasso: dict[str, Any], smallest: float) -> list[Spec]:
    """A vertical line at each of the two choices of α."""
    marks = [{"ratio": lasso["chosen"]["min"], "name": "best"}, {"ratio": lasso["chosen"]["1se"], "name": "1-SE"}]
    marks = [m for m in marks if m["ratio"] >= smallest]
    if len({m["ratio"] for m in marks}) == 1:
        marks = [{**marks[0], "name": "best = 1-SE"}]
    x = {"field": "ratio", "type": "quantitative"}
    rule = {"data": {"values": marks}, "mark": {"type": "rule", "strokeDash": [5, 4]}, "encoding": {"x": x}}
    mark = {"type": "text", "baseline": "bottom", "dy": -3, "fontSize": 11}
    text = {"data": {"values": marks}, "mark": mark, "encoding": {"x": x, "y": {"value": 0}, "text": {"field": "name"}}}
    return [rule, text]


def _ceiling(bits: float) -> Spec:
    return {
        "data": {"values": [{"bits": bits}]},
        "mark": {"type": "rule", "strokeDash": [5, 4]},
        "encoding": {
            "y": {"field": "bits", "type": "quantitative"},
            "tooltip": [_tip("bits", "all there is to know, bits")],
        },
    }


def _tip(field: str, title: str) -> Spec:
    return {"field": field, "title": title, "type": "quantitative", "format": ".3~g"}


def _extent(values: Any) -> tuple[float, float]:
    ends = [*values, 0.0]
    low, high = min(ends), max(ends)
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def _look_up(series: list[dict[str, Any]]) -> Spec:
    """What belongs to a line, kept once and not in each of its points."""
    strong = len(PALETTE)
    lines = [
        {"s": i, "column": s["name"], "color": PALETTE[i] if i < strong else GREY, "strong": i < strong}
        for i, s in enumerate(series)
    ]
    return {"lookup": "s", "from": {"data": {"values": lines}, "key": "s", "fields": ["column", "color", "strong"]}}


def _legend(lasso: dict[str, Any]) -> list[dict[str, str]]:
    return [{"name": s["name"], "color": PALETTE[i]} for i, s in enumerate(lasso["path"]["series"][: len(PALETTE)])]
