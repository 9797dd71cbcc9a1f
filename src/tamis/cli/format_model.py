"""The answer of ``tamis fit`` on a terminal: a table and sentences."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, floor, log10
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tamis.cli.console import data_notes, print_notes
from tamis.report.readable import readable
from tamis.studies.fit import LOSSES, PENALTIES, RULES

MOST_ROWS = 40  # coefficients printed; the saved model and --json have them all
FOLDS_KEEP = " (two errors, for at this α models of the folds keep columns that the model of all rows does not)"
ROUNDING = 1e-12  # of the objective: gaps below it differ from machine to machine


def print_model(summary: dict[str, Any], out: Console, messages: Console) -> None:
    """The table and the sentences to ``out``, notes to ``messages``."""
    summary = readable(summary)
    if any(row["coefficient"] for row in summary["coefficients"]):
        out.print(coefficient_table(summary))
    for sentence in sentences(summary):
        out.print(Text(sentence), soft_wrap=not out.is_terminal)
    print_notes(data_notes(summary), messages)


def coefficient_table(summary: dict[str, Any]) -> Table:
    """Coefficients that are not zero, and where on the path each enters."""
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True, padding=(0, 2, 0, 0))
    many = len(summary["classes"] or ()) > 2
    path = ["enters", "at α"] if summary["alpha"] is not None else []
    names = [*(["class"] if many else []), "column", "coefficient", "per sd", *path]
    for name in names:
        words = name in ("class", "column")
        table.add_column(name, justify="left" if words else "right", no_wrap=not words, overflow="fold")
    rows = [row for row in summary["coefficients"] if row["coefficient"]]
    for row in rows[:MOST_ROWS]:
        table.add_row(*(Text(cell) for cell in ([row["class"]] if many else []) + _cells(row)[: 3 + len(path)]))
    if len(rows) > MOST_ROWS:
        table.add_row(*([""] if many else []), f"… and {len(rows) - MOST_ROWS:,} more")
    return table


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        called(row),
        f"{row['coefficient']:+.4g}",
        f"{row['per_sd']:+.3g}",
        "" if row["order"] is None else ordinal(row["order"]),
        "" if row["enters_at"] is None else f"{row['enters_at']:.3g}",
    ]


def sentences(summary: dict[str, Any]) -> list[str]:
    """What was chosen, what the strongest coefficient means, how good it is on unseen rows, and the proof."""
    found = (_kept(summary), _meaning(summary), _held_out(summary), _error(summary), _proof(summary))
    return [sentence for sentence in found if sentence]


def _kept(summary: dict[str, Any]) -> str:
    question, alpha = summary["question"], summary["alpha"]
    if alpha is None:
        return _subset(summary)
    where = f"α = {alpha['chosen']:.3g}, {RULES[question['rule']].where}"
    model = f"The {PENALTIES[question['penalty']]} of {_quoted(question['target'])}"
    if not summary["kept"]:
        return f"{model} keeps no column at {where}: {RULES[question['rule']].why_none}."
    never = [r for r in summary["coefficients"] if r["order"] is None]
    enters = "enters" if len(never) == 1 else "enter"
    path = f"; {len(never):,} of {len(summary['coefficients']):,} coefficients never {enters} the path" if never else ""
    return f"{model} keeps {len(summary['kept']):,} of {_counted(summary['data']['columns'])} at {where}{path}."


def _subset(summary: dict[str, Any]) -> str:
    question, subset = summary["question"], summary["subset"]
    sizes, begin = subset["sizes"], f"The best subset for {_quoted(question['target'])}"
    of = f"{begin} has {len(summary['kept']):,} of {_counted(summary['data']['columns'])}"
    if len(sizes) == 1:
        return f"{of}, as asked." if sizes[0] == len(summary["kept"]) else f"{of}."
    return f"{of}: of {sizes[0]} to {sizes[-1]}, {RULES[question['rule']].where}."


def _meaning(summary: dict[str, Any]) -> str:
    """What the strongest coefficient means."""
    rows = [row for row in summary["coefficients"] if row["coefficient"]]
    if not rows:
        return ""
    row = max(rows, key=lambda r: abs(r["per_sd"]))
    subject, effect = _quoted(summary["question"]["target"]), row["per_sd"]
    if row["level"] is None:
        begin = f"The strongest is {_quoted(row['column'])}: one standard deviation more"
    else:
        begin = f"The strongest is {_quoted(row['column'])}: being {_quoted(row['level'])}"
        effect = row["coefficient"]
    loss = summary["question"]["loss"]
    if loss in ("poisson", "gamma"):
        return f"{begin} multiplies the predicted {subject} by {factor(effect)}."
    if loss == "svm":
        more = "raises" if effect > 0 else "lowers"
        return f"{begin} {more} the margin of {_quoted(summary['classes'][1])} by {abs(effect):.3g}."
    if summary["classes"] is None:
        return f"{begin} {'raises' if effect > 0 else 'lowers'} the predicted {subject} by {abs(effect):.3g}."
    if row["class"] is None:
        return f"{begin} multiplies the odds of {_quoted(summary['classes'][1])} by {factor(effect)}."
    return f"{begin} multiplies the weight of {_quoted(row['class'])} among the classes by {factor(effect)}."


def factor(effect: float) -> str:
    """e^effect in words: what nobody can imagine is not written out."""
    times = exp(min(effect, 100.0))
    return "more than a million" if times > 1e6 else f"{times:,.0f}" if times >= 100 else f"{times:.3g}"


def _error(summary: dict[str, Any]) -> str:
    error = summary["error"]
    if summary["subset"] is not None:
        sizes = summary["subset"]["sizes"]
        if len(sizes) == 1:
            return ""
        return f"{error['measure']}: {error['chosen']:.5g}; with {_counted(sizes[0])} {error['null']:.5g}."
    if "folds" not in error:
        return f"{error['measure']} {error['chosen']:.5g}; without any column {error['null']:.5g}."
    number = _to_the_precision_of(error["spread"])
    least = "" if error["least"] == error["chosen"] else f", at best {number(error['least'])}"
    begin = f"While choosing α, on rows left out in {error['folds']} folds: {error['measure']}"
    from_zero = LOSSES[summary["question"]["loss"]].from_zero
    explained = 1 - error["chosen"] / error["null"] if error["null"] > 0 and from_zero else 0.0
    share = f" ({explained:.0%} less)" if explained > 0 else ""
    measured = f"{number(error['chosen'])} ± {number(error['spread'])}"
    known = "" if summary["kept"] or number(error["chosen"]) == number(error["null"]) else FOLDS_KEEP
    return f"{begin} {measured}{least}; without any column {number(error['null'])}{share}{known}."


def _held_out(summary: dict[str, Any]) -> str:
    found = summary.get("held_out")  # models saved by earlier versions have none
    if found is None:
        return ""
    begin = f"On {found['rows']:,} rows that took no part, α chosen without them too:"
    if "auc" in found:
        auc, accuracy = _with_interval(found["auc"], ".3f"), _with_interval(found["accuracy"], ".3f")
        most = f"the most frequent class is {found['null_accuracy']:.3f} of the rows"
        return f"{begin} AUC {auc}, accuracy {accuracy}; {most}."
    digits = ",.0f" if 1000 <= found["null_mae"] < 1e9 else ".3g"
    r2, error = _with_interval(found["r2"], ".3f"), _with_interval(found["mae"], digits)
    return f"{begin} R² {r2}, mean absolute error {error}; predicting the mean is off by {found['null_mae']:{digits}}."


def _with_interval(one: dict[str, float], digits: str) -> str:
    value, low, high = (f"{one[name]:{digits}}".replace("-", "−") for name in ("value", "low", "high"))
    return f"{value} ({low} to {high})"


def _to_the_precision_of(spread: float) -> Callable[[float], str]:
    """How to write numbers that are known to two digits of their standard error."""
    if not 1e-6 < spread < 1e6:
        return lambda value: f"{value:.4g}"
    digits = max(0, 1 - floor(log10(spread)))
    return lambda value: f"{value:,.{digits}f}"


def _proof(summary: dict[str, Any]) -> str:
    proof, subset = summary["certificate"], summary["subset"]
    if subset is not None:
        return _subset_proof(subset)
    if proof is None:
        return "Not proved: no duality gap is known for this penalty."
    gap = f"{proof['gap']:.1e}" if proof["gap"] > ROUNDING * proof["objective"] else "rounding"
    return (
        f"Proved: no coefficients have an objective lower by more than {gap} "
        f"(duality gap; the objective is {proof['objective']:.4g})."
    )


def _subset_proof(subset: dict[str, Any]) -> str:
    gap, n = subset["relative_gap"], _counted(subset["n_nonzero"])
    if gap is None:
        return "Not proved: for classes the subset is the best that exchanges of columns find."
    if gap <= ROUNDING:
        return f"Proved: no subset of {n} fits these rows better."
    if gap < 1:
        return f"Proved: no subset of {n} has an objective lower by more than {gap:.2%}."
    return f"Not proved: nothing is known about other subsets of {n} in this time."


def called(row: dict[str, Any]) -> str:
    return row["column"] if row["level"] is None else f"{row['column']} = {row['level']}"


def ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th, … 11th, 12th, 13th, … 21st."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def _quoted(name: str) -> str:
    return f"‘{name}’"


def _counted(n: int) -> str:
    return f"{n:,} column{'s' * (n != 1)}"
