"""Labels of any type become positions of classes, and come back as they were."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tamis import InputError
from tamis.base.labels import classes_of, require_two


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array([3, 1, 2, 3]), [1, 2, 3]),
        (np.array([True, False, False, True]), [False, True]),
        (np.array([2.0, -1.0, 2.0, -1.0]), [-1.0, 2.0]),
        (np.array(["b", "a", "c", "b"]), ["a", "b", "c"]),
        (["b", "a", "c", "b"], ["a", "b", "c"]),
        (pd.Series(["b", "a", "c", "b"]), ["a", "b", "c"]),
        (pd.Series(["b", "a", "c", "b"], dtype="category"), ["a", "b", "c"]),
        (pd.Series([3, 1, 2, 3], dtype="Int64"), [1, 2, 3]),
        (pd.Series([True, False, False, True], dtype="boolean"), [False, True]),
        (pl.Series(["b", "a", "c", "b"]), ["a", "b", "c"]),
        (pl.Series(["b", "a", "c", "b"], dtype=pl.Enum(["c", "b", "a", "unused"])), ["a", "b", "c"]),
        (pa.chunked_array([["b", "a"], ["c", "b"]]), ["a", "b", "c"]),
    ],
    ids=lambda v: type(v).__module__.partition(".")[0] + str(getattr(v, "dtype", "")),
)
def test_classes_are_sorted_and_codes_lead_back(y, classes):
    found, codes = classes_of(y)
    assert found.tolist() == classes
    assert found[codes].tolist() == list(y if not isinstance(y, pa.ChunkedArray) else y.to_pylist())


@pytest.mark.parametrize("y", [np.array([3, 1]), np.array([True, False]), np.array(["b", "a"]), np.array([1.0, 0.0])])
def test_types_are_kept(y):
    assert classes_of(y)[0].dtype == y.dtype


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", None, "b"], "missing .NaN. in 1 of 3 rows"),
        ([1.0, np.nan, 2.0], "missing .NaN. in 1 of 3 rows"),
        ([0.5, 1.5, 2.5], "Unknown label type.*use a regressor"),
        ([1, "a", 2], "labels of several types"),
    ],
)
def test_bad_labels(y, message):
    with pytest.raises(InputError, match=message):
        classes_of(y)


def test_one_class_is_named():
    with pytest.raises(InputError, match=r"two classes.*one class only: 'yes'"):
        require_two(np.array(["yes"], dtype=object), "SparseClassifier")


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_whole_numbers_that_floats_cannot_tell_apart_are_classes(dtype):
    labels = np.array([2**53 + 1, 2**53, 5], dtype=dtype)
    classes, codes = classes_of(np.tile(labels, 4))
    assert classes.dtype == dtype
    np.testing.assert_array_equal(classes, np.sort(labels))
    np.testing.assert_array_equal(classes[codes], np.tile(labels, 4))
