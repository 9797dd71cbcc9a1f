"""``tamis select`` with every search and evaluation, kept columns, groups, limits, and runs that are taken up again."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from cli.tables import plants, write_csv
from tamis.cli import main
from tamis.selection import Beam, Forward, InformationGain, MRMRSet, SubsetSelector
from tamis.selection.evaluation import EVALUATIONS
from tamis.selection.search import SEARCHES


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def as_json(capfd, *arguments: object) -> dict:
    assert main(["select", *map(str, arguments), "--method", "search", "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def discrete(path, n=200, p=6, seed=0):
    """Columns a, b, … of three values; y is told by b and d."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, p))
    y = np.where(rng.random(n) < 0.9, (X[:, 1] + X[:, 3]) % 2, rng.integers(0, 2, n))
    return write_csv(path, (*"abcdefgh"[:p], "y"), np.column_stack((X, y)).tolist()), X, y


def test_a_search_and_an_evaluation_of_ones_own_are_called_by_their_class(here, capfd, monkeypatch):
    class OwnSearch(Forward):
        def run(self, p, stop, rng):
            return (yield from super().run(p, stop, rng))

    class OwnGain(InformationGain):
        def compare(self, state, sums):
            return 2 * super().compare(state, sums)

    monkeypatch.setitem(SEARCHES, "forward", OwnSearch)
    monkeypatch.setitem(EVALUATIONS, "gain_ratio", OwnGain)
    table, _, _ = discrete(here / "t.csv")
    arguments = ("--search", "forward", "--evaluation", "gain-ratio", "--out", "r.html")
    found = as_json(capfd, table, "-t", "y", "-k", 2, *arguments)
    assert found["search"]["name"] == "own search"
    assert any(sentence.startswith("The own search search chose 2 columns by own gain") for sentence in found["answer"])
    assert "what OwnGain gives for it" in (here / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("search", [name.replace("_", "-") for name in SEARCHES if name != "recursive"])
def test_every_search_finds_what_the_library_finds(search, here, capfd):
    table, X, y = discrete(here / "t.csv")
    found = as_json(capfd, table, "-t", "y", "-k", 2, "--search", search, "--no-nested", "--out", "r.html")
    selector = SubsetSelector(search.replace("-", "_"), n_features=2, random_state=0).fit(X, y)
    assert found["selected"] == ["abcdef"[j] for j in selector.selected_features_]
    assert found["search"]["score"] == selector.score_
    assert found["search"]["evaluations"] == len(selector.history_)
    assert found["search"]["name"] == search.replace("-", " ")


def test_elimination_by_weights(here, capfd):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    y = X[:, 1] - 2 * X[:, 4] + 0.1 * rng.normal(size=80)
    table = write_csv(here / "t.csv", (*"abcde", "y"), np.column_stack((X, y)).tolist())
    arguments = ("-t", "y", "-k", 2, "--search", "recursive", "--evaluation", "linear-fit", "--out", "r.html")
    found = as_json(capfd, table, *arguments)
    assert sorted(found["selected"]) == ["b", "e"]
    assert found["search"]["evaluations"] == 4


@pytest.mark.parametrize("evaluation", [name.replace("_", "-") for name in EVALUATIONS if name != "linear_fit"])
def test_every_evaluation_scores_as_the_library_does(evaluation, here, capfd):
    table, X, y = discrete(here / "t.csv")
    arguments = ("-t", "y", "-k", "1-3", "--evaluation", evaluation, "--no-nested", "--out", "r.html")
    found = as_json(capfd, table, *arguments)
    selector = SubsetSelector("forward", evaluation.replace("-", "_"), n_features=(1, 3)).fit(X, y)
    assert found["selected"] == ["abcdef"[j] for j in selector.selected_features_]
    assert found["search"]["score"] == pytest.approx(selector.score_, rel=1e-12)  # a file is summed in blocks
    gains = {c["column"]: c["gain"] for c in found["columns"]}
    alone = SubsetSelector("ranking").fit(X, y).scores_  # bits of each column, whatever the search was told
    assert [gains[name] for name in "abcdef"] == pytest.approx(alone, rel=1e-12, abs=1e-12)


def test_linear_fit_moves_the_labels_of_a_column_together(here, capfd):
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 3, 150)
    x = rng.normal(size=(150, 2))
    y = x[:, 0] + np.array([0.0, 3.0, -2.0])[colour] + 0.1 * rng.normal(size=150)
    rows = [(*x[i], ("red", "green", "blue")[colour[i]], y[i]) for i in range(150)]
    table = write_csv(here / "t.csv", ("a", "b", "colour", "y"), rows)
    found = as_json(capfd, table, "-t", "y", "--evaluation", "linear-fit", "-k", 2)
    assert found["selected"] == ["colour", "a"]
    assert [r["change"] for r in found["search"]["rounds"]] == ["+ colour", "+ a"]
    assert found["search"]["score"] > 0.99
    assert found["search"]["share"] is None


