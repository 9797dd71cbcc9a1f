"""Answer of ``tamis dictionary`` → plain dictionary → page."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report.charts import PALETTE, Spec
from tamis.report.html import page
from tamis.report.provenance import made
from tamis.studies.dictionary_answer import DictionaryAnswer
from tamis.studies.images import data_uri

MOST_LISTED = 40  # atoms of a table's rows
LARGEST = 4  # columns that are named for each
HEIGHT = 220
ENDED = {
    "max_iter": "as many as were asked for",
    "converged": "until the objective settled",
    "interrupted": "until it was interrupted",
}


def summarise_dictionary(answer: DictionaryAnswer) -> dict[str, Any]:
    """Numbers and words, for JSON, the terminal and the page."""
    question, model = answer.question, answer.model
    return {
        "question": {"files": [str(file) for file in question.files], "command": question.command},
        "answer": _sentences(answer),
        "rows": {"number": len(answer.rows.X), "what": answer.rows.what, "held_out": answer.held_out},
        "atoms": {
            "number": len(model.components_),
            "used": int((answer.usage > 0).sum()),
            "n_nonzero": question.n_nonzero,
            "coherence": round(answer.coherence, 4),
            "usage": answer.usage.tolist(),
        },
        "explained": {
            "while_learning": round(answer.explained, 6),
            "held_out": None if answer.explained_held_out is None else round(answer.explained_held_out, 6),
        },
        "learning": {
            "status": str(model.status_), "sweeps": model.n_iter_, "objective": model.objective_trace_.tolist(),
            "seconds": round(answer.seconds, 3),
        },
        "made": made(),
    }  # fmt: skip


def _sentences(answer: DictionaryAnswer) -> list[str]:
    model, rows = answer.model, answer.rows
    sweeps = f"{model.n_iter_} {'sweep' if model.n_iter_ == 1 else 'sweeps'}"
    begin = f"{len(model.components_)} atoms from {len(rows.X):,} {rows.what}, {sweeps}"
    kept = f"codes of at most {min(answer.question.n_nonzero, *model.components_.shape)} atoms keep"
    if not np.nan_to_num(rows.X).any():
        first = (
            f"{begin}: all of them are zero{' without their means' if rows.shape else ''}; there is nothing to code."
        )
    elif answer.explained_held_out is None:
        first = f"{begin}: {kept} {answer.explained:.1%} of the squares they were learned from."
    else:
        first = (
            f"{begin}: {kept} {answer.explained_held_out:.1%} of the squares of {answer.held_out:,} {rows.what} that "
            f"were left out of learning, and {answer.explained:.1%} of the others."
        )
    idle = int((answer.usage == 0).sum())
    ended = "" if str(model.status_) != "interrupted" else " Learning was interrupted."
    return [
        first,
        *([f"{idle} atoms are used by no row: fewer would do."] if idle else []),
        *([ended] if ended else []),
    ]


def render_dictionary(answer: DictionaryAnswer, summary: dict[str, Any]) -> str:
    """The page: the atoms side by side, how often each is used, and how the objective fell."""
    specs = {"usage": _usage(answer), "objective": _objective(answer)}
    atoms = data_uri(answer.atoms_image()) if answer.rows.shape else None
    ended = ENDED[str(answer.model.status_)]
    return page("dictionary.html", specs, s=summary, atoms=atoms, rows=_atom_rows(answer), ended=ended)


def _atom_rows(answer: DictionaryAnswer) -> list[dict[str, Any]]:
    """The most used atoms of a table, by the columns that matter most in them."""
    names, D, n = answer.rows.names, answer.model.components_, len(answer.rows.X) - answer.held_out
    if not names:
        return []
    return [
        {
            "atom": int(j) + 1,
            "share": float(answer.usage[j]) / n,
            "columns": [(names[c], float(D[j, c])) for c in np.argsort(-np.abs(D[j]), kind="stable")[:LARGEST]],
        }
        for j in answer.order[:MOST_LISTED]
    ]


def _usage(answer: DictionaryAnswer) -> Spec:
    n = len(answer.rows.X) - answer.held_out
    shares = answer.usage[answer.order] / n
    rows = [
        {"rank": i, "atom": int(j) + 1, "share": float(f"{s:.4g}")}
        for i, (j, s) in enumerate(zip(answer.order, shares, strict=True), 1)
    ]
    x = {
        "field": "rank",
        "type": "quantitative",
        "title": "atoms, the most used first",
        "axis": {"tickMinStep": 1},
        "scale": {"zero": False, "nice": False},
    }
    y = {
        "field": "share",
        "type": "quantitative",
        "title": f"share of the {answer.rows.what.split()[0]}",
        "axis": {"format": "%"},
    }
    tips = [{"field": "atom", "title": "atom"}, {"field": "share", "title": "share", "format": ".1%"}]
    mark = {"type": "area", "line": {"color": PALETTE[0]}, "color": PALETTE[0], "opacity": 0.35}
    return _chart(rows, mark, {"x": x, "y": y, "tooltip": tips})


def _objective(answer: DictionaryAnswer) -> Spec:
    values = answer.model.objective_trace_
    rows = [{"sweep": i, "value": float(f"{v:.6g}")} for i, v in enumerate(values, 1)]
    x = {"field": "sweep", "type": "quantitative", "axis": {"tickMinStep": 1}, "scale": {"zero": False}}
    y = {"field": "value", "type": "quantitative", "title": "mean of ½‖x − zD‖²", "scale": {"zero": True}}
    return _chart(rows, {"type": "line", "point": {"color": PALETTE[1]}, "color": PALETTE[1]}, {"x": x, "y": y})


def _chart(rows: list[dict[str, Any]], mark: Spec, encoding: Spec) -> Spec:
    size = {"width": "container", "height": HEIGHT, "autosize": {"type": "fit-x", "contains": "padding"}}
    return {"data": {"values": rows}, **size, "mark": mark, "encoding": encoding}
