"""What each search and each method does, how it ends and what its answer is worth, in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Way:
    """Words about a search. ``ends``: where no number of columns is given; ``worth``: of its answer."""

    does: str
    ends: str = ""
    worth: str = "a search that does not look at every subset proves nothing about those it left out"
    moves: bool = True  # from smaller to larger subsets or back, so that there is something to draw
    ordered: bool = True  # columns come one after the other
    score: str | None = None  # the sentence about what columns have, where subsets have no score


WAYS = {
    "ranking": Way(
        "Each column is judged on its own.",
        "It kept every column that scores above 0.",
        "each column was judged on its own, so nothing is known about any two together",
        moves=False,
    ),
    "forward": Way(
        "Each round tries every other column next to those already chosen and adds the best.",
        "It ended where no further column made the score better.",
    ),
    "backward": Way(
        "It starts with all columns and drops the one that is missed least, as long as the score does not fall.",
        "It ended where dropping any further column would lower the score.",
    ),
    "bidirectional": Way(
        "Each round adds the best of the columns still open and strikes out the one that is missed least; what was "
        "added stays, what was struck out stays out.",
        "It ended where no open column made the score better.",
    ),
    "floating": Way(
        "Each round adds the best column, then drops columns again as long as that gives a better subset of its size "
        "than any before.",
        "It ended where the best further column brought nothing over the best subset so far.",
    ),
    "best_first": Way(
        "It always adds to the best subset that has not been added to yet, so that it can go back from a way that "
        "ended.",
        "It ended after several such rounds in a row without anything better.",
    ),
    "beam": Way(
        "Each round adds every other column to the best few subsets of the last size and keeps the best few.",
        "It ended at the size where no subset was better than the best so far.",
    ),
    "exhaustive": Way(
        "Every subset of the sizes asked for is evaluated.",
        "It ended when it had seen all of them.",
        "every subset of the sizes asked for was evaluated: none is better",
        ordered=False,
    ),
    "branch_and_bound": Way(
        "It starts with all columns and drops them one after the other. More columns never score less, so where a "
        "subset scores less than the best one of the size asked for, no part of it is looked at.",
        worth="no other subset of this size is better: those not looked at are part of a subset that scores less",
    ),
    "recursive": Way(
        "It starts with all columns, fits a model on them, and strikes out the one of the smallest weight, again and "
        "again.",
        "It ended at one column, and took the size that scored best.",
    ),
    "las_vegas": Way(
        "Subsets are drawn at random; one that scores higher, or as high with fewer columns, becomes the best.",
        "It ended after many draws in a row without anything better.",
        ordered=False,
    ),
}


def drawing(patience: int, trials: int | None) -> Way:
    """Words about the Las Vegas wrapper."""
    drawn = "each column with probability ½; one on which the learner scores higher, or as high with fewer columns, "
    worth = (
        "the best score of many flatters: measure the learner anew on other rows; nothing is known about subsets that "
        "were not drawn"
    )
    if trials is None:
        return Way(
            f"Subsets are drawn at random, {drawn}becomes the best.",
            f"It ended after {patience:,} draws in a row without anything better.",
            worth,
            ordered=False,
        )
    return Way(
        f"All columns come first. Then subsets are drawn at random, {drawn}takes their place.",
        f"It ended after {trials:,} draws.",
        worth,
        ordered=False,
    )


def neighbours(cuts: bool, fdr: float | None, rows: int | None) -> Way:
    """Words about Relief."""
    some = "" if rows is None else f" {rows:,} rows, drawn at random, were asked."
    cut = (
        f"It kept the columns that stand out from shuffled ones, at a false discovery rate of {fdr:g}."
        if fdr is not None
        else "It kept the columns above the threshold."
        if cuts
        else ""
    )
    return Way(
        f"Every row is compared with the rows nearest to it, those of its own kind and others.{some}",
        cut,
        "p-values come from shuffled rows; they say that a column has to do with the target in these rows, not why"
        if fdr is not None
        else "a high relevance is no proof: chance alone gives some columns more than others",
        moves=False,
        score="A column is relevant where it differs more between near rows whose targets differ than between near "
        "rows whose targets are alike, so columns that tell something only together are seen.",
    )


def splitting(forest: bool) -> Way:
    """Words about the columns a tree uses."""
    grown = "Many trees are grown" if forest else "A decision tree is grown"
    return Way(
        f"{grown}, and the columns used by splits are chosen.",
        "It kept every column that a split uses.",
        "a column that no split uses may tell the same as one that is used",
        moves=False,
        score="A column's importance is its share in what the splits gain.",
    )


def way_of(search: str) -> Way:
    """Words about the search of this name."""
    return WAYS[search]
