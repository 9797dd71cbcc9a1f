"""The charts' JavaScript takes seconds to make and goes to the user's cache: in-process runs do without it. Comparisons
are small ones: few half-samples, trees and resamples, and boosting of few rounds."""

import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from tamis.report import bundle
from tamis.selection.comparison import executor, frequencies, learners, methods, scored_configurations


@pytest.fixture(autouse=True)
def small_bundle(monkeypatch):
    monkeypatch.setattr(bundle, "javascript", lambda: "window.vegaEmbed=null;")


@pytest.fixture(autouse=True)
def small_comparisons(monkeypatch):
    monkeypatch.setattr(executor, "ALONE_SECONDS", 1e9)  # no other processes
    monkeypatch.setattr(frequencies, "PAIRS", 3)
    monkeypatch.setattr(methods, "TREES", 10)
    monkeypatch.setattr(scored_configurations, "RESAMPLES", 100)
    monkeypatch.setattr(learners, "boosting", quick_boosting)


def quick_boosting(task):
    kind = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    return kind(max_iter=3, early_stopping=False, random_state=0)
