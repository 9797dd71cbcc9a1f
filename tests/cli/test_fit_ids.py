"""``tamis fit --id``: columns that name rows are no candidates and come along; saved models ask for what they use."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from cli.tables import write_csv
from tamis.cli import main


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """120 patients: y depends on size and colour; ``patient`` would predict it too, ``noise`` does not."""
    folder, rng = tmp_path_factory.mktemp("ids"), np.random.default_rng(0)
    size, noise = rng.normal(size=(2, 120))
    colour = np.array(["red", "blue"])[rng.integers(2, size=120)]
    y = 3 * size + 4 * (colour == "red") + 0.1 * rng.normal(size=120)
    rank = np.argsort(np.argsort(y))
    rows = [
        [f"{r:05d}", f"Ann {i}", f"{a:.4f}", f"{b:.4f}", c, f"{v:.4f}"]
        for i, (r, a, b, c, v) in enumerate(zip(rank, size, noise, colour, y, strict=True))
    ]
    write_csv(folder / "t.csv", ("patient", "name", "size", "noise", "colour", "y"), rows)
    assert main(["fit", str(folder / "t.csv"), "-t", "y", "--id", "patient", "--id", "name", "--out",
                 str(folder / "m.skops"), "--report", str(folder / "p.html")]) == 0  # fmt: skip
    return folder


def predicted(capfd, *arguments: object) -> list[dict[str, str]]:
    capfd.readouterr()
    assert main(["fit", *map(str, arguments)]) == 0
    return list(csv.DictReader(io.StringIO(capfd.readouterr().out)))


def test_ids_are_no_candidates_and_come_along_as_written(here, capfd):
    rows = predicted(capfd, "--model", here / "m.skops", "--predict", here / "t.csv")
    assert list(rows[0]) == ["patient", "name", "prediction"]
    given = pd.read_csv(here / "t.csv", dtype=str)
    assert [r["patient"] for r in rows] == given["patient"].tolist()  # 00012 is not 12
    assert [r["name"] for r in rows] == given["name"].tolist()
    assert np.corrcoef([float(r["prediction"]) for r in rows], given["y"].astype(float))[0, 1] > 0.99
    assert main(["fit", "--model", str(here / "m.skops"), "--json"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["question"]["id"] == ["patient", "name"]
    assert {row["column"] for row in document["coefficients"]} == {"size", "noise", "colour"}


def test_a_sparse_model_asks_only_for_the_columns_it_uses(here, capfd):
    table = pd.read_csv(here / "t.csv", dtype=str)
    table[["colour", "size", "name"]].to_csv(here / "few.csv", index=False)
    few = predicted(capfd, "--model", here / "m.skops", "--predict", here / "few.csv")
    whole = predicted(capfd, "--model", here / "m.skops", "--predict", here / "t.csv")
    assert [r["prediction"] for r in few] == [r["prediction"] for r in whole]
    assert list(few[0]) == ["name", "prediction"]  # patient is not there; a note says so
    table["noise"] = "words"  # not used, so that nobody cares what it holds
    table.to_csv(here / "odd.csv", index=False)
    odd = predicted(capfd, "--model", here / "m.skops", "--predict", here / "odd.csv")
    assert [r["prediction"] for r in odd] == [r["prediction"] for r in whole]
    table[["noise", "colour"]].to_csv(here / "lacking.csv", index=False)
    assert main(["fit", "--model", str(here / "m.skops"), "--predict", str(here / "lacking.csv")]) == 2
    assert "lacks the column 'size' that the model uses" in capfd.readouterr().err


def test_the_note_of_a_missing_id(here, capfd):
    pd.read_csv(here / "t.csv", dtype=str)[["colour", "size"]].to_csv(here / "none.csv", index=False)
    assert main(["fit", "--model", str(here / "m.skops"), "--predict", str(here / "none.csv")]) == 0
    assert "no columns 'patient', 'name'" in " ".join(capfd.readouterr().err.split())


def test_ids_of_predictions_alone(here, capfd):
    rows = predicted(capfd, "--model", here / "m.skops", "--predict", here / "t.csv", "--id", "colour")
    assert list(rows[0]) == ["colour", "prediction"]
    assert {r["colour"] for r in rows} == {"red", "blue"}


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_ids_of_other_files(here, capfd, ending):
    table = pd.read_csv(here / "t.csv", dtype={"patient": str})
    table["visit"] = np.arange(120)
    path = here / f"t.{ending}"
    table.to_parquet(path) if ending == "parquet" else table.to_excel(path, index=False)
    rows = predicted(capfd, "--model", here / "m.skops", "--predict", path, "--id", "visit", "--id", "patient")
    assert [r["visit"] for r in rows] == [str(i) for i in range(120)]
    assert [r["patient"] for r in rows] == table["patient"].tolist()


def test_ids_in_the_names_of_folders(here, capfd):
    table = pd.read_csv(here / "t.csv", dtype=str)
    for year in ("2023", "2024"):
        folder = here / "years" / f"year={year}"
        folder.mkdir(parents=True)
        table.head(5).to_csv(folder / "part.csv", index=False)
    rows = predicted(capfd, "--model", here / "m.skops", "--predict", here / "years", "--id", "year", "--id", "name")
    assert [(r["year"], r["name"]) for r in rows] == [(y, f"Ann {i}") for y in ("2023", "2024") for i in range(5)]


@pytest.mark.parametrize(
    "options, words",
    [
        (["--id", "patent"], "--id 'patent' is not a column of the table, did you mean 'patient'?"),
        (["--id", "y"], "--id 'y' is the target"),
        (["--id", "name", "--drop", "name"], "--id 'name' is left out by --drop"),
        (["--id", "patient", "--include", "patient"], "--id 'patient' is no candidate, but --include"),
        (["--id", "name", "--id", "name"], "--id 'name' is given twice"),
    ],
)
def test_what_cannot_be_an_id(here, capfd, options, words):
    assert main(["fit", str(here / "t.csv"), "-t", "y", *options]) == 2
    assert words in capfd.readouterr().err


def test_ids_must_be_in_the_table_they_are_asked_of(here, capfd):
    assert main(["fit", "--model", str(here / "m.skops"), "--predict", str(here / "t.csv"), "--id", "nam"]) == 2
    assert "--id 'nam' is not a column of" in capfd.readouterr().err
    assert main(["fit", "--model", str(here / "m.skops"), "--id", "name"]) == 2
    assert "--id has no effect without --predict" in capfd.readouterr().err


def test_an_id_with_the_name_of_a_prediction(here, capfd):
    pd.read_csv(here / "t.csv", dtype=str).rename(columns={"name": "prediction"}).to_csv(here / "p.csv", index=False)
    assert main(["fit", "--model", str(here / "m.skops"), "--predict", str(here / "p.csv"), "--id", "prediction"]) == 2
    assert "--id 'prediction' has the name of a column of predictions" in capfd.readouterr().err


def test_a_saved_support_vector_model_is_opened_again(tmp_path, capfd):
    rng = np.random.default_rng(1)
    a = rng.normal(size=60)
    rows = [[f"{v:.4f}", "yes" if v > 0 else "no"] for v in a]
    table = str(write_csv(tmp_path / "t.csv", ("a", "y"), rows))
    model = str(tmp_path / "m.skops")
    assert main(["fit", table, "-t", "y", "--loss", "svm", "--no-nested", "--out", model]) == 0
    found = predicted(capfd, "--model", model, "--predict", table)
    assert list(found[0]) == ["prediction", "margin of yes"]
    assert np.mean([r["prediction"] == y for r, (_, y) in zip(found, rows, strict=True)]) > 0.9
