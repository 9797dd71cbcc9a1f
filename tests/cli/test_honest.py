"""``tamis select`` with one method says first what its choice is worth, and that nothing was found where that is so."""

import json

import numpy as np
import pytest

from cli.tables import write_csv
from tamis.cli import main


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(path, *, noise):
    rng = np.random.default_rng(0)
    n = 60 if noise else 200
    X = rng.normal(size=(n, 40))
    y = rng.normal(size=n) if noise else X[:, 3] - X[:, 8] + 0.3 * rng.normal(size=n)
    labels = np.where(y > 0, "up", "down")
    names = [*(f"x{j}" for j in range(40)), "y"]
    return write_csv(path, names, [[*row, label] for row, label in zip(X.tolist(), labels.tolist(), strict=True)])


def printed_by(capfd, *arguments):
    one = () if "--method" in arguments else ("--method", "search")
    assert main(["select", *map(str, arguments), *one, "--target", "y"]) == 0
    return capfd.readouterr().out


@pytest.mark.parametrize("more", [(), ("-k", "3"), ("--method", "tree", "-k", "3")], ids=["", "three", "tree"])
def test_on_noise_the_headline_says_that_nothing_was_found(here, capfd, more):
    out = printed_by(capfd, table(here / "noise.csv", noise=True), *more)
    assert out.startswith("Nothing was found")
    assert "100 %" not in out


def test_on_planted_truth_the_headline_has_the_nested_score(here, capfd):
    first = printed_by(capfd, table(here / "truth.csv", noise=False)).splitlines()[0]
    assert "‘x3’" in first
    assert "AUC" in first
    assert "in rows never used to choose" in first
    assert "against no column" in first


def test_every_score_of_the_set_has_the_nested_one_beside_it(here, capfd):
    main(["select", str(table(here / "truth.csv", noise=False)), "--target", "y", "--method", "search", "--json"])
    found = json.loads(capfd.readouterr().out)
    nested = found["search"]["nested"]
    low, high = nested["interval"]
    assert low <= nested["score"] <= high
    assert nested["better_than_none"]
    assert nested["folds"] == 5
    assert all(c["noise"] >= 0 and 0 < c["p"] <= 1 for c in found["columns"])


def test_left_out_where_it_was_not_wanted(here, capfd):
    assert main(["select", str(table(here / "truth.csv", noise=False)), "-t", "y", "--no-nested", "--json"]) == 0
    printed = capfd.readouterr()
    assert json.loads(printed.out)["search"]["nested"] is None
    assert any("--no-nested" in note for note in json.loads(printed.out)["data"]["warnings"])


def test_a_search_that_chooses_nothing_does_not_deny_what_all_columns_tell(here, capfd):
    """Bins of few rows have no power here, a linear model has."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 5))
    y = X[:, 0] + 0.7 * X[:, 1] + rng.normal(size=90)
    rows = [[*row, value] for row, value in zip(X.tolist(), y.tolist(), strict=True)]
    out = printed_by(capfd, write_csv(here / "linear.csv", [*"abcde", "y"], rows))
    assert out.startswith("The forward search by information gain chose no column for ‘y’")
    assert "all 5 columns together have R² 0." in out.splitlines()[0]
    assert "against no column" in out.splitlines()[0]


def test_the_nested_score_is_of_the_task_that_was_asked_for(here, capfd):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    ratings = np.clip(np.rint(3 + 1.5 * X[:, 0] + 0.5 * rng.normal(size=100)), 0, 6).astype(int)
    rows = [[*row, value] for row, value in zip(X.tolist(), ratings.tolist(), strict=True)]
    path = write_csv(here / "ratings.csv", [*"abc", "y"], rows)
    scores = {}
    for task in ("regression", "classification"):
        found = json.loads(printed_by(capfd, path, "--task", task, "-k", "1", "--json"))
        scores[task] = found["search"]["nested"]["scoring"]
    assert scores == {"regression": "R²", "classification": "AUC"}
