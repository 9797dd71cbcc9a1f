"""What looks like an identifier is left out only where nothing depends on it, and can be kept."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from tamis.sources import Encoded, Kind, as_source
from tamis.sources.identifiers import CHANCE, PARTS, related_to_target

N = 400
RNG = np.random.default_rng(5)
KEYS = np.arange(N) + 1000


def source(column, y, **others):
    return as_source(pa.table({"k": column, "x": RNG.normal(size=len(column)), **others, "y": y}), target="y")


@pytest.mark.parametrize("blocks", [1, 7])
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.arange(200), Kind.IDENTIFIER),
        (np.arange(0, 2000, 10), Kind.IDENTIFIER),
        (np.flatnonzero(np.random.default_rng(0).random(1000) < 0.9), Kind.IDENTIFIER),  # a tenth of the rows deleted
        (np.cumsum(1 + np.random.default_rng(0).poisson(30, 300)), Kind.IDENTIFIER),  # sd/mean of the steps about 0.18
        (np.unique(np.random.default_rng(0).integers(0, 10**6, 300)), Kind.CONTINUOUS),  # measured and sorted
        (np.arange(300) ** 2, Kind.CONTINUOUS),
        (np.cumsum(np.random.default_rng(0).geometric(0.01, 300)), Kind.CONTINUOUS),
    ],
)
def test_keys_have_nearly_even_steps(values, kind, blocks):
    from tamis.sources.profile import NumberProfile

    profile = NumberProfile(1)
    for part in np.array_split(values.astype(float), blocks):
        profile.add(part[:, None])
    assert profile.column(0, "k").kind is kind


@pytest.mark.parametrize("order", ["ascending", "shuffled"])
@pytest.mark.parametrize("labels", [False, True])
def test_unrelated_identifier_is_left_out(order, labels):
    k = KEYS if order == "ascending" else RNG.permutation(KEYS)
    y = RNG.normal(size=N)
    encoded = Encoded(source(k, ["no", "yes"] * (N // 2) if labels else y))
    assert encoded.left_out == {"k": "identifier: every row has its own value"}
    assert encoded.notes == []


@pytest.mark.parametrize("order", ["ascending", "shuffled"])
@pytest.mark.parametrize("shape", ["trend", "wave", "classes"])
def test_identifier_that_the_target_depends_on_is_used_with_a_note(order, shape):
    """Years with a trend, ranks, a season."""
    k = KEYS if order == "ascending" else RNG.permutation(KEYS)
    t = (k - k.min()) / N
    y = {"trend": t, "wave": np.sin(6 * t), "classes": np.where(t > 0.5, "late", "early")}[shape]
    y = y if shape == "classes" else y + 0.3 * RNG.normal(size=N)
    encoded = Encoded(source(k, y))
    assert encoded.names == ["k", "x"]
    assert len(encoded.notes) == 1
    assert "'k' is used" in encoded.notes[0]


def test_kept_identifier_is_used_without_a_note():
    encoded = Encoded(source(KEYS, RNG.normal(size=N), other=KEYS + 3), keep=["k"])
    assert encoded.names == ["k", "x"]
    assert set(encoded.left_out) == {"other"}
    assert encoded.notes == []


def test_labels_that_are_all_different_stay_left_out():
    encoded = Encoded(source([f"u{i}" for i in range(N)], RNG.normal(size=N)), keep=["k"])
    assert set(encoded.left_out) == {"k"}


@pytest.mark.parametrize("n", [21, 60, 400])
@pytest.mark.parametrize("seed", range(5))
def test_relation_is_the_textbook_test(seed, n):
    """scipy.stats.f_oneway and chi2_contingency on the same parts."""
    rng = np.random.default_rng(seed)
    k = np.arange(n)
    count = max(2, min(PARTS, n // 5))
    part = np.minimum(k / (n - 1) * PARTS, PARTS - 1).astype(int) * count // PARTS
    y = rng.normal(size=n) + rng.choice([0.0, 1.0, 3.0]) * k / n
    p = stats.f_oneway(*[y[part == g] for g in np.unique(part)]).pvalue
    assert related_to_target(source(k, y), [0]) == ([0] if p < CHANCE else [])
    label = rng.random(n) < (k / n if seed % 2 else 0.5)
    seen = np.array([[np.sum((part == g) & (label == c)) for c in (False, True)] for g in np.unique(part)])
    p = stats.chi2_contingency(seen, correction=False).pvalue
    assert related_to_target(source(k, np.where(label, "a", "b").tolist()), [0]) == ([0] if p < CHANCE else [])


def test_chance_rarely_looks_like_a_relation():
    """About one in a thousand unrelated identifiers is used: 5 of 500 would come by chance once in 5,000 runs."""
    rng = np.random.default_rng(0)
    found = [bool(related_to_target(source(np.arange(50), rng.normal(size=50)), [0])) for _ in range(500)]
    assert sum(found) < 5
