"""Answer of ``tamis components`` → plain dictionary of strings, numbers and lists, and its page."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report.charts import GREY, PALETTE, _page
from tamis.report.html import page
from tamis.report.provenance import made
from tamis.report.readable import readable
from tamis.studies.components_answer import DRAWN, ComponentsAnswer

TITLES = {"pca": "Principal components", "sparse": "Sparse principal components", "nmf": "Non-negative parts"}
SHOWN = 200  # columns on the page
NAMED = 5  # columns that a sentence names


def summarise_components(answer: ComponentsAnswer) -> dict[str, Any]:
    """All that page, JSON and terminal are made of."""
    model, question = answer.model, answer.question
    names = [str(name) for name in model.get_feature_names_out()]
    shares = getattr(model, "explained_variance_ratio_", None)
    H = np.asarray(model.components_, dtype=float)
    return {
        "question": {"command": question.command, "table_name": question.table.name or str(question.table),
                  "method": question.method},
        "answer": _sentences(answer),
        "components": [
            {"name": name, "share": None if shares is None else _short(shares[k]), "columns": _largest(answer, H[k])}
            for k, name in enumerate(names)
        ],
        "loadings": [
            {"column": column, "values": [_short(v) for v in H[:, j]]} for j, column in enumerate(answer.names)
        ],
        "variances": [_short(v) for v in answer.variances[:100]],
        "n_above_noise": answer.n_above_noise,
        "rank": _rank(answer),
        "data": {
            "rows": answer.n_rows, "columns": len(answer.names),
            "left_out": [{"column": name, "reason": reason} for name, reason in answer.left_out.items()],
            "warnings": [f"{count:,} missing values of {name!r} were replaced by its mean"
                         for name, count in answer.filled.items()],
        },
        "drawn": _drawn(answer),
        "made": made(seconds=round(answer.seconds, 3)),
    }  # fmt: skip


def render_components(summary: dict[str, Any]) -> str:
    """The page of ``tamis components``."""
    s = readable(summary)
    specs = {"scree": scree_chart(s), "scores": scores_chart(s)}
    largest = max((abs(v) for row in s["loadings"] for v in row["values"]), default=1.0) or 1.0
    order = sorted(s["loadings"], key=lambda row: -max(abs(v) for v in row["values"]))[:SHOWN]
    title = TITLES[s["question"]["method"]]
    return page("components.html", specs, s=s, title=title, rows=order, largest=largest)


def scree_chart(s: dict[str, Any]) -> dict[str, Any]:
    """Variances of the principal directions; those that stand out from noise coloured."""
    rows = [
        {"k": k + 1, "variance": v, "kind": "above noise" if k < s["n_above_noise"] else "as in noise"}
        for k, v in enumerate(s["variances"][:40])
    ]
    x = {"field": "k", "type": "ordinal", "title": "principal direction", "axis": {"labelAngle": 0}}
    y = {"field": "variance", "type": "quantitative", "title": "variance"}
    colours = {"domain": ["above noise", "as in noise"], "range": [PALETTE[0], GREY]}
    colour = {"field": "kind", "type": "nominal", "scale": colours, "legend": {"title": None, "orient": "top"}}
    tooltip = [{"field": "k", "title": "direction"}, {"field": "variance", "format": ".3~g"}]
    bars = {"mark": {"type": "bar"}, "encoding": {"x": x, "y": y, "color": colour, "tooltip": tooltip}}
    about = f"variances of the principal directions; {s['n_above_noise']} stand out of noise"
    return _page(rows, [bars], 260, about)


def scores_chart(s: dict[str, Any]) -> dict[str, Any] | None:
    """The rows in the plane of the first two components."""
    drawn = s["drawn"]
    if drawn is None:
        return None
    rows = [{"x": a, "y": b, "label": l} for a, b, l in zip(drawn["x"], drawn["y"], drawn["label"], strict=True)]
    names = [c["name"] for c in s["components"][:2]]
    encoding: dict[str, Any] = {
        "x": {"field": "x", "type": "quantitative", "title": names[0]},
        "y": {"field": "y", "type": "quantitative", "title": names[1]},
    }
    if any(drawn["label"]):
        encoding["color"] = {
            "field": "label", "type": "nominal", "scale": {"range": list(PALETTE)},
            "legend": {"title": None, "orient": "top"},
        }  # fmt: skip
        encoding["tooltip"] = [{"field": "label"}]
    dots = {"mark": {"type": "circle", "size": 28, "opacity": 0.6, "color": PALETTE[0]}, "encoding": encoding}
    return _page(rows, [dots], 420, f"the rows by {names[0]} and {names[1]}")


def _sentences(answer: ComponentsAnswer) -> list[str]:
    k, p, method = len(answer.model.components_), len(answer.names), answer.question.method
    out = []
    if answer.n_above_noise == 0:
        out.append(
            f"Nothing stands out: the {p} columns vary as independent noise would, by parallel analysis. These "
            "components describe this table and tell nothing about others."
        )
    else:
        verb = "direction varies" if answer.n_above_noise == 1 else "directions vary"
        out.append(
            f"{answer.n_above_noise} {verb} more than noise of the same columns would (parallel analysis, 95 %)."
        )
    if method == "nmf":
        loss = answer.model.reconstruction_err_
        parts = "part" if k == 1 else "parts"
        out.append(f"{k} {parts} of {p} columns leave a residual of norm {loss:.3g}.")
        if answer.rank is not None:
            out.append(
                "Their number predicts held-out entries best, or as well as more of them within a standard error."
            )
    else:
        total = float(answer.model.explained_variance_ratio_.sum())
        what = "sparse components" if method == "sparse" else "components"
        of = "the standardised columns" if not answer.question.raw else "the columns"
        out.append(f"{k} {what} explain {100 * total:.3g} % of the variance of {of}.")
    return out


def _largest(answer: ComponentsAnswer, h: np.ndarray) -> list[str]:
    order = np.argsort(-np.abs(h), kind="stable")[:NAMED]
    return [answer.names[j] for j in order if h[j] != 0]


def _rank(answer: ComponentsAnswer) -> dict[str, Any] | None:
    if answer.rank is None:
        return None
    return {"ranks": answer.rank.ranks.tolist(), "errors": [_short(e) for e in answer.rank.errors]}


def _drawn(answer: ComponentsAnswer) -> dict[str, Any] | None:
    if answer.scores.shape[1] < 2:
        return None
    rows = np.unique(np.linspace(0, len(answer.scores) - 1, DRAWN).astype(int))
    labels = [""] * len(rows) if answer.labels is None else [answer.labels[i] for i in rows]
    return {"x": [_short(v) for v in answer.scores[rows, 0]], "y": [_short(v) for v in answer.scores[rows, 1]],
            "label": labels}  # fmt: skip


def _short(value: float) -> float:
    return float(f"{value:.5g}")
