"""Kinds are told from values, and no amount of distinct values takes more than bounded memory."""

import numpy as np
import pytest

from tamis.sources import Kind, as_source, decide_task
from tamis.sources.parts import Coded
from tamis.sources.profile import LabelProfile, NumberProfile

RNG = np.random.default_rng(0)


def kind_of(values):
    return as_source(np.array(values, dtype=object).reshape(-1, 1)).schema.columns[0]


@pytest.mark.parametrize(
    "values, kind",
    [
        (np.arange(30), Kind.IDENTIFIER),
        (RNG.permutation(3000) - 5, Kind.IDENTIFIER),
        (np.arange(0, 300, 7), Kind.IDENTIFIER),  # increasing, with holes
        (np.arange(1, 18), Kind.IDENTIFIER),  # the rows of a short table, numbered
        (np.arange(0, 34, 2), Kind.CONTINUOUS),
        (np.arange(6), Kind.DISCRETE),
        (RNG.permutation(np.arange(0, 300, 7)), Kind.CONTINUOUS),  # all different, but keys of nothing
        (np.r_[np.arange(29), 28], Kind.CONTINUOUS),
        (
            np.r_[0, np.arange(1, 28), 3, 29],
            Kind.CONTINUOUS,
        ),  # range and length of a key, one number twice, one missing
        (
            np.where(RNG.permutation(3000) == 1500, 7, RNG.permutation(3000)),
            Kind.CONTINUOUS,
        ),  # the same, too long to list
        (RNG.permutation(20), Kind.CONTINUOUS),
        (np.arange(30) + 0.5, Kind.CONTINUOUS),
        ([0.0, 1.0] * 20, Kind.BOOLEAN),
        ([1.0, 2.0] * 20, Kind.DISCRETE),
        (list(range(10)) * 3, Kind.DISCRETE),
        (list(range(11)) * 3, Kind.CONTINUOUS),
        ([0.5, 1.5] * 20, Kind.CONTINUOUS),
        ([3] * 30, Kind.CONSTANT),
        ([None] * 5, Kind.CONSTANT),
        ([3, None] * 30, Kind.CONSTANT),
        ([f"u{i}" for i in range(30)], Kind.IDENTIFIER),
        ([f"u{i}" for i in range(20)], Kind.DISCRETE),
        ([f"u{i % 25}" for i in range(40)], Kind.TEXT),
        ([f"u{i % 25}" for i in range(60)], Kind.DISCRETE),
        ([f"u{i % 1001}" for i in range(2500)], Kind.TEXT),
        (["a"] * 30, Kind.CONSTANT),
    ],
)
def test_kinds(values, kind):
    assert kind_of(values).kind is kind


@pytest.mark.parametrize("cut", [1, 3, 17, 1000])
def test_any_cut_gives_the_same_profile(cut):
    n = 200
    X = np.c_[np.arange(n), RNG.permutation(n), RNG.integers(0, 3, n), RNG.normal(size=n), RNG.integers(0, 10**6, n)]
    X[5, 2] = np.nan
    whole, pieces = NumberProfile(5), NumberProfile(5)
    whole.add(X)
    for start in range(0, n, cut):
        pieces.add(X[start : start + cut])
    for j in range(5):
        one, other = whole.column(j, "x"), pieces.column(j, "x")
        assert (one.kind, one.missing, one.counts, one.low) == (other.kind, other.missing, other.counts, other.low)
        assert one.mean == pytest.approx(other.mean, rel=1e-12)


def test_many_distinct_strings_stay_bounded():
    profile, repeated = LabelProfile(), LabelProfile()
    for start in range(0, 250_000, 50_000):
        labels = [f"key {i}" for i in range(start, start + 50_000)]
        profile.add(Coded(np.arange(50_000), labels))
        repeated.add(Coded(np.arange(100_000) % 50_000, labels))
        assert profile.counts is None or len(profile.counts) <= 100_000
    column = profile.column("key")
    assert (column.kind, column.n_distinct, column.levels, column.readable) == (Kind.IDENTIFIER, None, None, False)
    assert repeated.column("word").kind is Kind.TEXT


@pytest.mark.parametrize(
    "values, task",
    [
        (["a", "b"] * 10, "classification"),
        ([0, 1] * 10, "classification"),
        ([True, False] * 10, "classification"),
        ([1, 2, 3] * 10, "classification"),
        (list(range(12)) * 10, "regression"),
        (RNG.normal(size=30).tolist(), "regression"),
        ([10, 20, 30, 40, 50, 60], "regression"),  # whole, few, but every one is different
        (list(range(40)), "regression"),
    ],
)
def test_the_task_is_decided_from_the_target(values, task):
    assert decide_task(as_source(np.zeros((len(values), 1)), values).schema.target) == task


def test_unknown_columns_get_a_suggestion():
    schema = as_source(np.zeros((3, 2))).schema
    assert schema.index("x1") == 1
    with pytest.raises(ValueError, match="did you mean 'x1'"):
        schema.index("xx1")
