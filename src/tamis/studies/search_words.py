"""What each method of ``tamis select`` does, how it ends and what its answer is worth, in words; a search describes
itself."""

from __future__ import annotations

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
