"""What each method does, how it ends and what its answer is worth, in words; a search describes itself."""

from __future__ import annotations

from typing import Any

from tamis.selection.description import SearchDescription


def drawing(patience: int, trials: int | None) -> SearchDescription:
    """Words about the Las Vegas wrapper."""
    drawn = "each column with probability ½; one on which the learner scores higher, or as high with fewer columns, "
    worth = (
        "the best score of many flatters: measure the learner anew on other rows; nothing is known about subsets that "
        "were not drawn"
    )
    if trials is None:
        return SearchDescription(
            "Las Vegas",
            f"Subsets are drawn at random, {drawn}becomes the best.",
            f"It ended after {patience:,} draws in a row without anything better.",
            worth,
            ordered=False,
        )
    return SearchDescription(
        "Las Vegas",
        f"All columns come first. Then subsets are drawn at random, {drawn}takes their place.",
        f"It ended after {trials:,} draws.",
        worth,
        ordered=False,
    )


def neighbours(cuts: bool, fdr: float | None, rows: int | None) -> SearchDescription:
    """Words about Relief."""
    some = "" if rows is None else f" {rows:,} rows, drawn at random, were asked."
    cut = (
        f"It kept the columns that stand out from shuffled ones, at a false discovery rate of {fdr:g}."
        if fdr is not None
        else "It kept the columns above the threshold."
        if cuts
        else ""
    )
    return SearchDescription(
        "Relief",
        f"Every row is compared with the rows nearest to it, those of its own kind and others.{some}",
        cut,
        "p-values come from shuffled rows; they say that a column has to do with the target in these rows, not why"
        if fdr is not None
        else "a high relevance is no proof: chance alone gives some columns more than others",
        moves=False,
        score="A column is relevant where it differs more between near rows whose targets differ than between near "
        "rows whose targets are alike, so columns that tell something only together are seen.",
    )


def splitting(forest: bool) -> SearchDescription:
    """Words about the columns a tree uses."""
    grown = "Many trees are grown" if forest else "A decision tree is grown"
    return SearchDescription(
        "forest" if forest else "tree",
        f"{grown}, and the columns used by splits are chosen.",
        "It kept every column that a split uses.",
        "a column that no split uses may tell the same as one that is used",
        moves=False,
        score="A column's importance is its share in what the splits gain.",
    )


STOPPED = {"time_limit": "the time limit ended the search", "interrupted": "the search was interrupted"}


def about_search(s: dict[str, Any]) -> dict[str, Any]:
    """The sentences of the section on the search."""
    search = s["search"]
    way, stopped = search.pop("way"), search["status"] in STOPPED
    worth = "the search was not finished: subsets it did not come to may be better" if stopped else way.worth
    seen = search["evaluations"]
    return {
        "heading": "The search, round by round" if seen or stopped else "How the columns were chosen",
        "does": way.does,
        "score_in_words": _score(search) if way.score is None else way.score,
        "stopped": "" if stopped else _ended(s, way),
        "worth": worth,
        "evidence": f"{_subsets(search)} evaluated; {worth}" if seen else worth,
        "warnings": search_warnings(search),
        "recalled_in_words": recalled(search),
        "moves": way.moves,
        "ordered": way.ordered,
    }


def search_warnings(search: dict[str, Any]) -> list[str]:
    """That it is not the end, and what failed."""
    said = []
    n = _subsets(search)
    if search["status"] in STOPPED and search["score"] is None:
        said.append("no solution yet: the time limit was over before any subset was evaluated, so all columns are kept")
    elif search["status"] in STOPPED:
        said.append(f"{STOPPED[search['status']]} after {n}: the columns chosen are the best so far")
    if search["failed"]:
        said.append(f"{search['failed']:,} of {n} could not be evaluated and were passed over")
    return said


def recalled(search: dict[str, Any]) -> str | None:
    if not search["recalled"]:
        return None
    return f"{search['recalled']:,} of {_subsets(search)} were answered from the file of an earlier run."


def _subsets(search: dict[str, Any]) -> str:
    return f"{search['evaluations']:,} subset{'s' * (search['evaluations'] != 1)}"


def wanted(n_features: Any, groups: bool) -> str:
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
    asked = s["asked"]["n_features"]
    if asked is None:
        return way.ends
    if isinstance(asked, int):
        return f"It ended with the {wanted(asked, bool(s['search']['groups']))} asked for."
    return f"It was asked for {wanted(asked, bool(s['search']['groups']))}, and took the best."
