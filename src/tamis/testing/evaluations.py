"""The laws of an evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.selection.evaluation import Evaluation
from tamis.selection.search import SEARCHES
from tamis.selection.subset_selector import SubsetSelector
from tamis.sources import as_source

TOLERANCE = 1e-10  # scores reached along two ways: sums of a few hundred float64 terms


def check_evaluation(evaluation: Evaluation, X: Any = None, y: Any = None, seed: int = 0) -> None:
    """Raise AssertionError with the law that the evaluation breaks.

    * the same subset scores the same, whatever the order of its columns (unless it is incremental) and whatever was
      asked before;
    * ``gains`` is the score of subset + {j}, ``losses`` that of subset − {j};
    * where it claims to be monotone, a superset never scores less;
    * it works with every search that does not object to it;
    * it describes itself in words, without placeholders.

    Without X and y a small classification table is made up.
    """
    words = evaluation.describe()
    check_words(evaluation, words.name, words.is_)
    assert not words.is_.endswith("."), f"{evaluation}: the meaning of its score ends a sentence that it is part of"
    rng = np.random.default_rng(seed)
    X, y = _table(rng) if X is None else (X, y)
    source = as_source(X, y)
    p = source.n_features
    state = evaluation.prepare(source)
    for _ in range(10):
        order = rng.permutation(p)
        cut = int(rng.integers(1, p))
        subset, rest = tuple(order[:cut].tolist()), tuple(order[cut:].tolist())
        _check_again(evaluation, state, subset)
        _check_steps(evaluation, state, subset, rest)
        if evaluation.monotone:
            _check_monotone(evaluation, state, subset, rest)
    _check_searches(evaluation, X, y)


def _table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.integers(0, 3, (60, 5))
    return X, (X[:, 0] + X[:, 3] + (rng.random(60) < 0.1)) % 2


def _check_again(evaluation: Evaluation, state: Any, subset: tuple[int, ...]) -> None:
    there, back = evaluation.score(state, subset), evaluation.score(state, subset[::-1])
    assert evaluation.incremental or _close(there, back), (
        f"score({subset}) = {there} but score({subset[::-1]}) = {back}: the order must not matter"
    )
    again = evaluation.score(state, subset)
    assert _close(there, again), f"score({subset}) = {there}, and asked again {again}"


def _check_steps(evaluation: Evaluation, state: Any, subset: tuple[int, ...], rest: tuple[int, ...]) -> None:
    gains = np.asarray(evaluation.gains(state, subset, rest))
    losses = np.asarray(evaluation.losses(state, subset, subset)) if len(subset) > 1 else np.zeros(0)
    for name, j, found, other in [
        *(("gains", j, g, (*subset, j)) for j, g in zip(rest, gains, strict=True)),
        *(("losses", j, g, tuple(k for k in subset if k != j)) for j, g in zip(subset, losses, strict=False)),
    ]:
        score = evaluation.score(state, other)
        assert _close(found, score), f"{name} from {subset} with {j} = {found} but score({other}) = {score}"


def _check_monotone(evaluation: Evaluation, state: Any, subset: tuple[int, ...], rest: tuple[int, ...]) -> None:
    score = evaluation.score(state, subset)
    for j, more in zip(rest, evaluation.gains(state, subset, rest), strict=True):
        assert more >= score - TOLERANCE, f"claims to be monotone, but adding {j} to {subset} lowers {score} to {more}"


def _check_searches(evaluation: Evaluation, X: Any, y: Any) -> None:
    for search in (kind() for kind in SEARCHES.values()):
        if search.objection(evaluation):
            continue
        selector = SubsetSelector(search, evaluation, n_features=2, random_state=0).fit(X, y)
        assert selector.support_.sum() == 2, (
            f"{search} with {evaluation} selects {selector.support_.sum()} columns, not 2"
        )


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))


def check_words(owner: Any, *words: str) -> None:
    """Raise AssertionError where something describes itself by nothing, or by a placeholder."""
    for one in words:
        assert one.strip(), f"{owner} leaves a part of its description empty"
        assert not set("{}") & set(one), f"{owner} describes itself by a placeholder: {one!r}"
