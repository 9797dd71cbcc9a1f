"""Dates among the features are days since 1970, dates as target or weight are refused: in Python as in files."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tamis
from tamis._core.errors import InputError
from tamis.linear import SparseClassifier
from tamis.sources import Encoded, as_source, gather
from tolerances import ROUNDING

N = 60
DAYS = np.arange(N) * 3 % 31
WHEN = np.datetime64("2021-03-01") + DAYS
Y = 0.5 * DAYS + np.sin(np.arange(N))


def _table() -> pa.Table:
    return pa.table({"when": pa.array(WHEN.astype("datetime64[us]")), "x": np.cos(np.arange(N)), "y": Y})


def _csv(folder):
    _table().to_pandas().to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def _parquet(folder):
    pq.write_table(_table(), folder / "t.parquet")
    return folder / "t.parquet"


TABLES = {
    "pandas": lambda folder: _table().to_pandas(),
    "polars": lambda folder: pl.from_arrow(_table()),
    "arrow": lambda folder: _table(),
    "csv": _csv,
    "parquet": _parquet,
}


@pytest.mark.parametrize("encode", [False, True])
@pytest.mark.parametrize("way", TABLES)
def test_dates_are_days_among_the_features(way, encode, tmp_path):
    """2021-03-01 is day 18687: 51 years of 365 days, 13 leap days, 31 + 28 days."""
    source = as_source(TABLES[way](tmp_path), target="y")
    X = gather(Encoded(source) if encode else source).X
    np.testing.assert_allclose(X[:, 0], 51 * 365 + 13 + 59 + DAYS, rtol=ROUNDING)


@pytest.mark.parametrize("way", TABLES)
def test_model_uses_dates(way, tmp_path):
    model = tamis.Lasso(alpha=0.01).fit(TABLES[way](tmp_path), "y")
    assert model.coef_[0] == pytest.approx(0.5, abs=0.02)  # the noise has variance ½, that of the days is 80


@pytest.mark.parametrize("way", TABLES)
@pytest.mark.parametrize("model", [tamis.Lasso(), SparseClassifier()], ids=["numbers", "classes"])
def test_dates_are_no_target_column(way, model, tmp_path):
    with pytest.raises(InputError, match=r"'when' holds dates: turn them into numbers"):
        model.fit(TABLES[way](tmp_path), "when")


@pytest.mark.parametrize("way", TABLES)
def test_dates_are_no_weight_column(way, tmp_path):
    with pytest.raises(InputError, match=r"'when' holds dates: turn them into numbers"):
        gather(as_source(TABLES[way](tmp_path), target="y", weight="when"))


ARRAYS = {
    "numpy": WHEN,
    "objects": WHEN.astype(object),
    "list": list(WHEN.astype(object)),
    "times": [dt.datetime(2021, 3, 1, int(d) % 24) for d in DAYS],
    "pandas": pd.Series(WHEN),
    "polars": pl.Series(WHEN.astype("datetime64[ms]")),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_dates_are_no_target(kind):
    X = np.random.default_rng(0).normal(size=(N, 3))
    for model in (tamis.Lasso(), SparseClassifier(), tamis.SubsetSelector(n_features=1)):
        with pytest.raises(InputError, match="'y' holds dates: turn them into numbers"):
            model.fit(X, ARRAYS[kind])
    with pytest.raises(InputError, match="'sample_weight' holds dates"):
        tamis.Lasso().fit(X, Y, sample_weight=ARRAYS[kind])


def test_dates_are_no_several_targets():
    X = np.random.default_rng(0).normal(size=(N, 3))
    with pytest.raises(InputError, match="'y' holds dates"):
        tamis.SparseRegressor().fit(X, np.stack([WHEN, WHEN], axis=1))
