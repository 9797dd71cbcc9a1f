"""Answer of ``tamis fit`` → plain dictionary: what is printed, dumped as JSON and kept in the saved file."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np

from tamis._core.series import error_curve
from tamis.studies.fit import LOSSES, RULES
from tamis.studies.fit_answer import FitAnswer


def summarise_model(answer: FitAnswer) -> dict[str, Any]:
    """Every number of the answer; ``tamis.cli.format_model`` makes sentences of them."""
    model, question = answer.model, answer.question
    rows = coefficients(answer)
    kept = {row["column"] for row in rows if row["coefficient"]}
    return {
        "question": {"table": str(question.table), "target": question.target, "task": answer.task,
                  "penalty": question.penalty, "loss": answer.loss, "rule": question.chosen_by,
                  "command": question.command, "id": list(question.id)},
        "data": {
            "rows": answer.n_rows,
            "columns": len(set(answer.origin)),
            "left_out": [{"column": name, "reason": reason} for name, reason in answer.left_out.items()],
            "filled": dict(answer.filled),
            "unlabelled": dict(answer.unlabelled),
            "warnings": [
                *_gaps("missing values became the mean of their column", answer.filled),
                *_gaps("missing labels became 0 in each 0/1 column of their column", answer.unlabelled),
                *answer.notes,
            ],
        },
        "classes": _classes(model),
        "alpha": _alpha(model),
        "subset": _subset(answer),
        "kept": [name for name in dict.fromkeys(answer.origin) if name in kept],
        "error": _error(answer),
        "held_out": _held_out(answer),
        "intercept": np.ravel(model.intercept_).tolist(),
        "coefficients": rows,
        "certificate": _certificate(model),
        "strategy": str(model.strategy_),
        "versions": {name: version(name) for name in ("tamis", "numpy", "scipy", "scikit-learn")},
    }  # fmt: skip


def _alpha(model: Any) -> dict[str, float] | None:
    """None of a subset, which has no penalty."""
    if not hasattr(model, "alphas_"):
        return None
    return {"chosen": float(model.alpha_), "max": float(model.alphas_[0]), "min": float(model.alphas_[-1])}


def _subset(answer: FitAnswer) -> dict[str, Any] | None:
    """How many columns, of which sizes they were chosen, and how much better any other subset can be."""
    model = answer.model
    if answer.question.best_subset is None:
        return None
    gap = None if model.certificate_ is None else float(model.certificate_.relative_gap)
    sizes = getattr(model, "sizes_", np.array([model.n_nonzero_]))
    return {"n_nonzero": int(model.n_nonzero_), "sizes": sizes.tolist(), "relative_gap": gap}


def _certificate(model: Any) -> dict[str, float] | None:
    """None where no duality gap is known."""
    if model.certificate_ is None:
        return None
    return {"gap": float(model.dual_gap_), "objective": float(model.certificate_.primal)}


def coefficients(answer: FitAnswer) -> list[dict[str, Any]]:
    """One entry per coefficient, strongest first within its class; zero ones last, in the order they would enter."""
    model = answer.model
    W = np.atleast_2d(model.coef_)
    K, p = W.shape
    path = model.coef_path_.reshape(-1, K, p) if hasattr(model, "coef_path_") else np.zeros((0, K, p))
    used = path != 0
    first = np.where(used.any(axis=0), used.argmax(axis=0), len(path)) if len(path) else np.zeros((K, p), np.int64)
    labels: list[Any] = [str(c) for c in model.classes_] if K > 1 else [None]
    rows = [_row(answer, j, labels[k], float(W[k, j]), int(first[k, j])) for k in range(K) for j in range(p)]
    starts = np.sort(first, axis=None)
    for row in rows:
        step = row.pop("step")
        row["order"] = None if step == len(path) else 1 + int(np.searchsorted(starts, step))
        row["enters_at"] = None if step == len(path) else float(model.alphas_[step])
    place = {label: k for k, label in enumerate(labels)}
    return sorted(rows, key=lambda r: (place[r["class"]], -abs(r["per_sd"]), r["order"] or len(starts) + 1))


def _row(answer: FitAnswer, j: int, label: str | None, coefficient: float, step: int) -> dict[str, Any]:
    return {
        "column": answer.origin[j],
        "level": answer.levels[j],
        "class": label,
        "coefficient": coefficient,
        "per_sd": coefficient * float(answer.model.scale_[j]),
        "step": step,
    }


def _classes(model: Any) -> list[str] | None:
    return [str(c) for c in model.classes_] if hasattr(model, "classes_") else None


def _error(answer: FitAnswer) -> dict[str, Any]:
    """The held-out error at the α chosen and of the null model; or the criterion."""
    model, rule = answer.model, answer.question.rule
    if answer.question.best_subset is not None:
        return _subset_error(answer)
    at = int(np.flatnonzero(model.alphas_ == model.alpha_)[0])
    if not RULES[rule].folds:
        values = model.criterion_path_
        return {"measure": rule.upper(), "chosen": float(values[at]), "null": float(values[0])}
    curve, folds = error_curve(model), model.scores_path_.shape[1]
    return {
        "measure": LOSSES[answer.loss].measure,
        "chosen": float(curve.mean[at]),
        "spread": float(curve.spread[at]),
        "null": answer.null_error,
        "least": float(curve.mean.min()),
        "folds": folds,
    }


def _held_out(answer: FitAnswer) -> dict[str, Any] | None:
    """Where they were computed: AUC and accuracy, or R² and error, with intervals on rows that chose nothing."""
    found = answer.held_out
    if found is None:
        return None
    measures = {name: {"value": e.value, "low": e.low, "high": e.high} for name, e in found.scores.items()}
    return {**measures, f"null_{list(measures)[1]}": found.null, "rows": found.rows}


def _subset_error(answer: FitAnswer) -> dict[str, Any]:
    """What chose the size; of one size the share that is left of the null model's loss on these very rows."""
    model, rule = answer.model, answer.question.chosen_by
    if not hasattr(model, "sizes_"):
        return {"measure": "none", "chosen": 0.0, "null": 0.0}
    at = int(np.flatnonzero(model.sizes_ == model.n_nonzero_)[0])
    values = [float(value) for value in model.criterion_path_]
    measure = rule.upper() if rule == "bic" else f"{LOSSES[answer.loss].measure} on rows left out, while choosing"
    return {"measure": measure, "chosen": values[at], "null": values[0]}


def _gaps(became: str, gaps: dict[str, int]) -> list[str]:
    counted = [f"{name!r} ({count:,})" for name, count in gaps.items()]
    more = f" and {len(counted) - 6} more columns" if len(counted) > 6 else ""
    return [f"{became}: {', '.join(counted[:6])}{more}"] if counted else []
