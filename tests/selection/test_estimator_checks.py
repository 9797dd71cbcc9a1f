"""scikit-learn's contract."""

from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from tamis import Lasso
from tamis.selection import (
    CFS,
    CMIM,
    FCBF,
    MRMR,
    EmbeddedSelector,
    LasVegasWrapper,
    MultiSURF,
    Relief,
    ReliefF,
    RReliefF,
    SubsetSelector,
    TreeSelector,
)


@parametrize_with_checks(
    [
        SubsetSelector(),
        SubsetSelector("backward"),
        SubsetSelector("ranking", n_features=1),
        SubsetSelector("floating", "consistency"),
        SubsetSelector("forward", MRMR()),
        SubsetSelector("forward", CMIM()),
        SubsetSelector("forward", CFS()),
        FCBF(),
        LasVegasWrapper(DecisionTreeClassifier(random_state=0), patience=5, cv=KFold(3), random_state=0),
        # A learner with more columns than rows that fits them all exactly would be chosen for by its rounding errors.
        LasVegasWrapper(Lasso(alpha=0.01), trials=5, cv=3, random_state=0),
        Relief(),
        ReliefF(n_neighbors=3),
        ReliefF(n_neighbors=3, n_permutations=3),
        MultiSURF(threshold=-1.0),
        RReliefF(n_neighbors=5, threshold=-1.0),
        TreeSelector(),
        TreeSelector(n_features=1, importance="splits"),
        EmbeddedSelector(Lasso(alpha=0.01)),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
