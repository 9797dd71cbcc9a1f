"""Zarr arrays and large memory maps are read by rows, and give what the array in memory gives."""

import numpy as np
import pytest

import tamis
from tamis._core.errors import InputError
from tamis.sources import as_source, gather, stored_arrays
from tamis.testing import check_source


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    return X, X @ [1.0, 0.0, -2.0, 0.0, 0.5] + rng.normal(size=300), rng.random(300)


def mapped(X, folder, **how):
    stored = np.memmap(folder / "X.bin", dtype=X.dtype, mode="w+", shape=X.shape, **how)
    stored[:] = X
    stored.flush()
    return stored


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_memory_maps_beyond_the_limit_are_read_by_rows(rows, tmp_path, monkeypatch, order, dtype):
    monkeypatch.setattr(stored_arrays, "BLOCK_BYTES", 8 * 5 * 40)
    monkeypatch.setattr(stored_arrays, "PARTITION_BYTES", 8 * 5 * 90)
    X, y, weight = rows
    X = (10 * X).astype(dtype)
    with tamis.config_context(memory_limit=1_000):
        source = as_source(mapped(X, tmp_path, order=order), y, sample_weight=weight)
        assert not source.in_memory
        assert len(source.partitions()) > 2
        check_source(source)
    block = gather(source)
    np.testing.assert_array_equal(block.X, X)
    np.testing.assert_array_equal(block.y, y)


def test_memory_maps_that_fit_stay_arrays(rows, tmp_path):
    source = as_source(mapped(rows[0], tmp_path))
    assert source.in_memory


def test_parts_of_large_maps_are_refused(rows, tmp_path):
    X = mapped(rows[0], tmp_path)
    with tamis.config_context(memory_limit=1_000), pytest.raises(InputError, match="part of a memory map"):
        as_source(X[::2])


def test_a_map_whose_file_is_gone_is_named(rows, tmp_path):
    with tamis.config_context(memory_limit=1_000):
        source = as_source(mapped(rows[0], tmp_path))
    (tmp_path / "X.bin").unlink()
    with pytest.raises(InputError, match=r"X\.bin has changed"):
        gather(source)


def test_zarr_arrays(rows, monkeypatch):
    zarr = pytest.importorskip("zarr")
    monkeypatch.setattr(stored_arrays, "BLOCK_BYTES", 8 * 5 * 40)
    monkeypatch.setattr(stored_arrays, "PARTITION_BYTES", 8 * 5 * 90)
    X, y, _ = rows
    stored = zarr.array(X, chunks=(17, 2))
    source = as_source(stored, y)
    assert not source.in_memory
    np.testing.assert_array_equal(gather(source).X, X)
    starts = [block.start for block in source.blocks()]
    assert all(start % 17 == 0 for start in starts)
    here, there = tamis.LassoCV().fit(X, y), tamis.LassoCV().fit(stored, y)
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-9, atol=1e-12)


def test_the_same_lasso_from_a_map(rows, tmp_path):
    X, y, weight = rows
    here = tamis.LassoCV().fit(X, y, sample_weight=weight)
    with tamis.config_context(memory_limit=11_000):
        there = tamis.LassoCV(alphas=20).fit(mapped(X, tmp_path), y, sample_weight=weight)
    here = tamis.LassoCV(alphas=20).fit(X, y, sample_weight=weight)
    assert "streamed" in there.strategy_
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("given", ["much", -1, 0, True, float("nan"), "1 XB"])
def test_a_limit_is_a_number_of_bytes(given):
    with pytest.raises(InputError, match="memory_limit must be"):
        tamis.set_config(memory_limit=given)
    assert tamis.get_config() == {"memory_limit": None}


def test_limits_are_read_as_bytes():
    for given, expected in (("1 GB", 10**9), ("2.5mb", 2_500_000), (512, 512), ("100", 100)):
        with tamis.config_context(memory_limit=given):
            assert tamis.get_config()["memory_limit"] == expected
    assert tamis.get_config()["memory_limit"] is None


def test_work_beyond_the_limit_is_refused_before_it_starts(rows):
    X, y, _ = rows
    with tamis.config_context(memory_limit=500), pytest.raises(InputError, match="500 bytes are the memory_limit"):
        tamis.LassoCV().fit(X, y)
