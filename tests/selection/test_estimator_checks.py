"""scikit-learn's contract."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from tamis.selection import SubsetSelector


@parametrize_with_checks([SubsetSelector(), SubsetSelector("backward"), SubsetSelector("ranking", n_features=1)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
