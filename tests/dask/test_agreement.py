"""In memory, from Parquet files and on a Dask cluster of two processes: the same answers."""

import json
import time

import dask.array as da
import dask.dataframe as dd
import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import tamis
from tamis.cli import main
from tamis.selection import CrossValidated, LinearFit
from tamis.sources import as_source, on_dask, parquet
from tamis.stats import collect
from tamis.stats.gram import Gram

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n, p = 1_200, 9
    X = rng.normal(size=(n, p)) * np.linspace(0.5, 3, p) + np.arange(p)
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(p)])
    table["shade"] = rng.choice(["dark", "light", "none"], size=n)
    table["price"] = X[:, 1] - 2 * X[:, 4] + 0.5 * (table["shade"] == "dark") + rng.normal(size=n)
    table["kind"] = np.where(table["price"] > table["price"].median(), "high", "low")
    return table


@pytest.fixture(scope="module")
def places(frame, client, tmp_path_factory):
    """A function from columns to the three places where they are."""
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(parquet, "PARTITION_BYTES", 1)
    folders = {}

    def of(columns):
        key = tuple(columns)
        if key not in folders:
            folders[key] = tmp_path_factory.mktemp("table")
            for k, rows in enumerate((slice(0, 500), slice(500, 520), slice(520, None))):
                frame[columns].iloc[rows].to_parquet(folders[key] / f"{k}.parquet", row_group_size=200)
        held = frame[columns]
        return {
            "memory": held,
            "files": folders[key],
            "frame on Dask": dd.from_pandas(held, npartitions=5),
            "files on Dask": on_dask(folders[key], target=columns[-1]),
        }

    yield of
    monkeypatch.undo()


NUMBERS = [f"c{j}" for j in range(9)]


def fitted(make, places, target):
    """One model for each place; a source brings its own target."""
    return {name: make().fit(X, None if name == "files on Dask" else target) for name, X in places.items()}


def assert_same(models, *attributes):
    first = models.pop("memory")
    for name, model in models.items():
        for attribute in attributes:
            found, expected = getattr(model, attribute), getattr(first, attribute)
            np.testing.assert_allclose(found, expected, **CLOSE, err_msg=f"{attribute} {name}")


def test_lasso_path_by_cross_validation(places):
    models = fitted(tamis.LassoCV, places([*NUMBERS, "price"]), "price")
    assert "on Dask: 2 workers, 2 threads" in models["frame on Dask"].strategy_
    assert "on Dask" in models["files on Dask"].strategy_
    assert "streamed" in models["files"].strategy_
    assert_same(models, "alpha_", "coef_", "intercept_", "mse_path_")


def test_ridge(places):
    models = fitted(lambda: tamis.SparseRegressor(penalty="l2", alpha=0.3), places([*NUMBERS, "price"]), "price")
    assert_same(models, "coef_", "intercept_")


def test_principal_components(frame, places):
    models = {}
    for name, X in places(NUMBERS).items():
        X = on_dask(X_path) if name == "files on Dask" and (X_path := places(NUMBERS)["files"]) else X
        models[name] = tamis.PCA(4).fit(X)
    assert_same(models, "components_", "explained_variance_", "mean_")


def test_sparse_components(places):
    here = places(NUMBERS)
    models = {name: tamis.SparsePCA(2, alpha=0.1).fit(here[name]) for name in ("memory", "files", "frame on Dask")}
    assert_same(models, "components_")


@pytest.mark.parametrize("evaluation", ["information_gain", "mrmr"])
def test_scores_from_counts(places, evaluation):
    columns = [*NUMBERS, "shade", "kind"]
    models = fitted(lambda: tamis.SubsetSelector(evaluation=evaluation, n_features=4), places(columns), "kind")
    names = [list(model.selected_features_) for model in models.values()]
    assert names == [names[0]] * 4
    assert_same(models, "score_")


@pytest.mark.parametrize("criterion", ["cv", "bic"])
def test_linear_wrapper(places, criterion):
    models = fitted(
        lambda: tamis.SubsetSelector(evaluation=LinearFit(criterion=criterion), n_features=3),
        places([*NUMBERS, "price"]),
        "price",
    )
    names = [list(model.selected_features_) for model in models.values()]
    assert names == [names[0]] * 4
    assert_same(models, "score_")


def test_classes_by_streamed_operators(places):
    models = fitted(lambda: tamis.SparseLogisticRegression(alpha=0.02), places([*NUMBERS, "kind"]), "kind")
    assert models["frame on Dask"].strategy_.startswith("streamed")
    assert "on Dask: 2 workers" in models["frame on Dask"].strategy_
    assert_same(models, "coef_", "intercept_")


