"""Every estimator there is, from one list that cannot forget a class."""

import importlib
import inspect

from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

import tamis
from tamis.dictionary import KSVD, DictionaryLearner, OnlineDictionary, OrthogonalDictionary, SparseCoder
from tamis.linear import (
    ElasticNetCV,
    GroupLasso,
    Lasso,
    LassoCV,
    SparseClassifier,
    SparseClassifierCV,
    SparseRegressor,
    SparseRegressorCV,
)
from tamis.penalties import Group
from tamis.selection import (
    CFS,
    CMIM,
    MRMR,
    EmbeddedSelector,
    LasVegasWrapper,
    MultiSURF,
    ReliefF,
    RReliefF,
    SubsetSelector,
    TreeSelector,
)

# Those that have no defaults for all parameters, with as little as they ask for.
GIVEN = {
    LasVegasWrapper: LasVegasWrapper(DecisionTreeClassifier(random_state=0), patience=5, cv=KFold(3), random_state=0),
    DictionaryLearner: DictionaryLearner(3, max_iter=5),
    KSVD: KSVD(3, 1, max_iter=5),
    OnlineDictionary: OnlineDictionary(3, 0.1, max_iter=5),
    OrthogonalDictionary: OrthogonalDictionary(1, max_iter=5),
    SparseCoder: SparseCoder("dct"),
}
# Those whose defaults do the same thing many times over, with fewer repeats of it.
SHORTER = {
    ElasticNetCV: ElasticNetCV(cv=3, alphas=10),
    LassoCV: LassoCV(cv=3, alphas=10),
    SparseRegressorCV: SparseRegressorCV(cv=3, alphas=10),
    SparseClassifierCV: SparseClassifierCV(cv=2, alphas=3, eps=0.1, tol=1e-12),
    EmbeddedSelector: EmbeddedSelector(Lasso(alpha=0.01)),
}
# Other compositions than the default ones.
VARIANTS = [
    GroupLasso(alpha=0.1),
    SparseRegressor(penalty=Group(), alpha=0.1, solver="working_set"),
    SparseClassifier(alpha=0.01),
    SubsetSelector("backward"),
    SubsetSelector("ranking", n_features=1),
    SubsetSelector("floating", "consistency"),
    SubsetSelector("forward", MRMR()),
    SubsetSelector("forward", CMIM()),
    SubsetSelector("forward", CFS()),
    # A learner with more columns than rows that fits them all exactly would be chosen for by its rounding errors.
    LasVegasWrapper(Lasso(alpha=0.01), trials=5, cv=3, random_state=0),
    ReliefF(n_neighbors=3, n_permutations=3),
    MultiSURF(threshold=-1.0),
    RReliefF(n_neighbors=5, threshold=-1.0),
    TreeSelector(n_features=1, importance="splits"),
]


def public_estimators():
    """Every class with ``fit`` among the public names of tamis and of its families."""
    return [c for c in public_classes(BaseEstimator) if hasattr(c, "fit")]


def public_classes(base):
    """Every class under ``base`` among these names, ``base`` itself left out."""
    modules = [tamis, *(importlib.import_module(f"tamis.{family}") for family in tamis._FAMILIES)]
    found = {getattr(module, name) for module in modules for name in module.__all__}
    classes = {c for c in found if inspect.isclass(c) and issubclass(c, base) and c is not base}
    return sorted(classes, key=lambda c: c.__name__)


def shorter(kind):
    """One with as few repeats of the same thing as show it."""
    return clone(SHORTER[kind]) if kind in SHORTER else made(kind)


def made(kind):
    """One with the parameters it has by default."""
    return clone(GIVEN[kind]) if kind in GIVEN else kind()
