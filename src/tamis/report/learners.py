"""Learners that are called by a word: for classes, for numbers, or for both."""

from __future__ import annotations

from typing import Any

from tamis._core.errors import InputError

KINDS = {
    "logistic": ("classification",),
    "linear": ("regression",),
    "tree": ("classification", "regression"),
    "forest": ("classification", "regression"),
    "knn": ("classification", "regression"),
}


def learner_for(name: str | None, task: str, target: str) -> tuple[str, Any]:
    """The learner, and its word; where nobody said which, the linear one. Those that weigh distances or coefficients
    get standardised columns.
    """
    word = name or ("logistic" if task == "classification" else "linear")
    if task not in KINDS[word]:
        others = ", ".join(other for other, tasks in KINDS.items() if task in tasks)
        what = "classes" if task == "regression" else "numbers"
        held = "numbers" if task == "regression" else "classes"
        raise InputError(f"--estimator {word} predicts {what}, and {target!r} holds {held}: take one of {others}")
    return word, _make(word, task == "classification")


def _make(word: str, classes: bool) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if word == "logistic":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    if word == "linear":
        return LinearRegression()
    if word == "knn":
        return make_pipeline(StandardScaler(), KNeighborsClassifier() if classes else KNeighborsRegressor())
    if word == "tree":
        return (DecisionTreeClassifier if classes else DecisionTreeRegressor)(random_state=0)
    return (RandomForestClassifier if classes else RandomForestRegressor)(random_state=0)
