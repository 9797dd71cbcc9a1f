"""One table with every kind of column, and every form it can have."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

N = 240


def make_table(seed=0, n=N):
    """A pandas frame: numbers, whole numbers, keys, booleans, labels, dates, text, a constant, with gaps."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "grade": np.where(rng.random(n) < 0.1, np.nan, rng.integers(-2, 4, n)),
            "count": rng.integers(0, 500, n),
            "row": rng.permutation(n) + 17,
            "yes": rng.random(n) < 0.5,
            "colour": pd.Series(rng.choice(["red", "green", "blue", None], n), dtype="str"),
            "day": pd.date_range("1999-12-30", periods=n).astype("datetime64[us]"),
            "code": [f"K{i:04d}" for i in rng.permutation(n)],
            "same": np.full(n, 3.5),
            "note": [f"word {i}" for i in rng.integers(0, n, n)],
            "target": rng.choice(["no", "yes", "maybe"], n),
        }
    )
    frame.loc[3, "day"] = pd.NaT
    return frame


def _pandas(frame, folder):
    return frame


def _nullable(frame, folder):
    return frame.convert_dtypes()


def _categories(frame, folder):
    return frame.astype({"colour": "category", "target": "category"})


def _objects(frame, folder):
    return frame.astype(object)


def _polars(frame, folder):
    return pl.from_pandas(frame)


def _arrow(frame, folder):
    return pa.Table.from_pandas(frame, preserve_index=False)


def _dictionary(frame, folder):
    table = _arrow(frame, folder)
    j = table.column_names.index("colour")
    return table.set_column(j, "colour", table["colour"].dictionary_encode())


def _csv(frame, folder):
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return path


def _semicolons(frame, folder):
    path = folder / "table.csv.gz"
    frame.to_csv(path, index=False, sep=";", decimal=",", na_rep="NA", encoding="utf-8-sig")
    return path


def _parquet(frame, folder):
    path = folder / "table.parquet"
    pq.write_table(_dictionary(frame, folder), path, row_group_size=50)
    return str(path)


def _folder(frame, folder, write="parquet"):
    parts = folder / "parts"
    parts.mkdir()
    for k, start in enumerate(range(0, len(frame), 100)):
        piece = frame.iloc[start : start + 100]
        if write == "csv":
            piece.to_csv(parts / f"part-{k}.csv", index=False)
        else:
            piece.to_parquet(parts / f"part-{k}.pq", index=False)
    return parts


def _csv_folder(frame, folder):
    return _folder(frame, folder, write="csv")


FORMS = [
    _pandas,
    _nullable,
    _categories,
    _objects,
    _polars,
    _arrow,
    _dictionary,
    _csv,
    _semicolons,
    _parquet,
    _folder,
    _csv_folder,
]
