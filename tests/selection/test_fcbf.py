"""The filter by predominance: the published rule said slowly, its evidence, and its edges."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mutual_info_score

from tamis import FCBF
from tamis.datasets import load_watermelon


def uncertainty(a, b):
    H = mutual_info_score(a, a) + mutual_info_score(b, b)
    return 2 * mutual_info_score(a, b) / H if H else 0.0


def slowly(X, y, threshold=0.0):
    SU = np.array([uncertainty(x, y) for x in X.T])
    left = [j for j in np.argsort(-SU, kind="stable").tolist() if SU[j] > threshold]
    for j in list(left):
        if j in left:
            left = [i for i in left if i == j or left.index(i) < left.index(j) or uncertainty(X[:, j], X[:, i]) < SU[i]]
    return left


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threshold", [0.0, 0.02])
def test_the_columns_of_the_published_rule(seed, threshold):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (200, 12))
    X[:, 5] = np.where(rng.random(200) < 0.7, X[:, 0], X[:, 5])
    X[:, 6] = np.where(rng.random(200) < 0.9, X[:, 1], X[:, 6])
    y = (X[:, 0] + (X[:, 1] > 0)) % 3
    found = FCBF(threshold).fit(X, y)
    assert found.selected_features_ == slowly(X, y, threshold)
    for gone, by in found.removed_by_.items():
        assert by in found.selected_features_
        assert gone not in found.selected_features_
        assert uncertainty(X[:, by], X[:, gone]) >= found.scores_[gone] - 1e-12
    np.testing.assert_allclose(found.scores_, [uncertainty(x, y) for x in X.T], atol=1e-12)


def test_names_limits_and_weights():
    melons = load_watermelon()
    frame = pd.DataFrame(melons.data, columns=melons.feature_names)
    found = FCBF(n_features=1).fit(frame, melons.target)
    assert found.selected_features_ == ["texture"]
    assert list(found.get_feature_names_out()) == ["texture"]
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (90, 6)), rng.integers(0, 2, 90)
    weight = rng.integers(0, 3, 90)
    a = FCBF().fit(X, y, sample_weight=weight.astype(float))
    b = FCBF().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert a.selected_features_ == b.selected_features_
    np.testing.assert_allclose(a.scores_, b.scores_, atol=1e-12)


def test_files_give_the_same(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(300, 5)), columns=list("abcde"))
    frame["y"] = np.where(frame["b"] + 0.3 * frame["d"] > 0, "yes", "no")
    frame.to_csv(tmp_path / "t.csv", index=False)
    there, here = FCBF().fit(tmp_path / "t.csv", "y"), FCBF().fit(frame, "y")
    assert there.selected_features_ == here.selected_features_
    assert there.classes_.tolist() == ["no", "yes"]


def test_nothing_relevant_selects_nothing_and_says_so():
    X = np.column_stack([np.zeros(40), np.tile([0, 1], 20)])
    y = np.repeat([0, 1], 20)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert FCBF().fit(X, y).transform(X).shape == (40, 0)


@pytest.mark.parametrize(
    "bad, argument", [(FCBF(-1), "threshold"), (FCBF(n_features=0), "n_features"), (FCBF(bins="x"), "bins")]
)
def test_bad_arguments_are_named(bad, argument):
    with pytest.raises(ValueError, match=argument):
        bad.fit(np.eye(4), [0, 1, 0, 1])


def test_a_renamed_copy_goes_whatever_the_number_of_rows():
    for n in [*range(12, 60), 97, 128, 199]:
        k = np.arange(n) % 6
        renamed = np.column_stack([k, 5 - k, k * 7 % 6])
        for y in (k, (k == 0).astype(int)):
            assert FCBF().fit(renamed, y).selected_features_ == [0], n


def test_constant_and_independent_columns_are_irrelevant():
    for n in range(2, 60):
        x, y = np.repeat(np.arange(n), 3), np.tile([0, 1, 2], n)
        found = FCBF(discrete=True).fit(np.column_stack([np.zeros(3 * n), x % 7, x, y]), y)
        assert found.selected_features_ == [3], n
        assert not found.scores_[:3].any(), n
