"""Comparisons of little work: few half-samples, trees and resamples, boosting of few rounds, one process."""

from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from tamis.selection.comparison import executor, frequencies, learners, methods, scored_configurations


def make_small(monkeypatch: Any) -> None:
    monkeypatch.setattr(executor, "ALONE_SECONDS", 1e9)
    monkeypatch.setattr(frequencies, "PAIRS", 3)
    monkeypatch.setattr(methods, "TREES", 10)
    monkeypatch.setattr(scored_configurations, "RESAMPLES", 100)
    monkeypatch.setattr(learners, "boosting", quick_boosting)


def quick_boosting(task: str) -> Any:
    kind = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    return kind(max_iter=3, early_stopping=False, random_state=0)
