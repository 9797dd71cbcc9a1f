"""``tamis select --method``."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from cli.tables import plants, write_csv
from tamis import LasVegasWrapper, ReliefF, RReliefF, TreeSelector
from tamis.cli import main
from tamis.report.words import score
from tamis.selection import ScoreDescription, SearchDescription
from tamis.studies import select_methods
from tamis.studies.learners import LEARNERS
from tolerances import ROUNDING


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def as_json(capfd, *arguments: object) -> dict:
    assert main(["select", *map(str, arguments), "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def page(here) -> str:
    return (here / "r.html").read_text(encoding="utf-8")


def wine(here):
    X, y = load_wine(return_X_y=True)
    X = X[:, :8]
    rows = [(*x, "abc"[k]) for x, k in zip(X.tolist(), y, strict=True)]
    return write_csv(here / "wine.csv", (*(f"x{j}" for j in range(8)), "kind"), rows), X, y


def test_las_vegas_is_the_librarys(here, capfd):
    table, X, y = wine(here)
    arguments = ("--method", "lasvegas", "--patience", 8, "--out", "r.html", "--no-nested")
    found = as_json(capfd, table, "-t", "kind", *arguments)
    learner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    wrapper = LasVegasWrapper(learner, patience=8, cv=folds, random_state=0).fit(X, y)
    assert found["selected"] == [f"x{j}" for j in wrapper.selected_features_]
    assert found["search"]["score"] == pytest.approx(wrapper.score_, rel=1e-12)
    assert found["search"]["evaluations"] == len(wrapper.history_)
    arguments = {"method": "lasvegas", "estimator": "logistic", "patience": 8, "trials": None}
    assert arguments.items() <= found["question"].items()
    assert "search" not in found["question"]
    assert found["answer"][0].startswith("The Las Vegas wrapper chose")
    assert "by cross-validated accuracy of LogisticRegression (0." in found["answer"][0]
    assert "It ended after 8 draws in a row without anything better." in page(here)
    assert "each column with probability ½" in page(here)
    assert "the best score of many flatters" in page(here)
    assert "in which order the columns came" not in page(here)


def test_trials_another_learner_and_its_parameters(here, capfd):
    table, X, y = wine(here)
    arguments = [
        "--method",
        "lasvegas",
        "--estimator",
        "knn",
        "--trials",
        "6",
        "--set",
        "knn.n_neighbors=3",
        "--set",
        "lasvegas.cv=4",
        "--no-nested",
    ]
    found = as_json(capfd, table, "-t", "kind", *arguments, "--out", "r.html")
    learner = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    wrapper = LasVegasWrapper(learner, trials=6, cv=folds, random_state=0).fit(X, y)
    assert found["search"]["score"] == pytest.approx(wrapper.score_, rel=1e-12)
    assert found["search"]["rounds"][0]["change"] == "all columns"
    assert "All columns come first." in page(here)
    assert "It ended after 6 draws." in page(here)
    again = as_json(capfd, *found["question"]["command"].split()[2:])
    assert again["selected"] == found["selected"]


@pytest.mark.parametrize("estimator", [name for name, tasks in LEARNERS.items() if "regression" in tasks])
def test_numbers_labels_and_missing_values(estimator, here, capfd):
    rng = np.random.default_rng(0)
    a, b, colour = rng.normal(size=60), rng.normal(size=60), rng.integers(0, 3, 60)
    y = a + np.array([0.0, 3.0, -2.0])[colour]
    rows = [("" if i == 5 else a[i], b[i], ("red", "green", "blue")[colour[i]], y[i]) for i in range(60)]
    table = write_csv(here / "t.csv", ("a", "b", "colour", "y"), rows)
    arguments = ("--method", "lasvegas", "--estimator", estimator, "--patience", 8, "--keep", "b")
    if estimator == "forest":
        arguments += ("--set", "forest.n_estimators=5")
    found = as_json(capfd, table, "-t", "y", *arguments, "--out", "r.html")
    assert set(found["selected"]) == {"a", "b", "colour"}
    assert "R² of" in found["search"]["evaluation"]
    assert "for the lasso and the search, missing values were replaced" in page(here)


def test_it_resumes(here, capfd):
    table, _, _ = wine(here)
    arguments = (
        table,
        "-t",
        "kind",
        "--method",
        "lasvegas",
        "--estimator",
        "tree",
        "--patience",
        5,
        "--resume",
        "a.sqlite",
        "--no-nested",
    )
    first, second = as_json(capfd, *arguments), as_json(capfd, *arguments)
    assert second["search"]["recalled"] == second["search"]["evaluations"] == first["search"]["evaluations"]
    assert second["selected"] == first["selected"]


def test_no_solution_yet(here, capfd):
    table, _, _ = wine(here)
    arguments = ["select", str(table), "-t", "kind", "--method", "lasvegas", "--time-limit", "1e-9", "--no-nested"]
    arguments += ["--out", "r.html"]
    assert main(arguments) == 0
    out, err = capfd.readouterr()
    assert "The Las Vegas wrapper has no solution yet, so all 8 columns are kept." in out
    assert "no solution yet: the time limit was over before any subset was evaluated" in err
    assert "Warning" not in err
    assert "Both" not in out
    assert "no solution yet" in page(here)
    found = as_json(capfd, *arguments[1:])
    assert found["search"]["score"] is None
    assert found["search"]["status"] == "time_limit"
    assert len(found["selected"]) == 8


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--search", "beam"], "--search is not for --method lasvegas: leave it out, or take --method search"),
        (["--patience", "5", "--trials", "5"], "two ways to end: give one of them"),
        (["--patience", "0"], "--patience must be ≥ 1, got 0"),
        (
            ["--estimator", "linear"],
            "--estimator linear predicts numbers, and 'bloom' holds classes: take one of logistic",
        ),
        (["--set", "lasvegas.estimator=x"], "lasvegas has no parameter 'estimator'; it has cv, n_jobs, patience"),
        (["--set", "tree.max_depth=1"], "'tree' is not in use here, lasvegas and logistic are"),
        (["-k", "7"], "--n-features must be at most"),
    ],
)
def test_complaints_are_one_line(arguments, says, here, capfd):
    table = plants(here / "plants.csv")
    assert main(["select", str(table), "--target", "bloom", "--method", "lasvegas", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("tamis: ")
    assert err.count("\n") == 1
    assert says in err


def test_a_method_without_a_history_is_told_too(here, capfd, monkeypatch):
    def weights(question, task):
        means = ScoreDescription("relevance", "the sum of its weights")
        way = SearchDescription("ReliefF", "It weighs.", "It ended.", "no proof")
        return select_methods.Plan(ReliefF(), means, "ReliefF", "ReliefF", way, {})

    monkeypatch.setitem(select_methods.METHODS, "lasvegas", select_methods.Method(weights, frozenset({"n_features"})))
    found = as_json(capfd, wine(here)[0], "-t", "kind", "--method", "lasvegas", "-k", 2, "--out", "r.html")
    assert len(found["selected"]) == 2
    assert found["answer"][1].startswith("ReliefF chose 2 columns: ")
    assert found["search"]["score"] is None
    assert "How the columns were chosen" in page(here)
    assert "subsets evaluated" not in page(here)


def test_relief_is_the_librarys(here, capfd):
    table, X, y = wine(here)
    question = (table, "-t", "kind", "--no-nested", "--method", "relief")
    found = as_json(capfd, *question, "-k", 3, "--out", "r.html")
    assert found["selected"] == [f"x{j}" for j in ReliefF(3).fit(X, y).selected_features_]
    shown = {c["column"]: c["judged"] for c in found["columns"]}
    assert [shown[f"x{j}"] for j in range(8)] == pytest.approx(ReliefF(3).fit(X, y).relevance_.tolist(), rel=ROUNDING)
    assert "differs more between near rows" in page(here)
    cut = as_json(capfd, *question, "--out", "r.html")
    assert cut["question"]["fdr"] == 0.1
    assert cut["selected"] == [f"x{j}" for j in ReliefF(fdr=0.1, random_state=0).fit(X, y).selected_features_]
    assert "false discovery rate of 0.1" in page(here)
    numbers = as_json(capfd, table, "-t", "x0", "--method", "relief", "-k", 2, "--set", "relief.n_samples=100")
    frame = {f"x{j}": X[:, j] for j in range(1, 8)} | {"kind": np.array(list("abc"))[y]}
    expected = RReliefF(2, n_samples=100, random_state=0).fit(pd.DataFrame(frame), X[:, 0])
    assert numbers["selected"] == expected.selected_features_


def test_tree_is_the_librarys(here, capfd):
    table, X, y = wine(here)
    question = (table, "-t", "kind", "--no-nested", "--method", "tree")
    found = as_json(capfd, *question, "--out", "r.html")
    tree = TreeSelector(DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert found["selected"] == [f"x{j}" for j in tree.selected_features_]
    assert "used by splits" in page(here)
    shown = {c["column"]: c["judged"] for c in found["columns"]}
    assert [shown[f"x{j}"] for j in range(X.shape[1])] == pytest.approx(tree.importances_.tolist(), rel=ROUNDING)
    forest = as_json(capfd, *question, "--estimator", "forest", "-k", 2)
    expected = TreeSelector(RandomForestClassifier(random_state=0), 2).fit(X, y)
    assert forest["selected"] == [f"x{j}" for j in expected.selected_features_]


@pytest.mark.parametrize(
    "options, complaint",
    [
        (("--method", "relief", "-k", "2-3"), "--n-features 2-3: --method relief takes one number"),
        (("--method", "relief", "--search", "beam"), "--search is not for --method relief"),
        (("--method", "tree", "--estimator", "knn"), "--estimator knn has no splits"),
        (("--method", "relief", "--set", "relief.power=3"), "--set relief.power=3: power must be one of 1, 2"),
        (("--method", "relief", "--keep", "x0"), "--keep is not for --method relief"),
    ],
)
def test_what_a_method_cannot_use_is_said(here, capfd, options, complaint):
    table, *_ = wine(here)
    assert main(["select", str(table), "-t", "kind", *options]) == 2
    assert complaint in capfd.readouterr().err
    assert not (here / "tamis-report.html").exists()


@pytest.mark.parametrize(("method", "word"), [("relief", "relevance"), ("tree", "importance")])
def test_numbers_of_the_method_are_shown(method, word, here, capfd):
    table = wine(here)[0]
    found = as_json(capfd, table, "-t", "kind", "--method", method, "--out", "r.html")
    assert found["search"]["judged"] == word
    best = next(c for c in found["columns"] if c["chosen"] == 1)
    assert main(["select", str(table), "-t", "kind", "--method", method]) == 0
    _, header, *rows = capfd.readouterr().out.splitlines()  # the headline stands first
    assert word in header
    line = next(row.split() for row in rows if row.split()[2:3] == [best["column"]])
    assert line[3] == score(best["judged"])
    assert f"<button>{word}" in page(here)
    assert 'id="judged"' in page(here)
    ranked = [c["judged"] for c in found["columns"]]
    assert ranked == sorted(ranked, reverse=True)  # by the method's own number, not by information gain
    assert (best["judged_error"] is not None) == (best["judged_p"] is not None) == (method == "relief")
    assert f">{score(best['judged'])}" in page(here)
