"""Arrays: float blocks are views, everything else is converted, sparse stays sparse."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

from tamis._core.errors import InputError
from tamis.operators import as_operator
from tamis.sources import Kind, as_source, gather
from tamis.testing import check_source

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(60, 7)) * 3)
X[:, 3] = RNG.normal(size=60)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_blocks_are_views(order, dtype):
    given = np.asarray(X, dtype=dtype, order=order)
    source = as_source(given)
    source.block_bytes = 8 * 7 * 13
    blocks = list(source.blocks())
    assert len(blocks) == 5
    assert all(np.shares_memory(b.X, given) and b.X.dtype == dtype for b in blocks)
    assert np.shares_memory(next(source.blocks([2, 3, 4])).X, given)
    check_source(source)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float16, bool, object])
def test_other_numbers_become_float64(dtype):
    given = np.abs(np.rint(X)).astype(dtype)
    source = as_source(given)
    block = gather(source)
    assert block.X.dtype == np.float64
    np.testing.assert_array_equal(block.X, given.astype(float))
    check_source(source)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "bsr"])
@pytest.mark.parametrize("make", ["array", "matrix"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_sparse_stays_sparse(kind, make, dtype):
    dense = np.where(np.abs(X) > 2, X, 0).astype(dtype)
    given = getattr(sp, f"{kind}_{make}")(dense)
    source = as_source(given, np.arange(60) % 2)
    source.block_bytes = 600
    assert all(sp.issparse(b.X) and b.X.format == "csr" for b in source.blocks())
    np.testing.assert_array_equal(gather(source).X.toarray(), dense)
    check_source(source)


def test_sparse_and_dense_have_one_schema():
    dense = np.where(RNG.random((80, 9)) < 0.6, 0, RNG.integers(-3, 12, (80, 9))).astype(float)
    dense[4, 2], dense[5, 3], dense[:, 4], dense[:, 5] = np.nan, np.inf, 0, 2
    dense[:, 6] = RNG.normal(size=80) * (RNG.random(80) < 0.3)
    sparse, solid = as_source(sp.csr_array(dense)), as_source(dense)
    sparse.block_bytes = 500
    for ours, theirs in zip(sparse.schema.columns, solid.schema.columns, strict=True):
        assert ours.mean == pytest.approx(theirs.mean, rel=1e-12, abs=1e-15)
        for field in ("kind", "missing", "infinite", "n_distinct", "counts", "low", "high"):
            assert getattr(ours, field) == getattr(theirs, field)


def test_accepting_a_float_array_does_not_touch_it():
    big = np.lib.stride_tricks.as_strided(np.zeros(1), shape=(10**9, 100), strides=(0, 0))  # 800 GB, if anybody looked
    tracemalloc.start()
    assert as_source(big).n_rows == 10**9  # reading it would take minutes
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_mixed_objects_and_lists():
    rows = [[1, "a", None, True], [2.5, "b", 3, False], [None, "a", float("nan"), True]]
    for given in (rows, np.array(rows, dtype=object)):
        source = as_source(given)
        assert source.names == ["x0", "x1", "x2", "x3"]
        assert source.schema.columns[1].levels == ("a", "b")
        np.testing.assert_array_equal(gather(source).X, [[1, 0, np.nan, 1], [2.5, 1, 3, 0], [np.nan, 0, np.nan, 1]])
        check_source(source)


def test_pandas_floats_are_views_with_names():
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    source = as_source(frame, np.arange(60))
    assert source.names == list("abcdefg")
    assert np.shares_memory(next(source.blocks()).X, frame.to_numpy())


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames_of_single_precision_stay_so(library):
    frame = library.DataFrame({"a": X[:, 0].astype(np.float32), "b": X[:, 3].astype(np.float32), "y": X[:, 1]})
    assert gather(as_source(frame, y="y")).X.dtype == np.float32


LABELS = ["low", "high", "low", "mid"]
ORDER = ["low", "mid", "high", "top"]


@pytest.mark.parametrize(
    "y, values, levels",
    [
        ([3, 1, 2, 3], [3, 1, 2, 3], None),
        (np.array([0.5, 1, 2, 3], dtype=np.float32), [0.5, 1, 2, 3], None),
        ([True, False, True, True], [1, 0, 1, 1], None),
        (LABELS, [1, 0, 1, 2], ("high", "low", "mid")),
        (np.array(LABELS), [1, 0, 1, 2], ("high", "low", "mid")),
        (pd.Series(LABELS), [1, 0, 1, 2], ("high", "low", "mid")),
        (pd.Series(pd.Categorical(LABELS, ["low", "mid", "high"])), [1, 0, 1, 2], ("high", "low", "mid")),
        (pd.Series(pd.Categorical(LABELS, ORDER, ordered=True)), [0, 2, 0, 1], ("low", "mid", "high")),
        (pd.Series(pd.Categorical([10, 2, 10, 5])), [2, 0, 2, 1], (2, 5, 10)),
        (pl.Series(LABELS, dtype=pl.Enum(["mid", "low", "high"])), [1, 2, 1, 0], ("mid", "low", "high")),
        (pl.Series(LABELS, dtype=pl.Categorical), [1, 0, 1, 2], ("high", "low", "mid")),
        (pd.array([1, 2, 3, 4], dtype="Int64"), [1, 2, 3, 4], None),
        (pd.Series([1, 2, 3, 4], dtype="Int64"), [1, 2, 3, 4], None),
        ([1, "a", 1, "b"], [0, 1, 0, 2], (1, "a", "b")),
    ],
)
def test_targets_of_any_type(y, values, levels):
    source = as_source(np.zeros((4, 2)), y)
    np.testing.assert_array_equal(gather(source).y, values)
    assert source.schema.target.levels == levels
    assert sum(source.schema.target.counts or [4]) == 4


@pytest.mark.parametrize("y", [np.zeros((60, 1)), pd.DataFrame({"y": np.zeros(60)})])
def test_column_vectors_are_taken_with_a_warning(y):
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        assert as_source(X, y).y.shape == (60,)


def test_discrete_overrides_the_values():
    kinds = as_source(X, discrete=[0, 3]).schema.kinds
    assert [j for j, kind in enumerate(kinds) if kind is Kind.DISCRETE] == [0, 3]
    assert as_source(X, discrete="none").schema.kinds == [Kind.CONTINUOUS] * 7
    assert as_source(X, discrete=np.arange(7) == 2).schema.kinds.count(Kind.DISCRETE) == 1
    assert as_source(pd.DataFrame(X, columns=list("abcdefg")), discrete=["d"]).schema.kinds[3] is Kind.DISCRETE


def test_a_source_passes_through_unchanged():
    source = as_source(X)
    assert as_source(source) is source
    with pytest.raises(InputError, match="brings its own target"):
        as_source(source, np.zeros(60))


@pytest.mark.parametrize(
    "given, message",
    [
        ((X, np.zeros(59)), "X has 60, y has 59"),
        ((X, np.full(60, np.nan)), r"missing \(NaN\) in 60 of 60 rows"),
        ((X, ["a"] * 59 + [None]), r"missing \(NaN\) in 1 of 60"),
        ((X, np.full(60, np.inf)), "infinite in 60 of 60"),
        ((X, np.zeros((60, 2))), r"1d array, got an array of shape \(60, 2\)"),
        ((X, "price"), "X is an array without column names"),
        ((X[0],), r"Expected 2D array, got 1D array.*Reshape your data"),
        ((X[:0],), r"0 sample\(s\) \(shape=\(0, 7\)\) while a minimum of 1 is required"),
        ((X[:, :0],), r"0 feature\(s\) \(shape=\(60, 0\)\) while a minimum of 1 is required"),
        ((X + 1j,), "Complex data not supported"),
        (([[1, 2], [3]],), "rows of one length"),
        ((object(),), "X is a object: give an array"),
        ((np.array([[{"a": 1}, "b"]], dtype=object),), "argument must be a string or a number"),
    ],
)
def test_what_cannot_be_used_is_refused(given, message):
    with pytest.raises(InputError, match=message) as caught:
        as_source(*given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "weight, message",
    [
        (np.ones(3), "X has 60, sample_weight has 3"),
        (np.zeros(60), "must not be all zero"),
        (np.r_[-1.0, np.ones(59)], "≥ 0, got -1 in row 0"),
        (np.r_[np.ones(59), np.nan], "finite and ≥ 0, got nan in row 59"),
        (["heavy"] * 60, "must be numbers, got labels such as 'heavy'"),
    ],
)
def test_weights_are_checked(weight, message):
    with pytest.raises(InputError, match=message):
        as_source(X, sample_weight=weight)


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil"])
@pytest.mark.parametrize("wrong", [-1, 10**6])
def test_sparse_arrays_with_indices_beyond_their_shape_are_refused(kind, wrong):
    X = sp.random_array((30, 20), density=0.3, format=kind, rng=np.random.default_rng(0))
    assert as_source(X).n_features == 20
    if kind == "coo":
        X.coords[0][3] = wrong
    elif kind == "lil":
        X.rows[0][0] = wrong
    else:
        X.indices[3] = wrong
    for take in (as_source, as_operator):
        with pytest.raises(InputError, match="X is a sparse array whose parts do not fit together"):
            take(X)


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_sparse_arrays_whose_rows_end_before_they_begin_are_refused(kind):
    X = sp.random_array((30, 20), density=0.3, format=kind, rng=np.random.default_rng(0))
    X.indptr[4] = X.indptr[5] + 1
    for take in (as_source, as_operator):
        with pytest.raises(InputError, match="X is a sparse array whose parts do not fit together"):
            take(X)
