"""Rows to predict have the columns of the fit, found by name where there are names."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from tamis import InputError, Lasso, as_source

rng = np.random.default_rng(0)
FRAME = pd.DataFrame(rng.normal(size=(30, 3)), columns=list("abc")).assign(y=lambda t: t.a - 2 * t.c)
MODEL = Lasso(0.01).fit(FRAME, "y")
EXPECTED = MODEL.predict(FRAME[["a", "b", "c"]])


@pytest.fixture
def file(tmp_path):
    FRAME[["c", "y", "a", "b"]].assign(other=1.0).to_csv(tmp_path / "new.csv", index=False)
    return tmp_path / "new.csv"


def test_files_and_sources_may_hold_more_in_any_order(file):
    np.testing.assert_array_equal(MODEL.predict(file), EXPECTED)
    np.testing.assert_array_equal(MODEL.predict(as_source(file)), EXPECTED)


def test_a_frame_may_still_hold_the_target():
    np.testing.assert_array_equal(MODEL.predict(FRAME[["c", "y", "a", "b"]]), EXPECTED)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (as_source(FRAME[["a", "b"]]), "X lacks the columns 'c' that the model was fitted on"),
        (FRAME[["a", "c", "y"]], "X lacks the columns 'b'"),
    ],
    ids=["source", "frame"],
)
def test_missing_columns_are_named(X, words):
    with pytest.raises(InputError, match=words) as caught:
        MODEL.predict(X)
    assert caught.value.argument == "X"


def test_arrays_must_have_the_width_of_the_fit():
    model = Lasso(0.01).fit(FRAME[["a", "b", "c"]].to_numpy(), FRAME["y"])
    with pytest.raises(InputError, match=r"X has 2 features, but Lasso is expecting 3") as caught:
        model.predict(np.ones((4, 2)))
    assert caught.value.argument == "X"
    with pytest.raises(InputError, match="NaN or infinity"):
        model.predict(np.full((2, 3), np.nan))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_gaps_in_new_rows_are_refused(bad, storage):
    X = FRAME[["a", "b", "c"]].to_numpy(copy=True)
    model = Lasso(0.01).fit(X, FRAME["y"])
    X[3, 0] = bad
    with pytest.raises(InputError, match="X contains NaN or infinity: fill or drop these rows before predicting"):
        model.predict(storage(X))
