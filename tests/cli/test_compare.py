"""``tamis compare`` on small tables: headline first, JSON, page, groups, a file to go on from, complaints."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cli.tables import write_csv
from tamis.cli import main
from tamis.report.compare_charts import curves_chart

QUICK = ("--method", "mrmr")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def as_csv(path, columns):
    return write_csv(path, list(columns), zip(*columns.values(), strict=True))


@pytest.fixture
def table(here):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = np.where(X[:, 1] + 0.3 * rng.normal(size=120) > 0, "up", "down")
    columns = {f"x{j}": X[:, j].tolist() for j in range(4)}
    return as_csv(here / "t.csv", {**columns, "shop": [f"s{i % 30}" for i in range(120)], "y": y.tolist()})


def test_the_headline_comes_first_and_the_page_is_written(table, here, capfd):
    assert main(["compare", str(table), "-t", "y", *QUICK, "--drop", "shop"]) == 0
    out, err = capfd.readouterr()
    first = out.splitlines()[0]
    assert "AUC" in first
    assert "in rows never used to choose" in first
    assert "columns = ['x1']" in out
    assert "learner" in out  # every configuration is printed
    assert "Page: tamis-compare.html" in err
    page = (here / "tamis-compare.html").read_text(encoding="utf-8")
    assert first in page
    assert 'id="curves"' in page


def test_json_says_the_same_and_groups_stay_together(table, here, capfd):
    assert main(["compare", str(table), "-t", "y", *QUICK, "--groups", "shop", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["recommended"]["features"] == ["x1"]
    assert found["recommended"]["better_than_none"] is True
    assert {row["column"] for row in found["columns"]} <= {f"x{j}" for j in range(4)}
    assert all(0 < row["p"] <= 1 and isinstance(row["instead"], list) for row in found["columns"])
    assert found["curves"][0]["points"][0]["size"] == 0
    legends = [layer["encoding"]["color"]["legend"] for layer in curves_chart(found)["layer"][:2]]
    assert all(legends)  # one of several layers without a legend takes it from all
    assert not (here / "tamis-compare.html").exists()


def test_it_goes_on_from_a_file(table, here, capfd):
    answers = []
    for _ in range(2):
        arguments = ["compare", str(table), "-t", "y", *QUICK, "--drop", "shop"]
        assert main([*arguments, "--resume", "run.sqlite", "--json"]) == 0
        found = json.loads(capfd.readouterr().out)
        answers.append({key: found[key] for key in ("recommended", "table", "columns")})
    assert answers[0] == answers[1]
    assert (here / "run.sqlite").exists()


def test_on_noise_nothing_is_better_than_none(here, capfd):
    rng = np.random.default_rng(1)
    columns = {f"x{j}": rng.normal(size=60).tolist() for j in range(30)}
    table = as_csv(here / "noise.csv", {**columns, "y": rng.choice(["a", "b"], 60).tolist()})
    assert main(["compare", str(table), "-t", "y", *QUICK]) == 0
    assert "better than n" in capfd.readouterr().out.splitlines()[0]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--groups", "nobody"], "--groups"),
        (["--groups", "y"], "--groups"),
        (["--groups", "shop", "--drop", "shop"], "--groups 'shop' is left out by --drop"),
        (["--keep", "x1", "--drop", "x1"], "--keep 'x1' is left out by --drop"),
        (["--keep", "nobody"], "--keep names 'nobody', which is not a column in use"),
        (["--method", "magic"], "tamis: --method has no 'magic'; there are lasso"),
        (["--method", "reliefs"], "did you mean 'relief'?"),
        (["--time", "-1"], "--time"),
        (["--out", "-"], "/dev/stdout is standard output"),
        (["--task", "regression"], "--task regression: the target 'y' holds labels, not numbers"),
    ],
)
def test_complaints_name_the_option(table, capfd, arguments, words):
    assert main(["compare", str(table), "-t", "y", *arguments]) == 2
    assert words in capfd.readouterr().err


def test_a_row_without_a_group_is_a_complaint(here, capfd):
    rng = np.random.default_rng(0)
    groups = [f"g{i % 5}" if i % 7 else "" for i in range(60)]
    path = as_csv(
        here / "gaps.csv", {"x": rng.normal(size=60).tolist(), "g": groups, "y": rng.normal(size=60).tolist()}
    )
    assert main(["compare", str(path), "-t", "y", *QUICK, "--groups", "g"]) == 2
    assert "--groups 'g' is empty in 9 of 60 rows" in capfd.readouterr().err


def test_whole_numbers_are_numbers_where_asked(here, capfd):
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    y = np.rint(2 + x + 0.3 * rng.normal(size=80)).astype(int)
    path = as_csv(here / "counts.csv", {"x": x.tolist(), "z": rng.normal(size=80).tolist(), "y": y.tolist()})
    scores = []
    for task in ("regression", "classification"):
        assert main(["compare", str(path), "-t", "y", *QUICK, "--task", task, "--json"]) == 0
        scores.append(json.loads(capfd.readouterr().out)["scoring"])
    assert scores == ["R²", "AUC"]
