"""The sentences of the report's section on the search."""

from __future__ import annotations

from typing import Any

from tamis.selection.description import SearchDescription

STOPPED = {"time_limit": "the time limit ended the search", "interrupted": "the search was interrupted"}


def about_search(s: dict[str, Any]) -> dict[str, Any]:
    """The sentences of the section on the search."""
    search = s["search"]
    way, stopped = search.pop("way"), search["status"] in STOPPED
    proves = "the search was not finished: subsets it did not come to may be better" if stopped else way.proves
    seen = search["evaluations"]
    return {
        "heading": "The search, round by round" if seen or stopped else "How the columns were chosen",
        "does": way.does,
        "score_in_words": _score(search) if way.score is None else way.score,
        "stopped": "" if stopped else _ended(s, way),
        "proves": proves,
        "evidence": f"{_subsets(search)} evaluated; {proves}" if seen else proves,
        "warnings": search_warnings(search),
        "recalled_in_words": recalled(search),
        "moves": way.moves,
        "ordered": way.ordered,
    }


def search_warnings(search: dict[str, Any]) -> list[str]:
    """That it is not the end, and what failed."""
    warnings = []
    n = _subsets(search)
    if search["status"] in STOPPED and search["score"] is None:
        warnings.append(
            "no solution yet: the time limit was over before any subset was evaluated, so all columns are kept"
        )
    elif search["status"] in STOPPED:
        warnings.append(f"{STOPPED[search['status']]} after {n}: the columns chosen are the best so far")
    if search["failed"]:
        warnings.append(f"{search['failed']:,} of {n} could not be evaluated and were passed over")
    return warnings


def recalled(search: dict[str, Any]) -> str | None:
    if not search["recalled"]:
        return None
    return f"{search['recalled']:,} of {_subsets(search)} were answered from the file of an earlier run."


def _subsets(search: dict[str, Any]) -> str:
    return f"{search['evaluations']:,} subset{'s' * (search['evaluations'] != 1)}"


def size_in_words(n_features: Any, groups: bool) -> str:
    """3 columns, 2 to 5 columns or groups."""
    low, high = n_features if isinstance(n_features, (tuple, list)) else (n_features, n_features)
    number = f"{low}" if low == high else f"{low} to {high}"
    what = "columns or groups" if groups else "columns"
    return f"{number} {what if high != 1 else what.replace('columns', 'column').replace('groups', 'group')}"


def _score(search: dict[str, Any]) -> str:
    about = f" The target is 1 for ‘{search['about']}’ and 0 for the other class." if search["about"] else ""
    cut = " The numbers of the target are first cut into ten parts of equal size." if search["bins"] else ""
    return f"The score of a subset is {search['meaning']}.{about}{cut}"


def _ended(s: dict[str, Any], way: SearchDescription) -> str:
    n_features = s["question"]["n_features"]
    if n_features is None:
        return way.ends
    if isinstance(n_features, int):
        return f"It ended with the {size_in_words(n_features, bool(s['search']['groups']))} asked for."
    return f"It was asked for {size_in_words(n_features, bool(s['search']['groups']))}, and took the best."
