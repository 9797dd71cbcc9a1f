"""The sentences: what was asked, what was found, what to be careful about. Numbers come from the summary."""

from __future__ import annotations

from typing import Any

from tamis.report.search_words import about_search
from tamis.studies.select_answer import SelectAnswer

FEW_ROWS = 50
FEW_PER_COMBINATION = 5  # rows that agree on all chosen columns; with fewer, agreement is chance
NAMED = 6  # columns a sentence names before it says "and 5 more"


def say(s: dict[str, Any]) -> dict[str, Any]:
    """The parts of the summary that are words."""
    s["data"] |= about_data(s)
    s["search"] |= about_search(s)
    for lasso in s["lassos"]:
        lasso["gap_in_words"] = (
            f"{lasso['dual_gap']:.1e}: no coefficients can have an objective lower by more than this (proved)"
        )
    return {"answer": answer(s), "tiles": _tiles(s), "words": _leads(s)}


def about_data(s: dict[str, Any]) -> dict[str, str]:
    return {"kinds_in_words": _kinds(s), "target_in_words": _target(s), "missing_in_words": _missing(s)}


def answer(s: dict[str, Any]) -> list[str]:
    """What was found, in a few sentences a colleague would say."""
    return [sentence for sentence in (headline(s), _together(s), _first(s), _linear(s), _agreement(s)) if sentence]


def headline(s: dict[str, Any]) -> str:
    """What the choice is worth on rows that took no part in it; that it is worth nothing where that is so."""
    nested, chosen, target = s["search"]["nested"], s["search"]["selected"], quoted(s["question"]["target"])
    if nested is None:
        return "" if chosen else _upper(f"{_none_chosen(s)}.")
    if chosen and nested["better_than_none"]:
        among = _difference(nested["against_all"], f"all {s['data']['columns']:,} columns")
        verb = "predicts" if len(chosen) == 1 else "predict"
        return f"{listed(chosen)} {verb} {target}: {_value(nested)}{_difference(nested['against_none'])}{among}."
    score = f"{_value(nested)}{_difference(nested['against_none'])}"
    named = "the column chosen" if len(chosen) == 1 else f"the {len(chosen)} columns chosen"
    verb = "is" if len(chosen) == 1 else "are"
    found = f"{named} for {target} {verb} no better than none: {score}" if chosen else _none_chosen(s)
    together = nested["all_against_none"]
    if together is None or not together["interval"][0] > 0:
        beside = "" if chosen else f"; in the folds it has {score}"
        return f"Nothing was found: {found}{beside}."
    everything = f"all {s['data']['columns']:,} columns together have {nested['scoring']} {_estimate(nested)}"
    return f"{_upper(found)}. But {everything} on rows left out{_difference(together)}: try another --evaluation."


def _none_chosen(s: dict[str, Any]) -> str:
    search, target = s["search"], quoted(s["question"]["target"])
    return (
        f"{search['who']} by {search['evaluation']} chose no column for {target}: none stands out of what chance gives"
    )


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _value(nested: dict[str, Any]) -> str:
    """The score of the choice with its interval."""
    value, (low, high) = nested["score"], nested["interval"]
    skewed = "" if low <= value <= high else ", its mean pulled out of the interval by a few resamples"
    return f"{nested['scoring']} {number(value)} {_interval([low, high])} in rows never used to choose{skewed}"


def _estimate(nested: dict[str, Any]) -> str:
    return f"{number(nested['all_columns']['value'])} {_interval(nested['all_columns']['interval'])}"


