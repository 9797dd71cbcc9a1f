"""Completion of a long table that this process may not hold: alternating least squares on the workers."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import dask
import tamis
from tamis._core.errors import InputError

COLUMNS = ("user", "item", "rating")
SHORT = {"method": "factored", "rank": 2, "tol": 0.9}


@pytest.fixture(scope="module")
def workers():
    """A scheduler and a worker in this process."""
    from distributed import Client, LocalCluster

    quick = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**quick, memory_limit=0) as cluster, Client(cluster) as client:
        yield client


def ratings(seed=0, shape=(40, 25), share=0.5):
    """Rows in no order, some without a value, names of two kinds."""
    rng = np.random.default_rng(seed)
    full = rng.normal(size=(shape[0], 2)) @ rng.normal(size=(2, shape[1])) + 3
    i, j = np.nonzero(rng.random(full.shape) < share)
    order = rng.permutation(len(i))
    i, j = i[order], j[order]
    values = full[i, j] + 0.1 * rng.normal(size=len(i))
    values[rng.random(len(i)) < 0.03] = np.nan
    return pd.DataFrame({"when": rng.random(len(i)), "user": [f"u{k}" for k in i], "item": 7 * j, "rating": values})


def pieces(table, cuts):
    """A Dask frame cut there; pieces may be empty."""
    parts = np.split(np.arange(len(table)), cuts)
    return dd.from_map(lambda k: table.iloc[parts[k]], range(len(parts)), meta=table.iloc[:0])


def on_workers(table, cuts=(0, 7, 200), memory_limit=20_000, **arguments):
    with tamis.config_context(memory_limit=memory_limit):
        return tamis.MatrixCompletion(random_state=0, **arguments).fit(pieces(table, cuts), columns=COLUMNS)


def assert_same(there, here):
    assert "on Dask: 1 worker" in there.strategy_
    assert there.rank_ == here.rank_
    np.testing.assert_array_equal(there.row_names_, here.row_names_)
    np.testing.assert_array_equal(there.column_names_, here.column_names_)
    np.testing.assert_array_equal(there.unseen_rows_, here.unseen_rows_)
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(there.completed(), here.completed(), **close)
    for name in ("alpha_", "noise_", "score_", "score_of_mean_", "row_bias_", "column_bias_", "mean_"):
        if getattr(here, name) is not None:
            np.testing.assert_allclose(getattr(there, name), getattr(here, name), **close, err_msg=name)
    if here.certificate_ is not None:
        np.testing.assert_allclose(there.certificate_.primal, here.certificate_.primal, rtol=1e-9)
        np.testing.assert_allclose(there.certificate_.dual, here.certificate_.dual, rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "shape"),
    [
        ({"alpha": 2.0, "rank": 2, "max_iter": 4, "tol": 1e-12}, (14, 9)),
        ({"method": "factored", "rank": 2, "max_iter": 8, "tol": 1e-12}, (40, 25)),
        pytest.param({"max_iter": 20}, (40, 25), marks=pytest.mark.deep),
    ],
    ids=["alpha and rank", "factored", "alpha is chosen"],
)
@pytest.mark.filterwarnings("ignore:MatrixCompletion ended")
def test_the_answer_is_that_of_the_entries_in_memory(workers, arguments, shape):
    table = ratings(shape=shape)
    here = tamis.MatrixCompletion(random_state=0, **arguments).fit(table, columns=COLUMNS)
    assert_same(on_workers(table, cuts=(0, 7, 30), memory_limit=2_000, **arguments), here)


@pytest.mark.parametrize("duplicates", ["mean", "last"])
def test_entries_given_more_than_once(workers, duplicates):
    table = ratings()
    table = pd.concat([table, table.iloc[::3].assign(rating=lambda t: t["rating"] + 1)], ignore_index=True)
    here = tamis.MatrixCompletion(random_state=0, duplicates=duplicates, **SHORT).fit(table, columns=COLUMNS)
    assert_same(on_workers(table, duplicates=duplicates, **SHORT), here)
    with pytest.raises(InputError, match="given more than once"):
        on_workers(table, **SHORT)


def test_held_out_entries_are_those_of_a_matrix_in_memory(workers):
    from tamis.lowrank.completion.choice import hold_out
    from tamis.lowrank.completion.dask_table import entries_on_workers
    from tamis.lowrank.completion.observed import from_long_table

    table = ratings().dropna()
    here, apart = hold_out(from_long_table(table, COLUMNS, "error").X, 0.2, np.random.default_rng(3))
    entries = entries_on_workers(pieces(table, (100, 101)), COLUMNS, "error").X
    there, drawn = hold_out(entries, 0.2, np.random.default_rng(3))
    for name in ("rows", "columns", "values"):
        np.testing.assert_array_equal(getattr(drawn, name), getattr(apart, name))
    E = np.eye(here.shape[1])
    np.testing.assert_array_equal(there.matrix() @ E, here.toarray())
    np.testing.assert_array_equal(there.matrix().T @ np.eye(here.shape[0]), here.toarray().T)
    assert there.nnz == here.nnz


def test_what_needs_the_entries_says_that_they_stayed(workers):
    model = on_workers(ratings(), **SHORT)
    assert len(model.recommend("u3", 4, seen=True).columns) == 4
    for ask in (lambda: model.recommend("u3"), lambda: model.standard_error(["u3"], [0])):
        with pytest.raises(InputError, match="needs the observed entries, which stayed on Dask"):
            ask()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rating": "text"}, "must hold numbers"),
        ({"user": None}, "missing names"),
        ({"rating": np.inf}, "infinity|inf"),
    ],
)
def test_bad_columns_are_named(workers, change, message):
    table = ratings()
    for name, value in change.items():
        table[name] = table[name].astype(object) if value is None else table[name]
        table[name] = [*table[name][:300], *[value] * (len(table) - 300)] if value != "text" else "text"
    with pytest.raises(InputError, match=message):
        on_workers(table, **SHORT)


def test_too_many_entries_for_this_process_are_refused():
    for method, remedy in (("als", "distributed.Client"), ("soft_impute", "take method='als'")):
        with dask.config.set(scheduler="synchronous"), pytest.raises(InputError, match=f"entries here .*{remedy}"):
            on_workers(ratings(), method=method, alpha=1.0)
