"""Answer of ``tamis select`` → plain dictionary of strings, numbers and lists: all that page and JSON are made of."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tamis._core.series import strongest
from tamis.report import words
from tamis.report.provenance import made
from tamis.report.rounds import describe_search
from tamis.studies.select_answer import ClassLasso, SelectAnswer
from tamis.studies.select_methods import FOLDS

MOST_LINES = 60  # of a path chart; fewer where there is one chart per class
DRAWN_ONLY = (
    "drawn", "axis", "moves", "ordered", "bins", "who", "does", "proves", "score_in_words", "recalled_in_words",
    "heading", "evidence",
)  # fmt: skip
DIGITS = 5  # significant, of the numbers that are only drawn


def summarise(answer: SelectAnswer) -> dict[str, Any]:
    """Everything the report and ``--json`` say."""
    summary: dict[str, Any] = {
        "question": _options(answer),
        "data": _data(answer),
        "columns": _columns(answer),
        "search": describe_search(answer) | {"nested": _nested(answer)},
        "lassos": [_lasso(answer, lasso) for lasso in answer.lassos],
        "made": _made(answer),
    }
    return summary | words.say(summary)


def _nested(answer: SelectAnswer) -> dict[str, Any] | None:
    """The score of the choice on rows that took no part in it; None where it is not known."""
    nested = answer.nested
    if nested is None or not np.isfinite(nested.score.value):
        return None
    return {
        "scoring": nested.scoring,
        "score": nested.score.value,
        "interval": [nested.score.low, nested.score.high],
        "against_none": _estimate(nested.against_none),
        "against_all": _estimate(nested.against_all),
        "better_than_none": nested.better_than_none,
        "all_columns": _estimate(nested.all_columns),
        "all_against_none": _estimate(nested.all_against_none),
        "folds": nested.n_folds,
        "sizes": nested.sizes,
        "chosen_in_folds": {str(name): n for name, n in nested.folds.items()},
    }


def _estimate(estimate: Any) -> dict[str, Any] | None:
    if not np.isfinite(estimate.value):
        return None
    return {"value": estimate.value, "interval": [estimate.low, estimate.high]}


def document(summary: dict[str, Any]) -> dict[str, Any]:
    """The JSON document: the summary without what is only drawn."""
    columns = [_but(c, "gain_share", "coefficient_share", "detail") for c in summary["columns"]]
    lassos = [_but(lasso, "path", "gap_in_words") for lasso in summary["lassos"]]
    data = _but(summary["data"], "kinds_in_words", "target_in_words", "missing_in_words")
    first = {"tamis": summary["made"]["versions"]["tamis"], "selected": summary["search"]["selected"]}
    rest = {k: summary[k] for k in ("question", "answer", "made")}
    search = _but(summary["search"], *DRAWN_ONLY)
    return first | rest | {"search": search, "data": data, "columns": columns, "lassos": lassos}


def _but(given: dict[str, Any], *names: str) -> dict[str, Any]:
    return {k: v for k, v in given.items() if k not in names}


def _options(answer: SelectAnswer) -> dict[str, Any]:
    q = answer.question
    why = "as asked" if q.task != "auto" else words.task_reason(answer)
    return {
        "table": q.table_title, "table_name": q.table_name, "target": q.target, "task": answer.task, "task_why": why,
        "method": q.one_method, **answer.chosen.plan.options, "set": list(q.settings), "n_features": q.n_features,
        "keep": list(q.keep), "feature_groups": list(q.feature_groups), "drop": list(q.drop),
        "time_limit": q.time_limit,
        "resume": None if q.checkpoint is None else str(q.checkpoint), "command": q.command,
    }  # fmt: skip


def _data(answer: SelectAnswer) -> dict[str, Any]:
    columns = answer.source.schema.columns
    return {
        "rows": _rows(answer),
        "columns": len(columns),
        "kinds": dict(Counter(str(c.kind) for c in columns)),
        "missing": {c.name: c.missing for c in columns if c.missing},
        "classes": [{"label": label, "rows": rows} for _, label, rows in answer.classes],
        "entropy": answer.information.entropy,
        "chance": answer.information.chance,
        "left_out": [{"column": name, "reason": reason} for name, reason in answer.left_out.items()],
        "warnings": [*answer.notes, *words.cautions(answer, _rows(answer))],
    }


def _rows(answer: SelectAnswer) -> int:
    n = answer.source.n_rows
    return n if n is not None else sum(rows for *_, rows in answer.classes)


def _columns(answer: SelectAnswer) -> list[dict[str, Any]]:
    """One row per usable column, by the method's own number where it has one, else by information gain, falling; ties
    keep the table's order."""
    gains, judged = answer.information.gains, answer.chosen.judged
    own = np.array([judged.get(name, -np.inf) for name in answer.usable.names]) if judged else gains
    order = np.argsort(-own, kind="stable")
    chosen = {name: i for i, name in enumerate(answer.chosen.columns, 1)}
    linear = _linear(answer)
    most_gain = answer.information.entropy or float(gains.max()) or 1.0  # what could be known
    most_linear = max((abs(v["coefficient"]) for v in linear.values()), default=0.0) or 1.0
    rows = []
    for rank, j in enumerate(order, 1):
        column = answer.usable.schema.columns[j]
        fit = linear.get(column.name, _NOT_FITTED)
        shares = {
            "gain_share": _short(min(1.0, gains[j] / most_gain)),
            "coefficient_share": _short(abs(fit["coefficient"] or 0.0) / most_linear),
        }
        about = {"rank": rank, "column": column.name, "kind": str(column.kind), "missing": column.missing}
        noise = {"noise": _of(answer.information.floor, j), "p": _of(answer.information.pvalues, j)}
        rows.append(
            {
                **about,
                "gain": float(gains[j]),
                **noise,
                "chosen": chosen.get(column.name),
                **_judged(answer, column.name),
                **fit,
                **shares,
            }
        )
    return rows


