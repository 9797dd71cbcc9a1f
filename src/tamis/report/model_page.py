"""The page of ``tamis fit``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.series import error_curve
from tamis.report.charts import GREY, HEIGHT, PALETTE, _extent, _labels, _lines, _look_up, _page, _tip
from tamis.report.html import page
from tamis.report.provenance import made
from tamis.report.readable import readable
from tamis.studies.columns import IDENTIFIER_LEFT_OUT
from tamis.studies.fit import PENALTIES
from tamis.studies.fit_answer import FitAnswer

SHOWN = 300  # coefficients in the table
DRAWN = 40  # lines of a path
HELD_OUT = (("auc", "AUC", ".3f"), ("accuracy", "accuracy", ".3f"), ("r2", "R²", ".3f"),
            ("mae", "mean absolute error", ".3g"))  # fmt: skip


def render_model(summary: dict[str, Any], sentences: list[str], answer: FitAnswer) -> str:
    """``sentences`` are those of the terminal."""
    s = readable({**summary, "answer": sentences, "made": made()})
    used = [row for row in s["coefficients"] if row["coefficient"]]
    specs = {"curve": _curve(answer), **{f"path{k}": spec for k, spec in enumerate(paths(s, answer))}}
    return page(
        "fit.html",
        {name: spec for name, spec in specs.items() if spec is not None},
        s=s,
        title=_title(s),
        rows=used[:SHOWN],
        n_used=len(used),
        largest=max((abs(row["per_sd"]) for row in used), default=1.0) or 1.0,
        tiles=_tiles(s),
        curve=specs["curve"] is not None,
        labels=_labelled_paths(s, answer),
        python=python_lines(answer),
    )


def _title(s: dict[str, Any]) -> str:
    return "best subset" if s["subset"] is not None else PENALTIES[s["question"]["penalty"]]


def _tiles(s: dict[str, Any]) -> list[tuple[str, str]]:
    tiles = [
        (f"{s['data']['rows']:,}", "rows"),
        (f"{len(s['kept']):,} of {s['data']['columns']:,}", "columns in the model"),
    ]
    if s["held_out"] is not None:
        tiles += [(f"{s['held_out'][name]['value']:{digits}}".replace("-", "−"), f"{words} on rows that took no part")
                  for name, words, digits in HELD_OUT if name in s["held_out"]]  # fmt: skip
    elif "folds" in s["error"]:
        tiles += [(f"{s['error']['chosen']:.4g}", f"{s['error']['measure']} on rows left out, while choosing α"),
                  (f"{s['error']['null']:.4g}", "the same without any column")]  # fmt: skip
    return tiles


def _curve(answer: FitAnswer) -> dict[str, Any] | None:
    """The error in rows left out, or the criterion, against α or the number of columns; a line where it was chosen."""
    model = answer.model
    if hasattr(model, "scores_path_") and hasattr(model, "alphas_"):
        found = error_curve(model)
        x, values, spread, chosen = found.alphas, found.mean, found.spread, float(model.alpha_)
    elif hasattr(model, "criterion_path_"):
        x = np.asarray(model.alphas_ if hasattr(model, "alphas_") else model.sizes_, dtype=float)
        values, spread = np.asarray(model.criterion_path_, dtype=float), np.zeros(len(x))
        chosen = float(model.alpha_ if hasattr(model, "alphas_") else model.n_nonzero_)
    else:
        return None
    alphas = hasattr(model, "alphas_")
    seen = np.isfinite(values) & (x > 0 if alphas else True)
    if seen.sum() < 2:
        return None
    points = np.column_stack([x, values, spread])[seen].tolist()
    rows = [{"x": a, "y": v, "low": v - e, "high": v + e} for a, v, e in points]
    title = "penalty α, falling" if alphas else "columns"
    scale: dict[str, Any] = {"zero": False, "nice": False}
    scale |= {"type": "log", "reverse": True} if alphas else {}
    across = {"field": "x", "type": "quantitative", "title": title, "scale": scale,
              "axis": {"grid": False, "format": "~g", "tickCount": 5}}  # fmt: skip
    measure = _measure(answer)
    up = {"field": "y", "type": "quantitative", "title": measure, "scale": {"zero": False}}
    tips = [_tip("x", "α" if alphas else "columns"), _tip("y", measure)]
    best = rows[int(np.argmin(values[seen]))]["x"]
    marks = [{"x": chosen, "name": "chosen"}] if chosen > 0 or not alphas else []
    if best != chosen:
        marks.append({"x": best, "name": "least"})
    at = {"x": {"field": "x", "type": "quantitative"}}
    layers: list[dict[str, Any]] = [
        {"data": {"values": marks}, "mark": {"type": "rule", "strokeDash": [5, 4]}, "encoding": at},
        {"data": {"values": marks}, "mark": {"type": "text", "baseline": "bottom", "dy": -3, "fontSize": 11},
         "encoding": {**at, "y": {"value": 0}, "text": {"field": "name"}}},
        {"mark": {"type": "area", "color": PALETTE[0], "opacity": 0.2},
         "encoding": {"x": across, "y": {**up, "field": "low"}, "y2": {"field": "high"}}},
        {"mark": {"type": "line", "color": PALETTE[0], "strokeWidth": 2}, "encoding": {"x": across, "y": up}},
        {"mark": {"type": "point", "size": 120, "opacity": 0}, "encoding": {"x": across, "y": up, "tooltip": tips}},
    ]  # fmt: skip
    return _page(rows, layers, 260, f"{measure} against {title}; chosen {chosen:.3g}, least at {best:.3g}")


def _measure(answer: FitAnswer) -> str:
    from tamis.studies.fit import LOSSES, RULES

    rule = answer.question.chosen_by
    return LOSSES[answer.loss].measure if RULES[rule].folds else rule.upper()


def _labelled_paths(s: dict[str, Any], answer: FitAnswer) -> list[str]:
    """What is above each chart of a path: nothing, or the class."""
    if not hasattr(answer.model, "coef_path_") or not hasattr(answer.model, "alphas_"):
        return []
    return list(s["classes"]) if len(s["classes"] or ()) > 2 else [""]


def paths(s: dict[str, Any], answer: FitAnswer) -> list[dict[str, Any]]:
    """The coefficients per standard deviation along the path, of each class where there are several."""
    model = answer.model
    if not _labelled_paths(s, answer):
        return []
    W = np.atleast_2d(model.coef_)
    alphas = np.asarray(model.alphas_, dtype=float)
    seen = alphas > 0
    path = (model.coef_path_.reshape(-1, *W.shape) * np.ravel(model.scale_))[seen]
    names = [o if level is None else f"{o} = {level}" for o, level in zip(answer.origin, answer.levels, strict=True)]
    names = list(readable({"names": names})["names"])
    return [_path(path[:, k], alphas[seen], names, float(model.alpha_)) for k in range(len(W))]


def _path(path: np.ndarray, alphas: np.ndarray, names: list[str], chosen: float) -> dict[str, Any]:
    order = np.argsort(-np.abs(path).max(axis=0), kind="stable")
    drawn = [int(j) for j in order[:DRAWN] if path[:, j].any()]
    series = [{"name": names[j], "coefficients": [float(f"{v:.4g}") for v in path[:, j]]} for j in drawn]
    rows = [{"s": i, "ratio": float(f"{a:.5g}"), "coefficient": v}
            for i, one in enumerate(series) for a, v in zip(alphas, one["coefficients"], strict=True)]  # fmt: skip
    low, high = _extent(row["coefficient"] for row in rows)
    end, begin = float(alphas[-1]), float(alphas[0])
    x = {"field": "ratio", "type": "quantitative", "title": "penalty α, falling",
         "scale": {"type": "log", "reverse": True, "domain": [end, begin], "nice": False},
         "axis": {"grid": False, "format": "~g", "tickCount": 5}}  # fmt: skip
    y = {"field": "coefficient", "type": "quantitative", "title": "coefficient per standard deviation",
         "scale": {"domain": [low, high], "nice": False, "zero": False}}  # fmt: skip
    lines = _lines(x, y)
    lines["encoding"]["strokeWidth"] = {"condition": {"test": "datum.strong", "value": 2}, "value": 1}
    lines["encoding"]["opacity"] = {"condition": {"test": "datum.strong", "value": 0.95}, "value": 0.45}
    tips = [{"field": "column", "title": "column"}, _tip("coefficient", "coefficient"), _tip("ratio", "α")]
    rule = {"data": {"values": [{"ratio": chosen}]}, "mark": {"type": "rule", "strokeDash": [5, 4], "color": GREY},
            "encoding": {"x": {"field": "ratio", "type": "quantitative"}}}  # fmt: skip
    points = {"mark": {"type": "point", "filled": True, "opacity": 0, "size": 160},
              "encoding": {"x": x, "y": y, "tooltip": tips}}  # fmt: skip
    about = f"coefficients along the path; the largest are {', '.join(names[j] for j in drawn[:3])}"
    labels = _labels(series[: len(PALETTE)], end, low, high)
    spec = _page(rows, [*([rule] if chosen > 0 else []), lines, points, labels], HEIGHT, about)
    return spec | {"transform": [_look_up(series)]}


def python_lines(answer: FitAnswer) -> str:
    """What gives the same model in Python: the same columns, folds and seed."""
    question, model = answer.question, answer.model
    parameters = model.get_params(deep=False)
    names = ["sizes", "rule"] if question.best_subset is not None else ["datafit", "penalty", "rule"]
    names = [name if name in parameters else "n_nonzero" for name in names]
    parts = [
        parameters[name] for name in ("datafit", "penalty") if not isinstance(parameters.get(name), (str, type(None)))
    ]
    given = ", ".join(f"{name}={parameters[name]!r}" for name in names)
    folds = type(model.cv).__name__
    unused = [name for name, reason in answer.left_out.items() if reason == IDENTIFIER_LEFT_OUT]
    left_out = [*question.drop, *question.id, *unused]
    lines = [
        f"from sklearn.model_selection import {folds}",
        f"from tamis.linear import {type(model).__name__}",
        *(f"from {part.__module__.rsplit('.', 1)[0]} import {type(part).__name__}" for part in parts),
        f"from tamis.sources import {'Columns, ' if left_out else ''}Encoded, as_source",
        "",
        f"table = as_source({str(question.table)!r}, target={question.target!r})",
    ]
    if left_out:
        lines.append(f"table = Columns(table, [j for j, name in enumerate(table.names) if name not in {left_out!r}])")
    keep = f", keep={list(question.include)!r}" if question.include else ""
    lines += [
        f"folds = {folds}({question.cv}, shuffle=True, random_state=0)",
        f"model = {type(model).__name__}({given}, cv=folds, standardize=True)",
        f"model.fit(Encoded(table{keep}))",
    ]
    return "\n".join(lines)
