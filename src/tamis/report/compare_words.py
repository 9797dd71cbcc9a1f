"""The sentences of a comparison, and the Python lines that give the same columns."""

from __future__ import annotations

from typing import Any

from tamis.report import words
from tamis.studies.compare_answer import CompareAnswer

FEW_IN_CLASS = 10
LEAK = 0.97  # of the bits there are to know: one measurement seldom tells as much
ENOUGH_ROWS = 100  # in fewer, some column of many tells all by chance


def say(s: dict[str, Any], answer: CompareAnswer) -> dict[str, Any]:
    """The parts of the summary that are words."""
    s["data"] |= words.about_data(s)
    return {
        "answer": _answer(s, answer),
        "tiles": _tiles(s),
        "words": _leads(s),
        "selected_python": repr(s["selected"]),
        "python": python_lines(answer),
    }


def _answer(s: dict[str, Any], answer: CompareAnswer) -> list[str]:
    """The headline, then what a colleague would add."""
    return [sentence for sentence in (headline(answer), *_details(s)) if sentence]


def headline(answer: CompareAnswer) -> str:
    text = answer.comparison.headline
    return f"{text[:1].upper()}{text[1:]}."


def _details(s: dict[str, Any]) -> list[str]:
    r = s["recommended"]
    best = _best_alone(s)
    if not r["better_than_none"]:
        guess = words.listed(r["features"]) if r["features"] else ""
        vague = f"The best guess would be {guess}: these rows do not show it to be better than chance." if guess else ""
        if s["recommended"]["all_better_than_none"]:
            vague += f" All columns together are better: --n-features {_best_size(s)} asks for more of them."
        return [vague.strip(), best, _while_choosing(s)]
    return [
        f"Chosen by {r['chosen_by']}: {r['reason']}.",
        _stability(s),
        best,
        _while_choosing(s),
        "" if s["pvalue"] is None else f"p = {s['pvalue']:.3g} of the whole procedure, by shuffled targets.",
    ]


def _best_size(s: dict[str, Any]) -> int:
    """The number of columns at which the best method is best."""
    return int(s["methods"][0]["size"]) if s["methods"] else int(s["data"]["columns"])


def _stability(s: dict[str, Any]) -> str:
    found = s["stability"]
    if found is None:
        return ""
    low, high = found["interval"]
    between = "" if low is None else f" ({low:.2f} to {high:.2f})"
    word = "stable" if found["value"] >= 0.75 else "fairly stable" if found["value"] >= 0.4 else "unstable"
    half = f"over {s['counts']['half_samples']} halves of the rows"
    return f"The choice is {word}: index {found['value']:.2f}{between} {half}; 1 would be always the same columns."


def _best_alone(s: dict[str, Any]) -> str:
    if not s["columns"]:
        return ""
    best, target = s["columns"][0], words.quoted(s["question"]["target"])
    if best["p"] is None:
        return ""
    by_itself = f"{best['gain']:.2f} of the {s['data']['entropy']:.2f} bits there are to know about {target}"
    if best["p"] > 0.05:
        return f"No column tells more than chance by itself: {words.quoted(best['column'])} most, {by_itself}."
    n = sum(1 for c in s["columns"] if c["p"] is not None and c["p"] <= 0.05)
    stand = (
        f"{words.columns(n)} {'stands' if n == 1 else 'stand'} out of chance by {'itself' if n == 1 else 'themselves'}"
    )
    return f"{words.quoted(best['column'])} tells most by itself, {by_itself}; {stand}."


def _while_choosing(s: dict[str, Any]) -> str:
    quoted, score = s["recommended"]["score_while_choosing"], s["recommended"]["score"]
    if quoted is None or score is None or quoted <= score:
        return ""
    return f"In the rows that chose, the score would be {words.number(quoted)}: this flatters."


def cautions(answer: CompareAnswer, rows: int) -> list[str]:
    """What to be careful about."""
    notes = [words.few_rows(rows)] if rows < words.FEW_ROWS else []
    if answer.classes:
        label, few = min(((label, n) for _, label, n in answer.classes), key=lambda item: item[1])
        if few < FEW_IN_CLASS:
            notes.append(f"class {words.quoted(label)} has only {few} rows")
    return notes + [
        f"{words.quoted(column.name)} tells nearly all about the target by itself, {gain:.2f} of "
        f"{answer.entropy:.2f} bits: a suspected leak; --drop it if it is not known when the target is to be predicted"
        for column, gain in zip(answer.usable.schema.columns, answer.gains, strict=True)
        if gain >= LEAK * answer.entropy > 0 and (rows >= ENOUGH_ROWS or column.n_distinct == len(answer.classes))
    ]


def _tiles(s: dict[str, Any]) -> list[dict[str, str]]:
    r = s["recommended"]
    tiles = [
        {"value": f"{s['data']['rows']:,}", "label": "rows"},
        {"value": f"{len(s['selected']):,} of {s['data']['columns']:,}", "label": "columns chosen"},
    ]
    if r["score"] is not None:
        low, high = r["interval"]
        label = f"{s['scoring']} in rows never used to choose"
        between = "" if low is None else f", {words.number(low)} to {words.number(high)}"
        tiles.append({"value": words.number(r["score"]), "label": f"{label}{between}"})
    if s["stability"] is not None and s["selected"]:
        tiles.append({"value": f"{s['stability']['value']:.2f}", "label": "stability of the choice, 1 at most"})
    return tiles


def _leads(s: dict[str, Any]) -> dict[str, str]:
    """The line under each heading."""
    classes = s["data"]["classes"]
    scale = words.quoted(s["question"]["target"])
    if classes:
        scale = f"the log-odds of {words.quoted(classes[1]['label']) if len(classes) == 2 else 'the class named'}"
    return {
        "effect": f"what one standard deviation more of the column adds to {scale} in a linear model of the chosen "
        f"columns, fitted to all rows{_beyond_linear(s)}",
        "cut": words.cut(s),
        "curves": _curves(s),
        "status": {
            "finished": "all was done",
            "time_limit": "the time limit ended it; more time compares more",
            "interrupted": "it was interrupted",
        }[s["status"]],
    }


def _beyond_linear(s: dict[str, Any]) -> str:
    """Where another learner predicts better, a linear effect is not all there is."""
    if s["recommended"]["learner"] == "linear":
        return ""
    return "; the learner that predicts here also uses what columns do together and bends, which this does not show"


def _curves(s: dict[str, Any]) -> str:
    """The chart for those who do not see it."""
    best = "; ".join(
        f"{m['words']} at best {words.number(m['score'])} with {m['size']}" for m in s["methods"] if m["score"]
    )
    return f"{s['scoring']} against the number of columns: {best}"


def python_lines(answer: CompareAnswer) -> str:
    """What gives the same columns in Python: the same folds, seed, method and number of columns."""
    q, found = answer.question, answer.comparison.recommended_
    options = {name: getattr(q, name) for name in ("keep", "include", "drop", "feature_groups")}
    options |= {
        "dates": q.dates if q.dates != "leave_out" else None,
        "groups": q.groups,
        "time_order": q.time_order,
        "task": q.task if q.task != "auto" else None,
    }
    kept = {name: value for name, value in options.items() if value}
    if answer.chosen and found.method in answer.comparison.methods_:
        kept |= {"methods": [found.method], "n_features": found.size}
    given = "".join(f", {name}={value!r}" for name, value in kept.items())
    bring, table = q.in_python
    return (
        f"import tamis\n{bring}\nfound = tamis.select({table}, {q.target!r}{given})\n"
        f"found.selected_features_  # {answer.chosen!r}"
    )
