"""What the three estimators take for a matrix, and the one line they say about what they do not."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from tamis import GraphRobustPCA, InputError, MatrixCompletion, RobustPCA, as_source

KINDS = [RobustPCA, GraphRobustPCA, MatrixCompletion]
L = np.outer(np.linspace(-1, 2, 30), np.linspace(1, 2, 6))


@pytest.mark.parametrize("kind", KINDS)
def test_masks_are_missing_entries(kind):
    hidden = np.zeros(L.shape, bool)
    hidden[3, 4] = hidden[8, 1] = True
    with_nan = kind(random_state=0).fit(np.where(hidden, np.nan, L))
    masked = kind(random_state=0).fit(np.ma.array(np.where(hidden, 1e6, L), mask=hidden))
    name = "row_factors_" if kind is MatrixCompletion else "low_rank_"
    np.testing.assert_array_equal(getattr(masked, name), getattr(with_nan, name))


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_is_taken(kind):
    assert kind(random_state=0).fit(as_source(L)).n_features_in_ == 6


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_labels_are_named(kind, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": L[:, 0], "b": L[:, 1], "town": list("xyz") * 10})
    frame.to_csv(tmp_path / "t.csv", index=False)
    for given in (frame, tmp_path / "t.csv"):
        with pytest.raises(InputError, match="'town' holds labels"):
            kind().fit(given)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "X, word",
    [
        (np.array([[1.0, np.inf], [1.0, 2.0]]), "infinity, in "),
        (np.full((3, 3), np.nan), "no observed entry"),
        (np.ones(4), "2D"),
        (np.ones((3, 2)) * 1j, "Complex"),
        (None, "NoneType"),
        (np.empty((0, 3)), "0 sample"),
    ],
)
def test_one_line_for_what_cannot_be_used(kind, X, word):
    with pytest.raises(InputError, match=word) as caught:
        kind().fit(X)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [RobustPCA, GraphRobustPCA])
def test_sparse_rows_are_refused_with_what_to_do(kind):
    with pytest.raises(InputError, match=r"X\.toarray\(\)"):
        kind().fit(sp.csr_array(L))


def test_rank_above_the_smaller_side():
    for model in (MatrixCompletion("factored", rank=7), MatrixCompletion(rank=7)):
        with pytest.raises(InputError, match="rank"):
            model.fit(L)


@pytest.mark.parametrize("model", [RobustPCA(), RobustPCA("stable"), RobustPCA("online"), GraphRobustPCA()])
@pytest.mark.parametrize("value", [0.0, 3.0])
def test_constant_data(model, value):
    X = np.full((20, 10), value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X)
    np.testing.assert_allclose(model.low_rank_ + model.sparse_, X, atol=0.2)
    assert np.isfinite(model.transform(X)).all()
