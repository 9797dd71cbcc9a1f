"""Every estimator there is, from one list that cannot forget a class."""

import importlib
import inspect

from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

import tamis
from tamis.selection import LasVegasWrapper

# Those that have no defaults for all parameters, with as little as they ask for.
GIVEN = {
    LasVegasWrapper: LasVegasWrapper(DecisionTreeClassifier(random_state=0), patience=5, cv=KFold(3), random_state=0)
}


def public_estimators():
    """Every class with ``fit`` among the public names of tamis and of its families."""
    return [c for c in public_classes(BaseEstimator) if hasattr(c, "fit")]


def public_classes(base):
    """Every class under ``base`` among these names, ``base`` itself left out."""
    modules = [tamis, *(importlib.import_module(f"tamis.{family}") for family in tamis._FAMILIES)]
    found = {getattr(module, name) for module in modules for name in module.__all__}
    classes = {c for c in found if inspect.isclass(c) and issubclass(c, base) and c is not base}
    return sorted(classes, key=lambda c: c.__name__)


def made(kind):
    """One with the parameters it has by default."""
    return clone(GIVEN[kind]) if kind in GIVEN else kind()
