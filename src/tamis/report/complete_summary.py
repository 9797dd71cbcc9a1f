"""Answer of ``tamis complete`` → plain dictionary of strings, numbers and lists, and its page."""

from __future__ import annotations

from typing import Any

from tamis.report.charts import PALETTE, _page
from tamis.report.html import page
from tamis.report.provenance import made
from tamis.report.readable import readable
from tamis.studies.complete import CompleteAnswer

SHOWN = 8  # rows whose recommendations are in the summary


def summarise_completion(answer: CompleteAnswer) -> dict[str, Any]:
    """All that page, JSON and terminal are made of."""
    model, question = answer.model, answer.question
    m, n = len(model.row_factors_), model.n_features_in_
    summary: dict[str, Any] = {
        "question": {"command": question.command, "table_name": question.table.name},
        "rows": m, "columns": n, "observed": answer.n_observed, "share_observed": answer.n_observed / (m * n),
        "rank": model.rank_, "alpha": model.alpha_, "strategy": model.strategy_, "status": model.status_,
        "held_out_rmse": model.score_, "held_out_interval": model.score_interval_,
        "held_out_rmse_of_mean": model.score_of_mean_, "beats_mean": model.beats_mean_,
        "rmse_while_choosing": model.score_while_choosing_, "standard_deviation": answer.spread,
        "path": model.path_, "biases": model.row_bias_ is not None, "names": list(answer.names),
        "unseen_rows": len(model.unseen_rows_), "unseen_columns": len(model.unseen_columns_),
        "recommendations": answer.recommendations(answer.rows[:SHOWN]),
    }  # fmt: skip
    if answer.predictions is not None:
        summary["predictions"] = answer.predictions
    return summary | {"answer": _sentences(summary), "made": made(seconds=round(answer.seconds, 3))}


def _sentences(s: dict[str, Any]) -> list[str]:
    entries = f"{s['rows']:,} × {s['columns']:,}, {s['observed']:,} entries known ({100 * s['share_observed']:.3g} %)."
    biases = ", beside a bias for each row and column" if s["biases"] else ""
    rank = f"The model is of rank {s['rank']}{biases}: {s['strategy']}."
    if s["held_out_rmse"] is None:
        return [entries, rank, "No entries were held out, so nothing is said of the error."]
    low, high = s["held_out_interval"]
    error = (
        f"Its error at entries that chose nothing is {s['held_out_rmse']:.4g} (95 %: {low:.4g} to {high:.4g}); "
        f"that of the mean of all values is {s['held_out_rmse_of_mean']:.4g}."
    )
    nothing = [] if s["beats_mean"] else ["Nothing was learned: beyond chance, the mean predicts as well."]
    return [entries, rank, error, *nothing]


def render_completion(summary: dict[str, Any]) -> str:
    """The page of ``tamis complete``."""
    s = readable(summary)
    best: dict[Any, list[tuple[Any, float]]] = {}
    for row, column, value in zip(*s["recommendations"].values(), strict=True):
        best.setdefault(row, []).append((column, value))
    return page("complete.html", {"path": path_chart(s)}, s=s, best=best)


def path_chart(s: dict[str, Any]) -> dict[str, Any] | None:
    """Root mean square error at the entries that chose, along α or the rank; the chosen one ringed."""
    path = s["path"]
    if path is None:
        return None
    over = "alpha" if s["alpha"] else "rank"
    rows = [
        {"x": x, "rank": rank, "error": max(0.0, mse) ** 0.5, "low": max(0.0, mse - se) ** 0.5,
         "high": (mse + se) ** 0.5}
        for x, rank, mse, se in zip(path[over], path["rank"], path["mse"], path["standard_error"], strict=True)
    ]  # fmt: skip
    scale: dict[str, Any] = {"type": "log"} if over == "alpha" else {"zero": False}
    x = {"field": "x", "type": "quantitative", "title": over, "scale": scale}
    y = {"field": "error", "type": "quantitative", "title": "error at the entries that chose", "scale": {"zero": False}}
    tips = [
        {"field": key, "title": title, "format": ".4~g"}
        for key, title in (("x", over), ("rank", "rank"), ("error", "error"))
    ]
    chosen = min(rows, key=lambda row: abs(row["error"] - s["rmse_while_choosing"]))
    ring = {"type": "point", "shape": "circle", "color": PALETTE[1], "size": 220, "strokeWidth": 2, "opacity": 1}
    layers = [
        {
            "mark": {"type": "rule", "color": PALETTE[0]},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {"mark": {"type": "line", "color": PALETTE[0]}, "encoding": {"x": x, "y": y}},
        {"mark": {"type": "circle", "color": PALETTE[0], "size": 60}, "encoding": {"x": x, "y": y, "tooltip": tips}},
        {"data": {"values": [chosen]}, "mark": ring, "encoding": {"x": x, "y": y}},
    ]
    about = f"error against {over}; smallest {chosen['error']:.3g} at {over} {chosen['x']:.3g}"
    return _page(rows, layers, 260, about)
