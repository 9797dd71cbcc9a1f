"""scikit-learn's contract, for every estimator there is."""

import importlib

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import tamis
from estimators import SHORTER, VARIANTS, made, public_estimators, shorter
from tamis.lowrank import MatrixCompletion
from tamis.selection import EmbeddedSelector


def test_every_public_module_lists_its_names():
    for family in tamis._FAMILIES:
        assert importlib.import_module(f"tamis.{family}").__all__


def test_known_estimators_are_found():
    """The walk itself would find nothing if names moved."""
    names = {c.__name__ for c in public_estimators()}
    assert {"Lasso", "SparseClassifier", "SparseLogisticRegression", "SubsetSelector", "ReliefF"} <= names


def expected_to_fail(estimator):
    """Where weights and repeated rows cannot be the same: rows that are repeated fall into several folds."""
    if isinstance(estimator, MatrixCompletion):
        storages = ("array", "matrix")
        return {f"check_estimator_sparse_{s}": "predict gives all entries of a row, (n, p)" for s in storages}
    if not isinstance(estimator, EmbeddedSelector):
        return {}
    storages = ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{s}_data": "its model is cross-validated" for s in storages}


# tol=1e-12 is beyond the folds of a check that weighs classes 10⁷ to 1, and the warning says so.
HARMLESS = pytest.mark.filterwarnings(
    "ignore:The least populated class in y",
    "ignore:No features were selected",
    "ignore:SparseClassifierCV did not reach tol=1e-12",
)


@HARMLESS
@parametrize_with_checks([shorter(c) for c in public_estimators()], expected_failed_checks=expected_to_fail)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.deep
@HARMLESS
@parametrize_with_checks([*(made(c) for c in SHORTER), *VARIANTS], expected_failed_checks=expected_to_fail)
def test_scikit_learn_contract_of_defaults_and_other_compositions(estimator, check):
    check(estimator)
