"""scikit-learn's contract."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from tamis import Lasso
from tamis.selection import (
    CFS,
    CMIM,
    FCBF,
    MRMR,
    EmbeddedSelector,
    Relief,
    ReliefF,
    SubsetSelector,
    TreeSelector,
)


@parametrize_with_checks(
    [
        SubsetSelector(),
        SubsetSelector("backward"),
        SubsetSelector("ranking", n_features=1),
        SubsetSelector("floating", "consistency"),
        SubsetSelector("forward", MRMR(rule="step")),
        SubsetSelector("forward", CMIM()),
        SubsetSelector("forward", CFS()),
        FCBF(),
        Relief(),
        ReliefF(n_neighbors=3),
        TreeSelector(),
        TreeSelector(n_features=1, importance="splits"),
        EmbeddedSelector(Lasso(alpha=0.01)),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
