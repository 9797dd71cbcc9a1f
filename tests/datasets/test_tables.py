"""Published facts about the tables: a slip while typing one in must show here."""

from collections import Counter

import numpy as np
import pytest

from tamis._core.errors import InputError
from tamis.datasets import load_pitprops, load_ratings, load_watermelon, load_weather


def entropy(labels):
    share = np.array(list(Counter(labels).values())) / len(labels)
    return -(share * np.log2(share)).sum()


def gain(values, labels):
    """(11.1): Ent(D) − Σ_v |D_v|/|D| Ent(D_v)."""
    values, labels = np.array(list(values)), np.array(labels)
    parts = [labels[values == v] for v in set(values)]
    return entropy(labels) - sum(len(part) / len(labels) * entropy(part) for part in parts)


@pytest.mark.parametrize(
    "version, counts, bits",
    [
        ("worked", {"sunny": (2, 1), "overcast": (2, 1), "rainy": (0, 2)}, 0.311),
        ("printed", {"sunny": (3, 2), "overcast": (1, 1), "rainy": (0, 1)}, 0.143),
    ],
)
def test_weather_has_the_counts_and_the_gain_of_its_version(version, counts, bits):
    weather = load_weather(version)
    pairs = Counter(zip(weather.data[:, 0].tolist(), weather.target.tolist(), strict=True))
    assert {v: (pairs[v, "yes"], pairs[v, "no"]) for v in counts} == counts
    assert len(weather.target) == 8
    assert gain(weather.data[:, 0], weather.target) == pytest.approx(bits, abs=5e-4)  # published to three decimals


def test_weather_refuses_an_unknown_version():
    with pytest.raises(InputError, match=r"version must be one of .*; got 'print', did you mean 'printed'"):
        load_weather("print")


def test_watermelon_has_eight_ripe_melons_of_seventeen():
    melons = load_watermelon()
    assert melons.data.shape == (17, 8)
    assert Counter(melons.target.tolist()) == {"yes": 8, "no": 9}
    assert entropy(melons.target) == pytest.approx(0.998, abs=1e-3)  # the book prints 0.998


@pytest.mark.parametrize(
    "name, bits",
    [("color", 0.109), ("root", 0.143), ("sound", 0.141), ("texture", 0.381), ("umbilicus", 0.289), ("surface", 0.006)],
)
def test_watermelon_gains_are_the_books(name, bits):
    melons = load_watermelon()
    assert gain(melons.columns[name], melons.target) == pytest.approx(
        bits, abs=1e-3
    )  # the book rounds its intermediate terms


@pytest.mark.parametrize("name, bits, threshold", [("density", 0.262, 0.381), ("sugar", 0.349, 0.126)])
def test_watermelon_best_splits_are_the_books(name, bits, threshold):
    melons = load_watermelon()
    x = melons.columns[name]
    ordered = np.sort(x)
    splits = {t: gain(x <= t, melons.target) for t in (ordered[:-1] + ordered[1:]) / 2}
    best = max(splits, key=splits.get)
    assert best == pytest.approx(threshold, abs=1e-3)
    assert splits[best] == pytest.approx(bits, abs=1e-3)


def test_watermelon_speaks_both_languages_alike():
    english, chinese = load_watermelon(), load_watermelon(language="zh")
    assert chinese.feature_names[0] == "色泽"
    assert chinese.target[0] == "是"
    for a, b in zip(english.columns.values(), chinese.columns.values(), strict=True):
        assert len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(set(a.tolist())) == len(set(b.tolist()))


def test_pitprops_eigenvalues_are_the_published_ones():
    C = load_pitprops().correlation
    published = [4.219, 2.378, 1.878, 1.109, 0.910, 0.815]  # Jeffers 1967
    np.testing.assert_allclose(np.linalg.eigvalsh(C)[::-1][:6], published, atol=5e-4)


def test_pitprops_is_a_correlation_matrix_with_a_name_per_row():
    props = load_pitprops()
    np.testing.assert_array_equal(props.correlation, props.correlation.T)
    np.testing.assert_array_equal(np.diag(props.correlation), 1)
    assert len(set(props.feature_names)) == 13
    assert props.n_samples == 180
    assert props.correlation[0, 1] == 0.954  # the two widest and longest measures, the largest entry
    assert props.correlation[12, 6] == -0.424


def test_who_knows_the_genres_can_fill_in_the_ratings():
    ratings = load_ratings()
    genre = np.array(ratings.genres)
    filled = {g: np.nanmean(np.where(genre == g, ratings.data, np.nan), axis=1) for g in ("novel", "history")}
    filled["poem"] = (filled["novel"] + filled["history"]) / 2
    np.testing.assert_array_equal(np.column_stack([filled[g] for g in genre]), ratings.complete)
    assert np.linalg.matrix_rank(ratings.complete) == 2
    assert np.isnan(ratings.data).sum() == 8


@pytest.mark.parametrize("load", [load_weather, load_watermelon])
def test_return_X_y_is_data_and_target(load):
    X, y = load(return_X_y=True)
    bunch = load()
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)


@pytest.mark.parametrize("load", [load_weather, load_watermelon, load_pitprops, load_ratings])
def test_a_changed_table_does_not_change_the_next_one(load):
    bunch, array = load(), "correlation" if load is load_pitprops else "data"
    before = bunch[array].copy()
    bunch[array][:] = bunch[array][0, 0]
    np.testing.assert_array_equal(load()[array], before)
