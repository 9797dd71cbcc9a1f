"""Columns that follow from others, and which of them can be dropped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tamis._core.checks import check_count, check_number
from tamis._core.html_table import html_table
from tamis._core.random import as_rng
from tamis._core.threads import blas_threads, thread_count
from tamis.base.frames import as_frame, frame_library
from tamis.selection.candidates import as_candidates
from tamis.selection.columns import column_names, labels_of
from tamis.selection.evaluation.learner_rows import indicators
from tamis.selection.learner import target_classes
from tamis.selection.redundancy.dependencies import DependencyFinder
from tamis.selection.redundancy.relation import Relation
from tamis.selection.redundancy.score_differences import LearnerScores, ScoreLoss
from tamis.selection.redundancy.table import SampledRows, sample
from tamis.sources import Source, as_source

LEVEL = 0.05  # of the test whether dropping a column hurts
LEARN_ROWS = 10_000  # for the learner: fits are many


@dataclass(frozen=True, repr=False)
class Redundancy:
    """What ``find_redundant`` found.

    Attributes
    ----------
    names : of all columns, or their positions
    relations : dict from each column that follows from others to its ``Relation``
    verdicts : dict from the same columns to "drop", "helpful" or "keep"
    dropped : columns that can be dropped together, in the order in which they go: each follows from columns that are
        there when it goes
    losses : dict from each column whose dropping was tried on the learner to its ``ScoreLoss``
    together : ScoreLoss of dropping all of ``dropped`` at once; None without y, or where nothing is dropped
    score : mean score of the learner with all columns; NaN without y
    n_rows : rows that were looked at
    """

    names: list[Any]
    relations: dict[Any, Relation]
    verdicts: dict[Any, str]
    dropped: list[Any]
    losses: dict[Any, ScoreLoss] = field(default_factory=dict)
    together: ScoreLoss | None = None
    score: float = float("nan")
    n_rows: int = 0
    library: str | None = None

    @property
    def kept(self) -> list[Any]:
        """The columns that are not dropped."""
        dropped = set(self.dropped)
        return [name for name in self.names if name not in dropped]

    def weights(self) -> tuple[list[Any], list[Any], np.ndarray]:
        """Columns that follow, columns they follow from, and the weight of each in each, 0 where it has none."""
        rows = list(self.relations)
        used = {source for relation in self.relations.values() for source in relation.sources}
        columns = [name for name in self.names if name in used]
        place = {name: k for k, name in enumerate(columns)}
        W = np.zeros((len(rows), len(columns)))
        for i, relation in enumerate(self.relations.values()):
            for source, weight in zip(relation.sources, relation.weights, strict=True):
                W[i, place[source]] = weight
        return rows, columns, W

    def frame(self) -> Any:
        """One row per column that follows from others: ``column``, ``verdict``, ``kind``, ``formula``, ``sources``,
        ``explained``, ``residual``, ``loss`` and its ``error`` and ``pvalue`` (NaN where it was not tried).

        A frame of the library X came from, else pandas, polars or pyarrow, whichever is there, else a dict.
        """
        relations = list(self.relations.values())
        none = ScoreLoss(np.nan, np.nan, np.nan)
        losses = [self.losses.get(name, none) for name in self.relations]
        columns: dict[str, list[Any]] = {
            "column": list(self.relations),
            "verdict": [self.verdicts[name] for name in self.relations],
            "kind": [r.kind for r in relations],
            "formula": [r.formula for r in relations],
            "sources": [", ".join(str(s) for s in r.sources) for r in relations],
            "explained": [r.explained for r in relations],
            "residual": [r.residual for r in relations],
            "loss": [one.mean for one in losses],
            "error": [one.error for one in losses],
            "pvalue": [one.pvalue for one in losses],
        }
        return as_frame(columns, self.library)

    def __str__(self) -> str:
        lines = [self._line(name, relation) for name, relation in self.relations.items()]
        return "\n".join(lines) if lines else "no column follows from others"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        n, gone = len(self.relations), len(self.dropped)
        caption = f"{n} of {len(self.names)} columns follow from others, {gone} can be dropped"
        rows = [(str(relation), self._cost(name), self.verdicts[name]) for name, relation in self.relations.items()]
        return html_table(caption, ("what follows", "score without it", "verdict") if n else (), rows)

    def _cost(self, name: Any) -> str:
        loss = self.losses.get(name)
        return "" if loss is None else f"{-loss.mean:+.3f} ± {loss.error:.3f}"

    def _line(self, name: Any, relation: Relation) -> str:
        cost = self._cost(name)
        return f"{relation}{cost and f'; without it the score changes by {cost}'}: {self.verdicts[name]}"


def find_redundant(
    X: Any,
    y: Any = None,
    *,
    threshold: float = 0.99,
    max_sources: int = 3,
    keep: Any = None,
    learner: Any = None,
    cv: int = 5,
    n_repeats: int = 5,
    scoring: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Redundancy:
    """Columns that follow from others, the evidence for each, and which of them can be dropped.

    A column follows from the fewest others of which it is, on rows that were left out, at least to ``threshold``

    * a copy, with the same values or the same labels under other names; a constant follows from nothing;
    * a sum b + Σ cᵢ xᵢ, or on the logarithms of columns that do not change sign a product b Π xᵢ^cᵢ; of columns of any
      sign b x₁x₂ or b x₁²;
    * monotone, by ranks;
    * a function, where columns have at most 1,000 values and half as many as there are rows;
    * cut from a column of numbers, with one value in each of a few intervals.

    An exact relation goes before a smaller one that is not. All single sources and pairs are looked at, larger sets
    grow from the best few; exact sums are found with any number of summands up to 50. A relation counts only where a
    table of noise of the same size would show one with a probability below 1 %: by the F-test of R², by the number of
    ways to order the values of the column, and by the length of the table of a function, each times all subsets that
    were in question. Copies are facts and always reported.

    With a target, a redundant column can still be a helpful intermediate concept: one that the learner would have to
    work out by itself. Dropping hurts where the learner's score on repeated folds falls, by a one-sided t-test at 5 %
    with Nadeau and Bengio's correction.

    Columns are tried for dropping from the simplest relation on (the fewest sources; those without minus signs or
    powers; then the last column first), and each must follow from columns that are still there. So of two columns that
    follow from each other only one goes. From a relation that is not exact no source may go later.

    Parameters
    ----------
    X : anything that ``as_source`` takes
        Up to 65,536 rows are looked at (fewer of more than 256 columns: 128 MB), beyond that a sample of them; these
        are held as a dense table. A gap is a value of its own in functions and copies; other relations are sought in
        the rows without gaps, leaving out the columns with the most gaps until half of the rows have none.
    y : labels, numbers, or the name of a column of X
        None: no learner is fitted.
    threshold : float
        Share that a relation must explain on rows left out.
    max_sources : int
        The largest set that is sought.
    keep : names, positions or a mask
        Columns that are not to be dropped.
    learner : scikit-learn estimator or None
        Scored with and without a column to see whether it helps; None: a decision tree. A column of labels is given to
        it as one 0/1 column per label. At most 10,000 rows are used.
    cv, n_repeats : int
        Folds, and how often rows are split into them anew.
    scoring : str, callable or None
        None: the learner's own score.
    sample_weight : array-like
        Weights ≥ 0 of the rows.
    random_state : None, int, Generator or RandomState
        For the splits into folds; 0 by default, so that the answer is the same each time.
    n_jobs : int or None
        Threads of counting.

    Returns
    -------
    Redundancy

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from tamis import find_redundant
    >>> rng = np.random.default_rng(0)
    >>> boxes = pd.DataFrame(rng.uniform(1, 3, (300, 3)), columns=["length", "width", "height"])
    >>> boxes["base_area"] = boxes["length"] * boxes["width"]
    >>> volume = boxes["base_area"] * boxes["height"]
    >>> found = find_redundant(boxes, volume)
    >>> found.relations["base_area"].formula, found.verdicts["base_area"]
    ('length × width', 'helpful')
    """
    least = check_number("threshold", threshold, above=0.0, at_most=1.0)
    most = check_count("max_sources", max_sources)
    source = as_source(X, y, sample_weight=sample_weight)
    names = column_names(X, source)
    kept = np.isin(np.arange(len(names)), as_candidates(names, keep, None).kept)
    table = sample(source, n_jobs)
    finder = DependencyFinder(table, names, least, most, thread_count(n_jobs))
    learner_scores = None
    if table.y is not None:
        learner_scores = _learner_scores(table, source, y, learner, cv, n_repeats, scoring, random_state)
    everyone = np.ones(len(names), dtype=bool)
    with blas_threads(1):  # many small matrices
        found = {j: relation for j in range(len(names)) if (relation := finder.find(j, everyone)) is not None}
    return _Elimination(finder, found, kept, learner_scores).result(frame_library(X))


@dataclass
class _Elimination:
    """Takes columns out one by one, the simplest relation first."""

    finder: DependencyFinder
    found: dict[int, Relation]
    kept: np.ndarray
    learner_scores: LearnerScores | None

    def result(self, library: str | None) -> Redundancy:
        names = self.finder.names
        self.present = np.ones(len(names), dtype=bool)
        self.needed: set[Any] = set()  # sources of columns that are gone
        self.locked: set[Any] = set()  # of those that followed inexactly
        self.losses: dict[Any, ScoreLoss] = {}
        self.order: list[int] = []
        verdicts = self._verdicts()
        everyone = np.ones(len(names), dtype=bool)
        together = None
        if self.learner_scores is not None and self.order:
            together = self.learner_scores.loss(everyone, self.present)
        return Redundancy(
            names=list(names),
            relations={names[j]: relation for j, relation in self.found.items()},
            verdicts={names[j]: verdicts[j] for j in self.found},
            dropped=[names[j] for j in self.order],
            losses=self.losses,
            together=together,
            score=float("nan") if self.learner_scores is None else float(self.learner_scores.scores(everyone).mean()),
            n_rows=len(self.finder.table.X),
            library=library,
        )

    def _verdicts(self) -> dict[int, str]:
        """One column after the other; one that lost a source follows from others now, if at all, and waits its turn."""
        waiting, verdicts = dict(self.found), {}
        while waiting:
            j = min(waiting, key=lambda j: (*waiting[j].simplicity, not waiting[j].exact, -j))
            relation = self._current_relation(j, waiting[j])
            if relation is None or relation is waiting[j]:
                verdicts[j] = "keep" if relation is None else self._try(j, relation)
                del waiting[j]
            else:
                waiting[j] = relation
        return verdicts

    def _try(self, j: int, relation: Relation) -> str:
        name = self.finder.names[j]
        if self.kept[j] or name in self.locked or (name in self.needed and not relation.exact):
            return "keep"
        without = self.present.copy()
        without[j] = False
        if self.learner_scores is not None:
            self.losses[name] = self.learner_scores.loss(self.present, without)
            if self.losses[name].pvalue < LEVEL:
                return "helpful"
        self.found[j] = relation
        self.present = without
        self.order.append(j)
        self.needed |= set(relation.sources)
        self.locked |= set() if relation.exact else set(relation.sources)
        return "drop"

    def _current_relation(self, j: int, relation: Relation) -> Relation | None:
        """What column j follows from among those that are left: the relation where its sources are there."""
        if self.present.sum() == 1:
            return None
        there = {name for name, is_there in zip(self.finder.names, self.present, strict=True) if is_there}
        if set(relation.sources) <= there:
            return relation
        with blas_threads(1):
            return self.finder.find(j, self.present)


def _learner_scores(
    table: SampledRows, source: Source, y: Any, learner: Any, cv: Any, n_repeats: Any, scoring: Any, random_state: Any
) -> LearnerScores:
    assert table.y is not None
    target = target_classes(source, table.y, "learner", learner)
    values = table.y
    if target is not None and target.values is not None:
        values = labels_of(target.values, source, y)[target.codes]
    if learner is None:
        learner = (DecisionTreeRegressor if target is None else DecisionTreeClassifier)(random_state=0)
    rows = slice(0, LEARN_ROWS)
    levels = [source.schema.columns[j].levels if is_label else None for j, is_label in enumerate(table.is_label)]
    X, origin = indicators(table.X, levels)
    uneven = (table.weight != table.weight[0]).any()
    return LearnerScores(
        learner,
        X[rows],
        values[rows],
        table.weight[rows] if uneven else None,
        origin,
        check_count("cv", cv, at_least=2),
        check_count("n_repeats", n_repeats),
        scoring,
        int(as_rng(random_state).integers(2**31)),
    )
