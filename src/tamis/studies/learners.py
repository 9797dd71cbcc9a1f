"""Learners that are called by a word: for classes, for numbers, or for both."""

from __future__ import annotations

from typing import Any

from tamis._core.errors import InputError

LEARNERS = {
    "logistic": ("classification",),
    "linear": ("regression",),
    "tree": ("classification", "regression"),
    "forest": ("classification", "regression"),
    "knn": ("classification", "regression"),
}


def learner_for(name: str | None, task: str, target: str) -> tuple[str, Any]:
    """The learner, and its name; where none was given, the linear one. Those that weigh distances or coefficients
    get standardised columns.
    """
    name = name or ("logistic" if task == "classification" else "linear")
    if task not in LEARNERS[name]:
        others = ", ".join(other for other, tasks in LEARNERS.items() if task in tasks)
        what = "classes" if task == "regression" else "numbers"
        values = "numbers" if task == "regression" else "classes"
        raise InputError(
            f"--estimator {name} predicts {what}, and {target!r} holds {values}: take one of {others}",
            argument="estimator",
        )
    return name, _make(name, task == "classification")


def _make(name: str, classes: bool) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if name == "logistic":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    if name == "linear":
        return LinearRegression()
    if name == "knn":
        return make_pipeline(StandardScaler(), KNeighborsClassifier() if classes else KNeighborsRegressor())
    if name == "tree":
        return (DecisionTreeClassifier if classes else DecisionTreeRegressor)(random_state=0)
    return (RandomForestClassifier if classes else RandomForestRegressor)(random_state=0)