def _judged(answer: SelectAnswer, name: str) -> dict[str, float | None]:
    """The method's own number, its standard error and p-value."""
    chosen = answer.chosen
    return {
        "judged": chosen.judged.get(name),
        "judged_error": chosen.judged_errors.get(name),
        "judged_p": chosen.judged_pvalues.get(name),
    }


def _of(values: np.ndarray | None, j: int) -> float | None:
    return None if values is None else max(0.0, float(values[j]))


_NOT_FITTED: dict[str, Any] = dict.fromkeys(("coefficient", "level", "class", "enters", "step", "detail"))


def _linear(answer: SelectAnswer) -> dict[str, dict[str, Any]]:
    """Per column that the lassos saw: its largest coefficient, whose it is, and where it enters."""
    rows = {}
    for name, c in answer.linear_columns().items():
        row = {"coefficient": c.coefficient, "level": c.level, "class": c.label, "enters": c.enters, "step": c.step}
        rows[name] = {**row, "detail": words.detail(row, many=len(answer.lassos) > 1)}
    return rows


def _lasso(answer: SelectAnswer, lasso: ClassLasso) -> dict[str, Any]:
    model, ratios, path, curve = lasso.model, lasso.path.ratios, lasso.path.per_sd, lasso.curve
    best, simple = lasso.path.position(model.alpha_min_), lasso.path.position(model.alpha_1se_)
    null = curve.mean[0]
    return {
        "label": lasso.label,
        "alpha_max": float(model.alphas_[0]),
        "chosen": {"min": float(ratios[best]), "1se": float(ratios[simple])},
        "kept": {"min": answer.kept(path[best]), "1se": answer.kept(path[simple])},
        "explained": {"min": lasso.explained(model.alpha_min_), "1se": lasso.explained(model.alpha_1se_)},
        "dual_gap": float(model.dual_gap_),
        "strategy": str(model.strategy_),
        "cv": {"ratios": _shorts(ratios), "error": _shorts(curve.mean / null), "spread": _shorts(curve.spread / null),
               "n_kept": [len(answer.kept(row)) for row in path]},
        "path": _path(answer, ratios, path, simple),
    }  # fmt: skip


def _path(answer: SelectAnswer, ratios: np.ndarray, path: np.ndarray, at: int) -> dict[str, Any]:
    """The lines to draw: strongest at the chosen α first, then by their largest value anywhere."""
    drawn = [j for j in strongest(path, at) if path[:, j].any()][: MOST_LINES // min(3, len(answer.lassos))]
    names = [o if level is None else f"{o} = {level}" for o, level in zip(answer.origin, answer.levels, strict=True)]
    return {
        "ratios": _shorts(ratios),
        "series": [{"name": names[j], "coefficients": _shorts(path[:, j])} for j in drawn],
    }


def _made(answer: SelectAnswer) -> dict[str, Any]:
    settings = {
        **{key: value for key, value in answer.chosen.plan.options.items() if value is not None},
        **dict(setting.split("=", 1) for setting in answer.question.settings),
        "lasso": f"{len(answer.lassos[0].model.alphas_)} alphas",
        "folds": FOLDS,
        "rule": "1-SE",
        "columns": "standardised",
    }
    return made(seconds=answer.seconds, settings=settings)


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _shorts(values: np.ndarray) -> list[float]:
    return [_short(v) for v in values]