def test_linear_fit_takes_two_classes_as_numbers(here, capfd):
    found = as_json(capfd, plants(here / "plants.csv"), "-t", "bloom", "--evaluation", "linear-fit", "-k", 1)
    assert found["selected"] == ["height"]
    assert found["search"]["about"] == "yes"


def test_f_scores_of_labels_are_those_of_their_indicators(here, capfd):
    found = as_json(capfd, plants(here / "plants.csv"), "-t", "bloom", "--evaluation", "f-score", "-k", 2)
    assert found["selected"] == ["height", "colour"]


def test_parameters_are_set_by_name(here, capfd):
    table, X, y = discrete(here / "t.csv")
    arguments = (
        "--search",
        "beam",
        "--evaluation",
        "mrmr-set",
        "--set",
        "beam.width=4",
        "--set",
        "mrmr_set.scheme=quotient",
    )
    found = as_json(capfd, table, "-t", "y", "-k", 3, *arguments, "--out", "r.html")
    selector = SubsetSelector(Beam(4), MRMRSet(scheme="quotient"), n_features=3).fit(X, y)
    assert found["selected"] == ["abcdef"[j] for j in selector.selected_features_]
    assert found["search"]["evaluations"] == len(selector.history_)
    assert found["search"]["evaluation"] == "mean relevance / redundancy"
    assert "--set beam.width=4 --set mrmr_set.scheme=quotient" in found["question"]["command"]
    assert "beam.width&nbsp;=&nbsp;4" in (here / "r.html").read_text(encoding="utf-8")


def test_mrmr_by_its_name_is_the_published_rule(here, capfd):
    table, X, y = discrete(here / "t.csv")

    def bits(a, b):
        return mutual_info_score(a, b) / np.log(2)

    chosen = [int(np.argmax([bits(x, y) for x in X.T]))]
    while len(chosen) < 4:
        scores = [bits(x, y) - np.mean([bits(x, X[:, s]) for s in chosen]) for x in X.T]
        chosen.append(max(set(range(X.shape[1])) - set(chosen), key=lambda j: scores[j]))
    found = as_json(capfd, table, "-t", "y", "-k", 4, "--evaluation", "mrmr")
    assert found["selected"] == ["abcdef"[j] for j in chosen]
    assert found["search"]["evaluation"] == "relevance − redundancy"


def test_kept_columns_groups_and_ranges(here, capfd):
    table, _, _ = discrete(here / "t.csv")
    arguments = ("--keep", "f", "--feature-groups", "b,d", "--feature-groups", "a,c", "-k", "1-2")
    found = as_json(capfd, table, "-t", "y", *arguments, "--out", "r.html")
    assert found["selected"] == ["f", "b", "d"]
    assert found["search"]["keep"] == ["f"]
    assert found["search"]["groups"] == [["b", "d"], ["a", "c"]]
    assert found["search"]["rounds"][-1]["change"] == "+ b, d"
    page = (here / "r.html").read_text(encoding="utf-8")
    assert "<dt>together</dt><dd>b, d</dd>" in page
    assert "<dt>always kept</dt><dd>f</dd>" in page


def test_the_command_can_be_typed_again(here, capfd):
    table, _, _ = discrete(here / "t.csv")
    arguments = (
        "-t y -k 1-3 --search best-first --evaluation gain-ratio --keep f --feature-groups b,d --drop a --resume r.db"
    )
    first = as_json(capfd, table, *arguments.split())
    again = first["question"]["command"].split()[2:]
    second = as_json(capfd, *again)
    assert second["question"]["command"] == first["question"]["command"]
    assert second["selected"] == first["selected"]


def test_a_second_run_is_answered_from_the_file(here, capfd):
    table, _, _ = discrete(here / "t.csv")
    arguments = (table, "-t", "y", "--search", "floating", "--resume", "run.sqlite", "--out", "r.html")
    first, second = as_json(capfd, *arguments), as_json(capfd, *arguments)
    assert first["search"]["recalled"] == 0
    assert second["search"]["recalled"] == second["search"]["evaluations"] == first["search"]["evaluations"]
    assert second["selected"] == first["selected"]
    assert "answered from the file of an earlier run" in (here / "r.html").read_text(encoding="utf-8")


