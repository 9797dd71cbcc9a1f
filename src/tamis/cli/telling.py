"""A described model in sentences and as a table."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, floor, log10
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tamis.cli.printing import notes
from tamis.cli.printing import tell as print_notes
from tamis.report.shown import shown

MOST_ROWS = 40  # coefficients printed; the saved model and --json have them all
ROUNDING = 1e-12  # of the objective: gaps below it differ from machine to machine
PENALTIES = {
    "l1": "lasso",
    "elastic": "elastic net",
    "group": "group lasso",
    "sparse-group": "sparse group lasso",
    "adaptive": "adaptive lasso",
}
RULES = {
    "min": "where the cross-validated error is least",
    "1se": "the largest within one standard error of the least cross-validated error",
    "aic": "where AIC is least",
    "bic": "where BIC is least",
    "ebic": "where the extended BIC is least",
}
NOT_WORTH = "what columns explain is not worth their number"
WHY_NONE = {
    "min": "columns do not lower the cross-validated error",
    "1se": "columns lower the cross-validated error by no more than one standard error",
    "aic": NOT_WORTH,
    "bic": NOT_WORTH,
    "ebic": NOT_WORTH,
}


def tell(told: dict[str, Any], out: Console, messages: Console) -> None:
    """The table and the sentences to ``out``, notes to ``messages``."""
    told = shown(told)
    if any(row["coefficient"] for row in told["coefficients"]):
        out.print(coefficient_table(told))
    for sentence in sentences(told):
        out.print(Text(sentence), soft_wrap=not out.is_terminal)
    print_notes(notes(told), messages)


def coefficient_table(told: dict[str, Any]) -> Table:
    """Coefficients that are not zero, and where on the path each enters."""
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True, padding=(0, 2, 0, 0))
    many = len(told["classes"] or ()) > 2
    names = [*(["class"] if many else []), "column", "coefficient", "per sd", "enters", "at α"]
    for name in names:
        words = name in ("class", "column")
        table.add_column(name, justify="left" if words else "right", no_wrap=not words, overflow="fold")
    rows = [row for row in told["coefficients"] if row["coefficient"]]
    for row in rows[:MOST_ROWS]:
        table.add_row(*(Text(cell) for cell in ([row["class"]] if many else []) + _cells(row)))
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


def sentences(told: dict[str, Any]) -> list[str]:
    """What was chosen, what the strongest coefficient means, how good it is on unseen rows, and the proof."""
    said = (_kept(told), _meaning(told), _error(told), _proof(told))
    return [sentence for sentence in said if sentence]


def _kept(told: dict[str, Any]) -> str:
    asked, alpha = told["asked"], told["alpha"]
    where = f"α = {alpha['chosen']:.3g}, {RULES[asked['rule']]}"
    model = f"The {PENALTIES[asked['penalty']]} of {_quoted(asked['target'])}"
    if not told["kept"]:
        return f"{model} keeps no column at {where}: {WHY_NONE[asked['rule']]}."
    never = [r for r in told["coefficients"] if r["order"] is None]
    enters = "enters" if len(never) == 1 else "enter"
    path = f"; {len(never):,} of {len(told['coefficients']):,} coefficients never {enters} the path" if never else ""
    return f"{model} keeps {len(told['kept']):,} of {_counted(told['data']['columns'])} at {where}{path}."


def _meaning(told: dict[str, Any]) -> str:
    """The strongest coefficient read aloud."""
    rows = [row for row in told["coefficients"] if row["coefficient"]]
    if not rows:
        return ""
    row = max(rows, key=lambda r: abs(r["per_sd"]))
    subject, effect = _quoted(told["asked"]["target"]), row["per_sd"]
    if row["level"] is None:
        begin = f"The strongest is {_quoted(row['column'])}: one standard deviation more"
    else:
        begin = f"The strongest is {_quoted(row['column'])}: being {_quoted(row['level'])}"
        effect = row["coefficient"]
    if told["classes"] is None:
        return f"{begin} {'raises' if effect > 0 else 'lowers'} the predicted {subject} by {abs(effect):.3g}."
    if row["class"] is None:
        return f"{begin} multiplies the odds of {_quoted(told['classes'][1])} by {factor(effect)}."
    return f"{begin} multiplies the weight of {_quoted(row['class'])} among the classes by {factor(effect)}."


def factor(effect: float) -> str:
    """e^effect in words: what nobody can imagine is not written out."""
    times = exp(min(effect, 100.0))
    return "more than a million" if times > 1e6 else f"{times:,.0f}" if times >= 100 else f"{times:.3g}"


def _error(told: dict[str, Any]) -> str:
    error = told["error"]
    if "folds" not in error:
        return f"{error['measure']} {error['chosen']:.5g}; without any column {error['null']:.5g}."
    number = _to_the_precision_of(error["spread"])
    least = "" if error["least"] == error["chosen"] else f", at best {number(error['least'])}"
    begin = f"On rows left out, in {error['folds']} folds: {error['measure']}"
    explained = 1 - error["chosen"] / error["null"] if error["null"] > 0 else 0.0
    share = f" ({explained:.0%} less)" if explained > 0 else ""
    measured = f"{number(error['chosen'])} ± {number(error['spread'])}"
    return f"{begin} {measured}{least}; without any column {number(error['null'])}{share}."


def _to_the_precision_of(spread: float) -> Callable[[float], str]:
    """How to write numbers that are known to two digits of their standard error."""
    if not 1e-6 < spread < 1e6:
        return lambda value: f"{value:.4g}"
    digits = max(0, 1 - floor(log10(spread)))
    return lambda value: f"{value:,.{digits}f}"


def _proof(told: dict[str, Any]) -> str:
    proof = told["certificate"]
    if proof is None:
        return "Not proved: no duality gap is known for this penalty."
    gap = f"{proof['gap']:.1e}" if proof["gap"] > ROUNDING * proof["objective"] else "rounding"
    return (
        f"Proved: no coefficients have an objective lower by more than {gap} "
        f"(duality gap; the objective is {proof['objective']:.4g})."
    )


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
