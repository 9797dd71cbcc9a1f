"""Cuts from counts in fine cells: exact for few values, within a cell for many, the same for any split of the rows."""

import numpy as np
import pytest

from tamis.sources import Block, as_source
from tamis.stats import coded, collect, fine_counts
from tamis.stats.binning import Bins, RowSample, quantile_bins, supervised_bins
from tamis.stats.counts import JointCounts
from tamis.stats.fine_counts import ALL_ROWS, FineCounts, cell_bins

CLASSES = Bins((np.array([0.0, 1.0]),))


def table(n=6_000, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 4)) + np.outer(y == 1, [1.5, 0.0, 0.0, 0.0])
    X[:, 1] = np.exp(3 * X[:, 1])
    X[:, 2] = rng.integers(0, 40, n) + 20.0 * (y == 2)  # few values
    X[rng.random(n) < 0.1, 3] = np.nan
    return X, y.astype(float), rng.integers(0, 3, n).astype(float)


def counted(X, y, weight, classes, size=1_500, blocks=7):
    """FineCounts by a pass over a few blocks, merged as a tree."""
    pieces = [
        Block(X[r], y[r], None if weight is None else weight[r], r[0])
        for r in np.array_split(np.arange(len(X)), blocks)
    ]
    sample = RowSample(size=size)
    for piece in pieces:
        sample = sample.merge(RowSample(size=size).of(piece))
    empty = JointCounts(cell_bins(sample, np.ones(X.shape[1], bool), 3), classes)
    parts = [empty.of(piece) for piece in pieces]
    while len(parts) > 1:
        parts = [a.merge(b) for a, b in zip(parts[::2], [*parts[1::2], empty], strict=False)]
    return FineCounts(parts[0])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_bins", [2, 10, 37])
def test_a_quantile_is_off_by_less_than_a_cell(weighted, n_bins):
    X, y, weight = table()
    weight = weight if weighted else None
    fine = counted(X, y, weight, ALL_ROWS)
    assert fine.largest_share[[0, 1, 3]].max() < 0.012  # 1,500 sampled rows
    mass = np.ones(len(X)) if weight is None else weight
    for j, (cuts, share) in enumerate(zip(fine.quantile_bins(n_bins).cuts, fine.largest_share, strict=True)):
        here = ~np.isnan(X[:, j])
        (exact,) = quantile_bins(X[:, j : j + 1], n_bins, weight).cuts
        total = mass[here].sum()
        below = [mass[here & (X[:, j] <= cut)].sum() / total for cut in cuts]
        expected = [mass[here & (X[:, j] <= cut)].sum() / total for cut in exact]
        if j == 2:
            np.testing.assert_array_equal(cuts, exact)
        else:
            assert len(cuts) == len(exact)
            assert np.all(np.subtract(below, expected) >= -1e-12)
            assert np.all(np.subtract(below, expected) <= share + 1e-12)


def test_cuts_that_separate_classes_are_those_of_the_rows_rounded_up_to_cells():
    X, y, _ = table()
    fine = counted(X, y, None, CLASSES)
    cells = fine.counts.bins
    for j, cuts in enumerate(fine.supervised_bins().cuts):
        ends = np.append(cells.cuts[j], np.inf)
        code = cells.codes(X)[j]
        here = code < len(ends)
        rounded = ends[code[here], None]
        np.testing.assert_array_equal(cuts, supervised_bins(rounded, y[here].astype(np.int32), 3).cuts[0])
    assert len(fine.supervised_bins().cuts[0]) > 0
    assert len(fine.supervised_bins().cuts[1]) == 0
    exact = supervised_bins(X[:, 2:3], y.astype(np.int32), 3).cuts[0]
    np.testing.assert_array_equal(fine.supervised_bins().cuts[2], exact)


def test_any_split_gives_the_same_cuts():
    X, y, weight = table()
    first, *others = (counted(X, y, weight, CLASSES, blocks=b) for b in (1, 2, 7, 60))
    for other in others:
        for a, b in zip(first.supervised_bins().cuts, other.supervised_bins().cuts, strict=True):
            np.testing.assert_array_equal(a, b)


def test_many_classes_and_columns_have_fewer_cells(monkeypatch):
    X, y, _ = table()
    sample = RowSample().of(Block(X, y, None, 0))
    monkeypatch.setattr(fine_counts, "TABLE_BYTES", 8 * 4 * 4 * 100)
    assert [len(c) + 1 for c in cell_bins(sample, np.ones(4, bool), 3).cuts][:2] == [100, 100]
    assert [len(c) + 1 for c in cell_bins(sample, np.ones(4, bool), 300).cuts][:2] == [64, 64]


@pytest.mark.parametrize("bins", ["mdl", "quantile"])
def test_a_stream_longer_than_the_sample_counts_all_rows(monkeypatch, tmp_path, bins):
    pd = pytest.importorskip("pandas")
    X, y, _ = table(4_000)
    X = np.nan_to_num(X)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    exact = coded.joint_counts(as_source(frame, target="y"), bins=bins).gains()
    monkeypatch.setattr("tamis.stats.binning.SAMPLE_ROWS", 1 << 12)
    monkeypatch.setattr("tamis.stats.binning.sample_size", lambda p: 500)
    passes = []
    monkeypatch.setattr(coded, "collect", lambda *a, **k: passes.append(a[1:]) or collect(*a, **k))
    found = coded.joint_counts(as_source(tmp_path / "t.parquet", target="y"), bins=bins)
    assert len(passes) == 3
    np.testing.assert_allclose(found.gains(), exact, atol=0.01)
    assert found.table.sum() == 4 * 4_000