def number(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _interval(interval: list[float]) -> str:
    return f"({number(interval[0])} to {number(interval[1])})"


def _difference(estimate: dict[str, Any] | None, what: str = "no column") -> str:
    if estimate is None:
        return ""
    low, high = estimate["interval"]
    return f"; {estimate['value']:+.3f} ({low:+.3f} to {high:+.3f}) against {what}".replace("-", "−")


def _first(s: dict[str, Any]) -> str:
    best = max(s["columns"], key=lambda c: c["gain"])
    if best["gain"] <= 0:
        return f"No column tells anything about {quoted(s['question']['target'])} on its own."
    target, entropy, chance = s["question"]["target"], s["data"]["entropy"], s["data"]["chance"]
    if best["gain"] <= chance or (best["p"] or 0.0) > 0.05:
        alike = f"a column that tells nothing may reach {chance:.2f} here"
        most = f"{quoted(best['column'])} most, {best['gain']:.2f} bits"
        return f"No column tells more than chance on its own: {most}; {alike}."
    known = f"{best['gain']:.2f} of the {entropy:.2f} bits there are to know about {quoted(target)}"
    return f"{quoted(best['column'])} tells most on its own: {known}; chance reaches {chance:.2f}."


def _together(s: dict[str, Any]) -> str:
    chosen, search = s["search"]["selected"], s["search"]
    who = _upper(search["who"])
    if search["score"] is None and search["status"] != "finished":
        return f"{who} has no solution yet, so all {columns(len(chosen))} are kept."
    if not chosen:
        return f"{who} chose no column."
    if search["score"] is None:
        return f"{who} chose {columns(len(chosen))}: {listed(chosen)}."
    value = f"{score(search['score'])} {search['unit']}".strip()
    if search["share"] is not None:
        value = f"{search['score']:.2f} of the {s['data']['entropy']:.2f} bits"
    flatters = "while choosing, in the rows that chose them: this flatters"
    return f"{who} chose {columns(len(chosen))} by {search['evaluation']} ({value} {flatters}): {listed(chosen)}."


def _linear(s: dict[str, Any]) -> str:
    if not s["lassos"]:
        return ""
    if len(s["lassos"]) > 1:
        kept = sum(1 for c in s["columns"] if c["coefficient"])
        return f"The lasso, fitted to each class against the others, keeps {columns(kept)} for at least one class."
    lasso = s["lassos"][0]
    kept = lasso["kept"]["1se"]
    if not kept:
        return "The lasso keeps no column: a linear model predicts new rows no better with them than without."
    of = f" of {quoted(lasso['label'])} against the rest" if lasso["label"] else ""
    explained = f"{_percent(lasso['explained']['1se'])} of the {_error_of(lasso)}{of} in rows it had not seen"
    which = "which explains" if len(kept) == 1 else "which explain"
    return f"The lasso keeps {columns(len(kept))}, {which} {explained}; the strongest: {listed(kept[:3])}."


def _error_of(lasso: dict[str, Any]) -> str:
    """What the share is of that the lasso explains."""
    return "log loss" if lasso["label"] else "variance"


def _agreement(s: dict[str, Any]) -> str:
    kept = {c["column"] for c in s["columns"] if c["coefficient"]}
    both = [name for name in s["search"]["selected"] if name in kept]
    alike = both and len(s["search"]["selected"]) > 1 and s["search"]["score"] is not None
    return f"Both {s['search']['who']} and the lasso chose {listed(both)}." if alike else ""


def _tiles(s: dict[str, Any]) -> list[dict[str, str]]:
    tiles = [
        {"value": f"{s['data']['rows']:,}", "label": "rows"},
        {"value": f"{s['data']['columns']:,}", "label": "columns besides the target"},
        {"value": str(len(s["search"]["selected"])), "label": f"chosen by {s['search']['who']}"},
    ]
    nested = s["search"]["nested"]
    if nested is not None:
        label = f"{nested['scoring']} in rows never used to choose, {_interval(nested['interval'])}"
        tiles.append({"value": number(nested["score"]), "label": label})
    if len(s["lassos"]) == 1:
        lasso = s["lassos"][0]
        tiles.append({"value": str(len(lasso["kept"]["1se"])), "label": "kept by the lasso"})
        tiles.append(
            {
                "value": _percent(lasso["explained"]["1se"]),
                "label": f"of the {_error_of(lasso)} explained by the lasso in unseen rows",
            }
        )
    return tiles


def _leads(s: dict[str, Any]) -> dict[str, str]:
    """The line under each heading."""
    subject = (
        f"the log odds of {quoted(s['lassos'][0]['label'])}"
        if s["lassos"] and s["lassos"][0]["label"]
        else quoted(s["question"]["target"])
    )
    if len(s["lassos"]) > 1:
        subject = "the log odds of the class"
    each = " For each column the class where its coefficient is largest is named." if len(s["lassos"]) > 1 else ""
    classes = (
        " Each class is predicted against all others by logistic regression." if len(s["lassos"]) > 1 else _indicator(s)
    )
    return {
        "unit": subject,
        "cut": cut(s),
        "ranking": f"By {s['search']['judged'] or 'information gain'}; green rows were chosen by {s['search']['who']}. "
        f"The lasso's coefficients are those at the 1-SE choice.{each}",
        "path": "Each line is a column: from left to right the penalty falls and columns enter."
        f"{classes} Come near a line to see its name.",
        "cv": f"{'Log loss' if s['data']['classes'] else 'Squared error'} in rows left out, one fifth at a time, "
        "with one standard error to each side. "
        "Best: the smallest error. 1-SE: the largest penalty whose error is within one standard error of it, "
        "hence fewer columns.",
    }


def cut(s: dict[str, Any]) -> str:
    """How numbers became values that can be counted."""
    if "continuous" not in s["data"]["kinds"]:
        return ""
    if s["data"]["classes"]:
        return (
            "Columns of numbers are cut where the classes change, as far as that makes the description of the rows "
            "shorter; one that no cut helps tells nothing."
        )
    return "Columns of numbers, and the target, are cut into ten parts of equal size."


def _indicator(s: dict[str, Any]) -> str:
    label = s["lassos"][0]["label"] if s["lassos"] else None
    return (
        f" Predicted are the odds of {quoted(label)} against the other class, by logistic regression." if label else ""
    )


def task_reason(answer: Any) -> str:
    if answer.classes:
        return f"the target has {len(answer.classes)} different values"
    return "the target is a number with many different values"


def few_rows(rows: int) -> str:
    return f"only {rows} rows: with so few, columns look informative by chance"


def cautions(answer: SelectAnswer, rows: int) -> list[str]:
    """What to be careful about."""
    notes = []
    if rows < FEW_ROWS:
        notes.append(few_rows(rows))
    cells = answer.information.combinations
    if answer.chosen.meaning.cells and cells * FEW_PER_COMBINATION > rows:
        notes.append(
            f"the chosen columns cut the {rows:,} rows into {cells:,} different combinations, "
            f"{rows / cells:.1f} rows each: part of what they tell together is chance; --n-features asks for fewer"
        )
    who = "the lasso and the search" if answer.chosen.meaning.numbers else "the lasso"
    if answer.filled:
        notes.append(f"for {who}, missing values were replaced by the mean of their column: {_counted(answer.filled)}")
    if answer.unlabelled:
        gaps = _counted(answer.unlabelled)
        notes.append(f"for {who}, missing labels are 0 in each 0/1 column of their column: {gaps}")
    if answer.classes:
        label, few = min(((label, n) for _, label, n in answer.classes), key=lambda item: item[1])
        if few < 10:
            notes.append(f"class {quoted(label)} has only {few} rows")
    return notes


def detail(fit: dict[str, Any], *, many: bool) -> str | None:
    """Which level of a column, and which class, its coefficient belongs to."""
    parts = []
    if fit["level"] is not None:
        parts.append(f"level {quoted(str(fit['level']))}")
    if many and fit["class"] is not None:
        parts.append(f"for {quoted(str(fit['class']))}")
    return ", ".join(parts) or None


def _kinds(s: dict[str, Any]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in sorted(s["data"]["kinds"].items(), key=lambda item: -item[1]))


def _target(s: dict[str, Any]) -> str:
    classes = s["data"]["classes"]
    if not classes:
        return f"{quoted(s['question']['target'])}, a number"
    rows = _counted({c["label"]: c["rows"] for c in classes})
    return f"{quoted(s['question']['target'])}, {len(classes)} classes: {rows}"


def _missing(s: dict[str, Any]) -> str:
    missing = s["data"]["missing"]
    return f"in {columns(len(missing))}: {_counted(missing)}" if missing else "none"


def columns(n: int) -> str:
    return f"{n} column" if n == 1 else f"{n} columns"


def score(value: float) -> str:
    """Three decimals; more of a number that would vanish, fewer of a large one."""
    value = 0.0 if abs(value) < 1e-12 else value
    digits = ".2g" if 0 < abs(value) < 0.001 else ".3f" if abs(value) < 1000 else ",.1f"
    return f"{value:{digits}}".replace("-", "−")


def _percent(share: float) -> str:
    """Whole per cents; 100 % only when it is all."""
    return "100 %" if share > 1 - 1e-9 else f"{min(99, round(100 * share))} %"


def quoted(name: str) -> str:
    return f"‘{name}’"


def listed(names: list[str]) -> str:
    """‘a’, ‘b’ and ‘c’."""
    named = [quoted(name) for name in names[:NAMED]]
    if len(names) > NAMED:
        return f"{', '.join(named)} and {len(names) - NAMED} more"
    return " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))


def _counted(counts: dict[str, int]) -> str:
    """‘a’ (12), ‘b’ (3): the largest first."""
    most = sorted(counts.items(), key=lambda item: -item[1])
    rest = f" and {len(most) - NAMED} more" if len(most) > NAMED else ""
    return ", ".join(f"{quoted(name)} ({n:,})" for name, n in most[:NAMED]) + rest
