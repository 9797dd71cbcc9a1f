"""The laws of a search."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.progress import Steps, silent
from tamis.selection.evaluation import EVALUATIONS, Evaluation
from tamis.selection.search import Search
from tamis.selection.subset_selector import SubsetSelector
from tamis.sources import Source
from tamis.testing.evaluations import check_words


class Additive(Evaluation):
    """score(A) = Σ_{j ∈ A} v_j: the best subset of k columns is known, it is the k of the largest v."""

    has_weights = True

    def __init__(self, values: Any = (0.0,)) -> None:
        self.values = values

    @property
    def monotone(self) -> bool:  # type: ignore[override]
        return min(self.values) >= 0

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> np.ndarray:
        return np.asarray(self.values, dtype=np.float64)

    def score(self, state: np.ndarray, subset: tuple[int, ...]) -> float:
        return float(state[list(subset)].sum())

    def weights(self, state: np.ndarray, subset: tuple[int, ...]) -> np.ndarray:
        return np.maximum(state[list(subset)], 0.0)


def check_search(search: Search, *, greedy: bool = True, seed: int = 0) -> None:
    """Raise AssertionError with the law that the search breaks.

    * it asks about subsets of the columns only, each without repetitions, and returns one;
    * ``n_features`` is exact;
    * the same seed gives the same answer, and the columns' order does not matter;
    * where it is ``greedy`` (or better), it finds the best subset of an additive evaluation;
    * it works with every evaluation that it does not object to;
    * it describes itself in words: whole sentences without placeholders.
    """
    check_words(search, *_words(search))
    rng = np.random.default_rng(seed)
    for p in (1, 2, 7):
        values = rng.permutation(np.arange(1.0, p + 1))
        for n_features in {1, (p + 1) // 2, p}:
            found = _fit(search, values, n_features)
            again = _fit(search, values, n_features)
            assert np.array_equal(found.support_, again.support_), f"{search} with one seed gives two answers"
            assert found.support_.sum() == n_features, f"{search} selects {found.support_.sum()}, not {n_features}"
            _check_history(search, found, p)
            if greedy:
                best = np.isin(values, np.sort(values)[-n_features:])
                assert np.array_equal(found.support_, best), f"{search} misses the best {n_features} of {values}"
        if greedy:
            _check_order(search, values, rng)
    _check_evaluations(search, rng)


def _words(search: Search) -> tuple[str, ...]:
    words = search.describe()
    for sentence in (words.does, *([words.ends] if words.ends else [])):
        assert sentence.endswith("."), f"{search} describes itself by no sentence: {sentence!r}"
    return words.name, words.does, words.proves


def _check_evaluations(search: Search, rng: np.random.Generator) -> None:
    X = rng.integers(0, 3, (40, 4))
    y = (X[:, 1] + X[:, 2] + (rng.random(40) < 0.1)) % 2
    for evaluation in (kind() for kind in EVALUATIONS.values()):
        if not search.objection(evaluation):
            found = SubsetSelector(search, evaluation, n_features=2, random_state=0).fit(X, y)
            assert found.support_.sum() == 2, f"{search} with {evaluation} selects {found.support_.sum()}, not 2"


def _fit(search: Search, values: np.ndarray, n_features: int | None) -> SubsetSelector:
    X, y = np.zeros((2, len(values))), np.array([0, 1])
    return SubsetSelector(search, Additive(tuple(values)), n_features=n_features, random_state=0).fit(X, y)


def _check_history(search: Search, found: SubsetSelector, p: int) -> None:
    history = found.history_
    assert len(history) == len(history["score"]) > 0, f"{search} asks nothing"
    assert history["size"].min() >= 1, f"{search} asks about the empty subset"
    assert history["size"].max() <= p, f"{search} asks about a subset with repetitions"
    assert history["kept"].any(), f"{search} keeps nothing"


def _check_order(search: Search, values: np.ndarray, rng: np.random.Generator) -> None:
    order = rng.permutation(len(values))
    a, b = _fit(search, values, None), _fit(search, values[order], None)
    assert np.array_equal(a.support_[order], b.support_), f"{search} depends on the order of the columns"
