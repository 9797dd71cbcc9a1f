"""``tamis select --method search`` on good tables: what is printed agrees with what the library finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.model_selection import KFold

from cli.tables import plants, write_csv
from tamis.cli import main
from tamis.linear import LassoCV
from tamis.selection import Forward, SubsetSelector


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def as_json(capfd, *arguments: object) -> dict:
    assert main(["select", *map(str, arguments), "--method", "search", "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_table_report_and_sentences(here, capfd):
    assert main(["select", str(plants(here / "plants.csv")), "--target", "bloom", "--method", "search"]) == 0
    out, err = capfd.readouterr()
    first = next(line for line in out.splitlines() if line.split()[:1] == ["1"])
    assert "height" in first
    assert "✓" in first
    assert "‘height’ tells most on its own" in out
    assert "Report: tamis-report.html" in err
    assert "Traceback" not in err
    assert (here / "tamis-report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_columns_that_cannot_tell_are_named(here, capfd):
    found = as_json(capfd, plants(here / "plants.csv"), "--target", "bloom")
    assert {item["column"] for item in found["data"]["left_out"]} == {"seven", "note", "seen"}
    assert {c["column"] for c in found["columns"]} == {"height", "noise", "colour"}


def test_left_out_columns_are_noted_on_stderr(here, capfd):
    main(["select", str(plants(here / "plants.csv")), "--target", "bloom", "--method", "search"])
    err = capfd.readouterr().err
    for name in ("left out seven: constant", "left out note: identifier"):
        assert name in err


def test_json_writes_no_report_unless_asked(here, capfd):
    table = plants(here / "plants.csv")
    as_json(capfd, table, "--target", "bloom")
    assert os.listdir(here) == ["plants.csv"]
    as_json(capfd, table, "--target", "bloom", "--out", "r.html")
    assert sorted(os.listdir(here)) == ["plants.csv", "r.html"]


def test_numbers_agree_with_the_library(here, capfd):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 4)) * [1, 10, 0.1, 3]
    y = 2 * X[:, 1] - X[:, 3] + rng.normal(size=200)
    table = write_csv(here / "t.csv", ("a", "b", "c", "d", "y"), np.column_stack((X, y)).tolist())
    found = as_json(capfd, table, "--target", "y")
    assert found["question"]["task"] == "regression"
    by_name = {c["column"]: c for c in found["columns"]}
    folds = KFold(5, shuffle=True, random_state=0)
    model = LassoCV(cv=folds, rule="1se", standardize=True).fit(X, y)
    # the same computation on the same numbers, read back from text that holds them exactly
    expected = model.coef_ * X.std(axis=0)
    assert [by_name[n]["coefficient"] for n in "abcd"] == pytest.approx(expected, rel=1e-9, abs=1e-12)
    selector = SubsetSelector(Forward(until="significant"), random_state=0).fit(X, y)
    assert [by_name[n]["gain"] for n in "abcd"] == pytest.approx(selector.scores_, rel=1e-12, abs=1e-12)
    assert found["selected"] == ["abcd"[j] for j in selector.selected_features_]


def test_three_classes_have_a_lasso_each(here, capfd):
    rng = np.random.default_rng(0)
    rows = [(f"{rng.normal(c):.4f}", f"{rng.normal(-c):.4f}", "uvw"[c]) for c in range(3) for _ in range(50)]
    rng.shuffle(rows)
    found = as_json(capfd, write_csv(here / "t.csv", ("a", "b", "k"), rows), "--target", "k")
    assert [lasso["label"] for lasso in found["lassos"]] == ["u", "v", "w"]
    assert all(c["class"] in ("u", "w") for c in found["columns"])  # v is in the middle: no line points at it


def test_n_features_and_drop(here, capfd):
    table = plants(here / "plants.csv")
    found = as_json(capfd, table, "--target", "bloom", "--n-features", "2", "--drop", "height", "--drop", "note")
    assert len(found["selected"]) == 2
    assert "height" not in {c["column"] for c in found["columns"]}
    assert found["question"]["command"].endswith("--n-features 2 --drop height --drop note --method search")


def test_parquet_and_folder_say_the_same(here, capfd):
    import pyarrow.csv as arrow_csv
    import pyarrow.parquet as parquet

    table = plants(here / "plants.csv")
    (here / "parts").mkdir()
    whole = arrow_csv.read_csv(table)
    parquet.write_table(whole, here / "plants.parquet")
    parquet.write_table(whole.slice(0, 50), here / "parts" / "0.parquet")
    parquet.write_table(whole.slice(50), here / "parts" / "1.parquet")
    answers = [as_json(capfd, t, "--target", "bloom")["columns"] for t in ("plants.csv", "plants.parquet", "parts")]
    for other in answers[1:]:
        for row, same in zip(other, answers[0], strict=True):
            for key, value in same.items():  # blocks are summed in another order, so numbers differ in the last digits
                assert row[key] == (pytest.approx(value, rel=1e-9) if isinstance(value, float) else value)


def test_hundred_thousand_different_strings_are_left_out(here, capfd):
    rows = [(f"name{i}", i % 7, f"{i % 13}.25") for i in range(100_000)]
    found = as_json(capfd, write_csv(here / "t.csv", ("who", "day", "y"), rows), "--target", "y", "--no-nested")
    assert [item["column"] for item in found["data"]["left_out"]] == ["who"]


def test_column_whose_type_changes_late(here, capfd):
    # More text than is looked at first.
    rows = [(f"{i * 0.37:.2f}", f"{i % 5}.5", f"{i % 13}.25") for i in range(100_000)]
    table = write_csv(here / "t.csv", ("a", "b", "y"), [*rows, ("oops", "1.5", "0.25")])
    assert main(["select", str(table), "--target", "y"]) == 2
    message = capfd.readouterr().err
    assert message.startswith(
        "tamis: column 'a' holds numbers, but text in 1 of 100,001 rows (first 'oops' in row 100,001)"
    )
    assert message.count("\n") == 1
    assert not (here / "tamis-report.html").exists()
    assert main(["select", str(table), "--target", "y", "--drop", "a", "--no-nested"]) == 0


def test_names_are_not_markup(here, capfd):
    rows = [(f"{i * 7 % 11}.5", f"{i % 3}.25", i % 2) for i in range(60)]
    table = write_csv(here / "t.csv", ("[bold]x[/bold]", "</script>", "y"), rows)
    assert main(["select", str(table), "--target", "y", "--method", "search"]) == 0
    assert "[bold]x[/bold]" in capfd.readouterr().out
    assert "</script>," not in (here / "tamis-report.html").read_text(encoding="utf-8")


def test_subprocess_bad_table_and_broken_pipe(here):
    done = subprocess.run(
        [sys.executable, "-m", "tamis", "select", "no.csv", "-t", "y"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    table = plants(here / "plants.csv")
    closed, writer = os.pipe()
    os.close(closed)
    piped = subprocess.run(
        [sys.executable, "-m", "tamis", "select", str(table), "-t", "bloom", "--method", "search", "--json"],
        stdout=writer, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(writer)
    assert piped.stderr == ""
    assert piped.returncode == 1


def test_version_and_help(capfd):
    assert main(["--version"]) == 0
    assert capfd.readouterr().out.startswith("tamis 0.")
    assert main([]) == 0
    text = capfd.readouterr().out
    assert "select" in text
    assert "demo" in text
    assert main(["select", "--help"]) == 0
    assert "--n-features" in capfd.readouterr().out


def test_no_share_is_printed_of_what_chance_explains(here, capfd):
    rows = np.random.default_rng(0).normal(size=(60, 5)).round(4).tolist()
    table = write_csv(here / "noise.csv", ("a", "b", "c", "d", "y"), rows)
    assert main(["select", str(table), "--target", "y", "-k", "1", "--method", "search"]) == 0
    first = next(line for line in capfd.readouterr().out.splitlines() if "on its own" in line)
    assert first.startswith("No column tells more than chance on its own")
    assert "%" not in first
