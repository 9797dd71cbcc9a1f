"""The noise floor of single columns: uniform on noise, exact where all shuffles can be listed, fair to all columns."""

import itertools

import numpy as np
import pytest

from reference import counts as slow
from tamis._core.errors import InputError
from tamis.selection import LinearFit, column_noise_floor


def noise(seed, n=40):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 2, (n, 2)), rng.integers(0, 12, n)])
    return X, rng.integers(0, 2, n), rng.normal(size=n)


@pytest.mark.parametrize("which", [1, 2], ids=["classes", "numbers"])
def test_on_noise_the_smallest_pvalue_is_no_smaller_than_uniform(which):
    smallest = np.array([column_noise_floor(noise(s)[0], noise(s)[which]).pvalues.min() for s in range(150)])
    for level in (0.05, 0.1, 0.2, 0.5):
        assert np.mean(smallest <= level) <= level + 3 * np.sqrt(level * (1 - level) / 150)
    assert np.mean(smallest <= 0.5) >= 0.3  # nor much larger


@pytest.mark.parametrize("which", [1, 2], ids=["classes", "numbers"])
def test_weights_do_not_raise_the_level(which):
    """Weights go with the target; bins of columns that followed them would tell the true table from shuffled ones."""
    hits = 0
    for seed in range(80):
        table = noise(seed, n=30)
        weight = np.exp(1.5 * np.random.default_rng(seed).normal(size=30))
        found = column_noise_floor(table[0], table[which], sample_weight=weight, random_state=seed)
        hits += bool(found.significant.any())
    assert hits <= 10  # of 80 with p = 0.05: more in one of 150 such tests


def test_it_is_exact_where_all_shuffles_can_be_listed():
    """Of 4 rows of one class and 4 of the other there are 70 targets; more shuffles come nearer to their share."""
    X = np.array([[0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1], [0, 1, 2, 0, 1, 2, 0, 1]]).T
    y = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    targets = [np.isin(range(8), rows).astype(int) for rows in itertools.combinations(range(8), 4)]
    gains = np.array([[slow.gain(X[:, [j]], t) for j in range(3)] for t in targets])
    observed = np.array([slow.gain(X[:, [j]], y) for j in range(3)])
    scale = gains.std(axis=0) + np.median(gains.std(axis=0))
    top = ((gains - gains.mean(axis=0)) / scale).max(axis=1)
    exact = [np.mean(top >= z - 1e-9) for z in (observed - gains.mean(axis=0)) / scale]
    shares = [column_noise_floor(X, y, n_shuffles=1_999, random_state=s).pvalues for s in range(5)]
    # the scale comes from 99 shuffles: its error moves ties of z of two columns, hence the median over seeds
    assert np.median(shares, axis=0) == pytest.approx(exact, abs=0.05)


def test_many_values_do_not_own_the_maximum():
    """A label with 60 values in 120 rows gains more by chance than a true column: raw gains would hide that."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = np.column_stack([rng.integers(0, 60, 120), np.where(rng.random(120) < 0.25, 1 - y, y)])
    found = column_noise_floor(X, y, discrete="all")
    assert found.scores[0] > found.scores[1]
    assert found.significant.tolist() == [False, True]
    assert found.floor[0] > found.scores[0] > found.scores[1] > found.floor[1]


def test_a_stronger_column_has_no_larger_pvalue():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)
    flips = rng.random(100)
    X = np.column_stack([np.where(flips < share, 1 - y, y) for share in (0.1, 0.2, 0.3, 0.4, 0.5)])
    assert (np.diff(column_noise_floor(X, y).pvalues) >= 0).all()


def test_within_groups_a_column_that_tells_the_group_tells_nothing():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(6), 20)
    y = (rng.random(120) < np.where(groups % 2, 0.8, 0.2)).astype(int)
    X = np.column_stack([groups, np.where(rng.random(120) < 0.2, 1 - y, y)])
    assert column_noise_floor(X, y, discrete="all").significant.tolist() == [True, True]
    assert column_noise_floor(X, y, discrete="all", groups=groups).significant.tolist() == [False, True]


def test_names_come_back_in_a_frame():
    pd = pytest.importorskip("pandas")
    X, y, _ = noise(3)
    X[:, 2] = y
    found = column_noise_floor(pd.DataFrame(X, columns=list("abcde")), y)
    assert found.frame("pandas").iloc[0]["column"] == "c"


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"n_shuffles": 50}, "n_shuffles"),
        ({"evaluation": LinearFit()}, "counts"),
        ({"groups": [1, 2]}, "one label for each of the 40 rows"),
        ({"groups": np.arange(47) % 3}, "one label for each of the 40 rows, got 47"),
        ({"groups": ["a", None] * 20}, "no label in 20 of 40 rows"),
        ({"groups": np.arange(40)}, "nothing to shuffle"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_error(arguments, words):
    X, y, _ = noise(0)
    with pytest.raises(InputError, match=words):
        column_noise_floor(X, y, **arguments)
