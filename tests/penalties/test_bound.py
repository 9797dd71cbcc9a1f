"""Weights and groups as users give them, and what they are told when they err."""

from pathlib import Path

import numpy as np
import pytest

from tamis import InputError, SparseRegressor, sparse_path
from tamis.penalties import KINDS, L1, L1L2, Group, SparseGroup, as_penalty

NAMES = ["age", "sex", "bmi", "bp"]


@pytest.mark.parametrize(
    "given, labels",
    [
        (None, [0, 1, 2, 3]),
        (["b", "a", "b", "a"], [1, 0, 1, 0]),
        (np.array([7, 7, 3, 3]), [1, 1, 0, 0]),
        ([1, "one", 1, "one"], [0, 1, 0, 1]),
        ([["bmi", "age"], ["bp"]], [0, 2, 0, 1]),
        ([[1, 2]], [1, 0, 0, 2]),
        ({"body": ["bmi", "bp"], "person": [0, 1]}, [1, 1, 0, 0]),
        (["age", ["sex", "bmi"], [3]], [0, 1, 1, 2]),
        (2, [0, 0, 1, 1]),
        ("one-hot", [0, 0, 1, 1]),
    ],
)
def test_groups_become_numbers(given, labels):
    bound = Group(given).bound(4, NAMES, blocks=["b", "b", "a", "a"])
    assert bound.feature_groups.tolist() == labels
    assert bound.bound(4).feature_groups.tolist() == labels


@pytest.mark.parametrize(
    "given, words",
    [
        ([0, 1, 2], "one label for each of the 4 columns, got 3"),
        ([["age"], ["sex", "age"]], "'age' twice"),
        ([["agee"]], "did you mean 'age'"),
        ([[4]], "from 0 to 3"),
        ([["age"], []], "hold no columns"),
        (3, "do not divide"),
        (0, "≥ 1"),
        ("onehot", "'one-hot'"),
    ],
)
def test_groups_that_cannot_be(given, words):
    with pytest.raises(InputError, match=words):
        Group(given).bound(4, NAMES, blocks=["b", "b", "a", "a"])


def test_names_and_blocks_must_be_known():
    with pytest.raises(InputError, match="no column names"):
        Group([["age"]]).bound(4)
    with pytest.raises(InputError, match="X holds numbers"):
        Group("one-hot").terms(4)


def test_weights_by_name():
    assert L1({"bmi": 0.0, "age": 2}).bound(4, NAMES).weights.tolist() == [2, 1, 0, 1]
    assert L1({2: 0.0}).terms(4).l1.tolist() == [1, 1, 0, 1]
    bound = Group({"body": ["bmi", "bp"]}, weights={"body": 0.0, "sex": 3.0}).bound(4, NAMES)
    assert bound.weights.tolist() == [0.0, 1.0, 3.0]


@pytest.mark.parametrize(
    "penalty, words",
    [
        (L1([1.0, 2.0]), "each of the 4 columns, got shape"),
        (L1([1.0, -2.0, 0.0, 1.0]), "got -2 for column 1"),
        (L1([1.0, np.nan, 0.0, 1.0]), "got nan for column 1"),
        (L1("heavy"), "must be numbers"),
        (L1({"bmj": 1.0}), "did you mean 'bmi'"),
        (L1({"bmi": -1.0}), "≥ 0"),
        (Group([0, 0, 1, 1], weights=np.ones(4)), "each of the 2 groups"),
        (L1(positive="yes"), "positive must be one of"),
    ],
)
def test_weights_that_cannot_be(penalty, words):
    with pytest.raises(InputError, match=words):
        penalty.bound(4, NAMES)


@pytest.mark.parametrize("penalty", [L1L2(1.5), SparseGroup(l1_ratio=-0.1)])
def test_ratios_that_cannot_be(penalty):
    with pytest.raises(InputError, match="l1_ratio must be"):
        penalty.terms(3)


@pytest.mark.parametrize("name", KINDS)
def test_every_short_name_is_documented(name):
    concepts = Path(__file__).parents[2] / "docs" / "concepts" / "sparse-models.md"
    for text in (as_penalty.__doc__, SparseRegressor.__doc__, sparse_path.__doc__, concepts.read_text("utf-8")):
        assert f'"{name}"' in text


def test_short_strings_stand_for_penalties():
    assert isinstance(as_penalty("sparse_group"), SparseGroup)
    mine = L1()
    assert as_penalty(mine) is mine
    for wrong in ("lasso", L1, 3):
        with pytest.raises(InputError, match="penalty must be one of 'l1'"):
            as_penalty(wrong)