def test_a_file_of_other_data_is_refused(here, capfd):
    main(["select", str(discrete(here / "t.csv")[0]), "-t", "y", "--method", "search", "--resume", "run.sqlite"])
    capfd.readouterr()
    assert (
        main(
            [
                "select",
                str(discrete(here / "u.csv", seed=1)[0]),
                "-t",
                "y",
                "--method",
                "search",
                "--resume",
                "run.sqlite",
            ]
        )
        == 2
    )
    assert re.fullmatch(r"tamis: --resume 'run.sqlite' was written by .* other data.*\n", capfd.readouterr().err)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--keep", "heigth"], "--keep names 'heigth', which is not a column in use, did you mean 'height'?"),
        (["--keep", "seven"], "left out: constant"),
        (["--feature-groups", "height,noise", "--feature-groups", "noise,colour"], "'noise' twice"),
        (["--feature-groups", "height,nose"], "did you mean 'noise'"),
        (["--keep", "height", "--keep", "noise", "-k", "1"], "--n-features 1 is less than the 2 that keep asks for"),
        (["-k", "3-2"], "--n-features 3-2 asks for at least 3 and at most 2"),
        (["-k", "9"], "--n-features must be at most the number of columns, 3; got 9"),
        (["-k", "2-"], "neither a number nor a range"),
        (
            ["--search", "branch-and-bound", "--evaluation", "gain-ratio", "-k", "2"],
            "--search branch-and-bound: BranchAndBound is for monotone evaluations",
        ),
        (["--search", "branch-and-bound"], "--n-features: BranchAndBound needs n_features"),
        (
            ["--search", "floating", "--evaluation", "cmim"],
            "--search floating: CMIM scores each column given those chosen before it",
        ),
        (["--time-limit", "1e-9", "--search", "forward"], "--time 1e-09 s was over before a subset was evaluated"),
        (["--time-limit", "-1", "--search", "forward"], "--time must be > 0"),
        (["--set", "beam.width=5"], "'beam' is not in use here, forward and information-gain are"),
        (["--search", "beam", "--set", "beam.widht=5"], "beam has no parameter 'widht'; it has tol, width, did you"),
        (["--search", "beam", "--set", "beam.width=0"], "--set beam.width=0: width must be ≥ 1, got 0"),
        (["--search", "beam", "--set", "width=5"], "--set width=5 is not of the form NAME.PARAMETER=VALUE"),
        (["--set", "ranking.x=5", "--search", "ranking"], "ranking has no parameter 'x'; it has none to set"),
        (["--set", "information-gain.task=regression"], "has no parameter 'task'; it has bins, n_bins"),
        (["--trials", "5"], "--trials is not for --method search: leave it out, or take --method lasvegas"),
        (["--feature-groups", ""], "--feature-groups names no column"),
        (["--resume", "gone/run.sqlite"], "the folder 'gone' does not exist"),
        (["--resume", "notes.txt"], "--resume 'notes.txt' is no SQLite file"),
    ],
)
def test_complaints_are_one_line(arguments, says, here, capfd):
    table = plants(here / "plants.csv")
    (here / "notes.txt").write_text("not a database, and long enough to be sure of it " * 20)
    assert main(["select", str(table), "--target", "bloom", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("tamis: ")
    assert err.count("\n") == 1
    assert says in err
    assert not (here / "tamis-report.html").exists()


def test_linear_fit_refuses_three_classes(here, capfd):
    rows = [(i % 7, i % 5, "uvw"[i % 3]) for i in range(60)]
    table = write_csv(here / "t.csv", ("a", "b", "k"), rows)
    assert main(["select", str(table), "-t", "k", "--evaluation", "linear-fit"]) == 2
    assert "'k' has 3 classes" in capfd.readouterr().err


def test_the_time_limit_leaves_the_best_so_far(here, capfd):
    wide = write_csv(here / "wide.csv", [f"c{j}" for j in range(18)] + ["y"],
                     np.random.default_rng(0).integers(0, 3, (400, 19)).tolist())  # fmt: skip
    arguments = ("--search", "exhaustive", "--evaluation", "gain-ratio", "--time-limit", "0.5")
    assert main(["select", str(wide), "-t", "y", *arguments]) == 0
    out, err = capfd.readouterr()
    assert "the time limit ended the search after" in err
    assert "the columns chosen are the best so far" in err
    assert "✓" in out
    page = (here / "tamis-report.html").read_text(encoding="utf-8")
    assert "the time limit ended the search after" in page
    assert "none is better" not in page


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one child")
def test_interrupted_search_still_writes_its_report(here):
    table = write_csv(here / "wide.csv", [f"c{j}" for j in range(19)] + ["y"],
                      np.random.default_rng(0).integers(0, 3, (1000, 20)).tolist())  # fmt: skip
    command = ["select", str(table), "-t", "y", "--search", "exhaustive", "--no-nested", "--resume", "run.sqlite"]
    child = subprocess.Popen([sys.executable, "-m", "tamis", *command], stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    file = here / "run.sqlite"  # locked while the run lasts, so that only its size tells of what is recorded
    while (not file.exists() or file.stat().st_size < 1 << 16) and time.monotonic() < until:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert "the search was interrupted after" in err
    assert "Traceback" not in err
    assert (here / "tamis-report.html").exists()
    with closing(sqlite3.connect(file)) as db:
        assert 0 < db.execute("SELECT count(*) FROM answers").fetchone()[0] < 2**19 - 1