def test_predictions_and_scores(frame, places):
    here = places([*NUMBERS, "price"])
    model = tamis.LassoCV().fit(frame[[*NUMBERS, "price"]], "price")
    expected = model.predict(frame[NUMBERS])
    np.testing.assert_allclose(model.predict(here["frame on Dask"]), expected, **CLOSE)
    components = tamis.PCA(2).fit(frame[NUMBERS])
    scores = components.transform(dd.from_pandas(frame[NUMBERS], npartitions=3))
    np.testing.assert_allclose(scores, components.transform(frame[NUMBERS]), **CLOSE)


@pytest.mark.parametrize("verb", ["fit", "components"])
def test_the_command_line_on_a_scheduler(places, client, capsys, verb):
    folder = places([*NUMBERS, "price"])["files"]
    command = [verb, str(folder), "--json", *(["-t", "price"] if verb == "fit" else ["-n", "2"])]
    printed = []
    for more in ([], ["--dask", client.scheduler.address]):
        assert main([*command, *more]) == 0
        printed.append(json.loads(capsys.readouterr().out))
    here, there = printed
    if verb == "fit":
        assert "on Dask: 2 workers" in there["strategy"]
    key = "coefficients" if verb == "fit" else "loadings"
    assert str(here[key])[:200]
    assert_alike(here[key], there[key])


def assert_alike(here, there):
    """Documents whose numbers are the same to nine digits."""
    if isinstance(here, dict):
        assert here.keys() == there.keys()
        here, there = list(here.values()), list(there.values())
    if isinstance(here, list):
        assert len(here) == len(there)
        for a, b in zip(here, there, strict=True):
            assert_alike(a, b)
    else:
        assert there == (pytest.approx(here, rel=1e-9, abs=1e-9) if isinstance(here, float) else here)


def test_wrappers_through_the_joblib_backend(frame, client):
    X, y = frame[NUMBERS].to_numpy()[:150], frame["kind"].to_numpy()[:150]

    def chosen():
        wrapped = CrossValidated(GaussianNB(), cv=3)
        forward = tamis.SubsetSelector(evaluation=wrapped, n_features=2).fit(X, y)
        drawn = tamis.LasVegasWrapper(GaussianNB(), patience=3, cv=3, random_state=0).fit(X, y)
        return [forward.score_, *forward.get_support(), drawn.score_, *drawn.get_support()]

    here = chosen()
    with joblib.parallel_config("dask"):
        assert chosen() == here
    work = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    assert any("batch" in name.lower() for name in work), work


def test_weights_beside_the_rows(frame, client):
    X, y = frame[NUMBERS].to_numpy(), frame["price"].to_numpy()
    weight = np.random.default_rng(1).random(len(X))
    DX = da.from_array(X, chunks=(170, 4))
    Dy, Dw = da.from_array(y, chunks=301), da.from_array(weight, chunks=-1)
    here = tamis.Lasso(alpha=0.1).fit(X, y, sample_weight=weight)
    for there in (
        tamis.Lasso(alpha=0.1).fit(DX, Dy, sample_weight=Dw),
        tamis.Lasso(alpha=0.1).fit(DX, y, sample_weight=weight),
    ):
        np.testing.assert_allclose(there.coef_, here.coef_, **CLOSE)
        np.testing.assert_allclose(there.intercept_, here.intercept_, **CLOSE)


def test_completion_of_a_long_table(client):
    rng = np.random.default_rng(0)
    full = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 25))
    i, j = np.nonzero(rng.random(full.shape) < 0.5)
    long = pd.DataFrame({"when": rng.random(len(i)), "user": i, "item": j, "rating": full[i, j]})
    columns = ("user", "item", "rating")
    here, there = (
        tamis.MatrixCompletion(random_state=0).fit(table, columns=columns)
        for table in (long, dd.from_pandas(long, npartitions=3))
    )
    assert here.score_ == there.score_
    np.testing.assert_array_equal(here.predict(i, j), there.predict(i, j))


def waiting_for(marker):
    """Blocks as they are; the last is there when somebody has heard of another one."""

    def of(block, block_info=None):
        began = time.monotonic()
        while block_info[0]["chunk-location"][0] == 3 and not marker.exists():
            if time.monotonic() - began > 60:
                raise TimeoutError("nobody has heard of the others")
            time.sleep(0.05)
        return block

    return of


def test_partitions_are_told_of_while_others_are_under_way(client, tmp_path):
    marker, heard = tmp_path / "heard", []

    def steps(items, name, total=None):
        heard.append((name, total))
        for k in items:
            heard.append(k)
            marker.touch()
            yield k

    X = da.ones((40, 2), chunks=(10, 2)).map_blocks(waiting_for(marker), dtype=float)
    (gram,) = collect(as_source(X), Gram(), steps=steps)
    assert gram.n_rows == 40
    assert heard[0] == ("reading on Dask", 4)
    assert sorted(heard[1:]) == [0, 1, 2, 3]
