"""Rows in the order of time: blocks as long as neighbours are alike, and splits that only look back."""

from __future__ import annotations

import numpy as np
import pytest

from tamis._core.errors import InputError
from tamis.selection import compare_selectors
from tamis.studies.time_order import BLOCKS, TimeOrder, block_length


def autoregressive(coefficient, n, rng):
    noise, out = rng.normal(size=n), np.zeros(n)
    for i in range(1, n):
        out[i] = coefficient * out[i - 1] + noise[i]
    return out


def test_blocks_of_independent_rows_are_rows():
    rng = np.random.default_rng(0)
    lengths = [block_length(rng.normal(size=400)) for _ in range(50)]
    assert np.mean(np.array(lengths) == 1) >= 0.9
    order = TimeOrder.of(rng.permutation(400), rng.normal(size=400), False)
    assert order.together is None
    assert "independent" in order.note("day")


@pytest.mark.parametrize("coefficient", [0.5, 0.8])
def test_resampled_blocks_vary_as_new_samples_do(coefficient):
    """The variance of the mean of an AR(1) series is σ²/((1 − φ)² n) in the limit."""
    rng = np.random.default_rng(1)
    n, true, found = 2_000, 1 / (1 - coefficient) ** 2, []
    for _ in range(20):
        x = autoregressive(coefficient, n, rng)
        length = block_length(x)
        means = x[: n // length * length].reshape(-1, length).mean(axis=1)
        found.append(length * means.var())
    assert 0.75 * true < np.mean(found) < 1.1 * true  # rows by themselves: (1 − φ)/(1 + φ) of it, 0.33 and 0.11


def test_rows_of_one_time_stay_together_and_are_predicted_from_earlier_ones():
    rng = np.random.default_rng(2)
    day = rng.permutation(np.repeat(np.arange(60), 3))
    order = TimeOrder.of(day, autoregressive(0.9, 60, rng)[day] + rng.normal(size=180), False)
    assert order.length == 60 // BLOCKS
    for rows in (None, np.flatnonzero(rng.random(180) < 0.5)):
        days = day if rows is None else day[rows]
        splits = order.splits(5, rows)
        assert len(splits) == 5
        assert all(days[train].max() < days[test].min() for train, test in splits)
        tested = np.concatenate([test for _, test in splits])
        assert len(np.unique(tested)) == len(tested) > 0.75 * len(days)
    assert "too short" in order.note("day")


def test_two_times_are_too_few():
    order = TimeOrder.of(np.repeat([0, 1], 20), np.zeros(40), False)
    with pytest.raises(InputError, match="--time-order has 2 different times"):
        order.splits(5)


def test_intervals_of_alike_neighbours_are_wider():
    rng = np.random.default_rng(3)
    X = np.column_stack([autoregressive(0.95, 240, rng) for _ in range(3)])
    y = X[:, 0] + 2 * autoregressive(0.95, 240, rng)
    order = TimeOrder.of(np.arange(240.0), y, False)
    options = {"methods": ["mrmr"], "estimator": "linear", "sizes": [1], "cv": order.splits(5)}
    by_row, by_block = (
        compare_selectors(X, y, **options, groups=g).recommended_.interval for g in (None, order.together)
    )
    assert np.diff(by_block) > 1.3 * np.diff(by_row)
