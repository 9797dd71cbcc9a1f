"""A fitted table model as a plain dictionary: what is printed, dumped as JSON and kept in the saved file."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np

from tamis.cli.fitting import CRITERIA, Fitted

MEASURES = {"regression": "mean squared error", "classification": "log loss"}


def describe(fitted: Fitted, table: str, command: str) -> dict[str, Any]:
    """Every number of the answer; the sentences are added by ``tamis.cli.telling``."""
    model, wanted = fitted.model, fitted.wanted
    rows = coefficients(fitted)
    kept = {row["column"] for row in rows if row["coefficient"]}
    return {
        "asked": {"table": table, "target": wanted.target, "task": fitted.task, "penalty": wanted.penalty,
                  "rule": wanted.rule, "command": command},
        "data": {
            "rows": fitted.n_rows,
            "columns": len(set(fitted.origin)),
            "left_out": [{"column": name, "reason": reason} for name, reason in fitted.left_out.items()],
            "filled": dict(fitted.filled),
            "warnings": _filled_in_words(fitted) + fitted.notes,
        },
        "classes": _classes(model),
        "alpha": {"chosen": float(model.alpha_), "max": float(model.alphas_[0]), "min": float(model.alphas_[-1])},
        "kept": [name for name in dict.fromkeys(fitted.origin) if name in kept],
        "error": _error(fitted),
        "intercept": np.ravel(model.intercept_).tolist(),
        "coefficients": rows,
        "certificate": _certificate(model),
        "road": str(model.road_),
        "versions": {name: version(name) for name in ("tamis", "numpy", "scipy", "scikit-learn")},
    }  # fmt: skip


def _certificate(model: Any) -> dict[str, float] | None:
    """None where no duality gap is known."""
    if model.certificate_ is None:
        return None
    return {"gap": float(model.dual_gap_), "objective": float(model.certificate_.primal)}


def coefficients(fitted: Fitted) -> list[dict[str, Any]]:
    """One entry per coefficient, strongest first within its class; zero ones last, in the order they would enter."""
    model = fitted.model
    W = np.atleast_2d(model.coef_)
    K, p = W.shape
    path = model.coef_path_.reshape(-1, K, p)
    used = path != 0
    first = np.where(used.any(axis=0), used.argmax(axis=0), len(path))
    labels: list[Any] = [str(c) for c in model.classes_] if K > 1 else [None]
    rows = [_row(fitted, j, labels[k], float(W[k, j]), int(first[k, j])) for k in range(K) for j in range(p)]
    starts = np.sort(first, axis=None)
    for row in rows:
        step = row.pop("step")
        row["order"] = None if step == len(path) else 1 + int(np.searchsorted(starts, step))
        row["enters_at"] = None if step == len(path) else float(model.alphas_[step])
    place = {label: k for k, label in enumerate(labels)}
    return sorted(rows, key=lambda r: (place[r["class"]], -abs(r["per_sd"]), r["order"] or len(starts) + 1))


def _row(fitted: Fitted, j: int, label: str | None, coefficient: float, step: int) -> dict[str, Any]:
    return {
        "column": fitted.origin[j],
        "level": fitted.levels[j],
        "class": label,
        "coefficient": coefficient,
        "per_sd": coefficient * float(fitted.model.scale_[j]),
        "step": step,
    }


def _classes(model: Any) -> list[str] | None:
    return [str(c) for c in model.classes_] if hasattr(model, "classes_") else None


def _error(fitted: Fitted) -> dict[str, Any]:
    """The held-out error at the α chosen and of the null model; or the criterion."""
    model, rule = fitted.model, fitted.wanted.rule
    at = int(np.flatnonzero(model.alphas_ == model.alpha_)[0])
    if rule in CRITERIA:
        values = model.criterion_path_
        return {"measure": rule.upper(), "chosen": float(values[at]), "null": float(values[0])}
    errors = -model.scores_path_
    mean, folds = errors.mean(axis=1), errors.shape[1]
    return {
        "measure": MEASURES[fitted.task],
        "chosen": float(mean[at]),
        "spread": float(errors[at].std(ddof=1) / np.sqrt(folds)),
        "null": fitted.null_error,
        "least": float(mean.min()),
        "folds": folds,
    }


def _filled_in_words(fitted: Fitted) -> list[str]:
    counted = [f"{name!r} ({count:,})" for name, count in fitted.filled.items()]
    more = f" and {len(counted) - 6} more columns" if len(counted) > 6 else ""
    return [f"missing values became the mean of their column: {', '.join(counted[:6])}{more}"] if counted else []
