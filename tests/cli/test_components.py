"""``tamis components``: the table, the page, JSON, scores, and one line for what cannot be used."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from typer.testing import CliRunner

from tamis.cli import main
from tamis.cli.app import app
from tamis.studies.components import ComponentsQuestion, components


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    data = load_wine(as_frame=True)
    frame = data.data.assign(kind=data.target_names[data.target], cask="<b>oak</b>")
    frame.loc[3, "ash"] = np.nan
    path = tmp_path_factory.mktemp("wine") / "wine.csv"
    frame.to_csv(path, index=False)
    return path


def run(*words):
    return CliRunner().invoke(app, ["components", *map(str, words)])


def test_the_page_and_the_table(wine, tmp_path):
    out, scores = tmp_path / "page.html", tmp_path / "scores.csv"
    done = run(wine, "--label", "kind", "--out", out, "--scores", scores)
    assert done.exit_code == 0, done.output
    assert "flavanoids" in done.output
    assert "3 directions vary more than noise" in done.output
    text = out.read_text()
    assert "Principal components of wine.csv" in text
    assert "<b>oak</b>" not in text
    assert len(pd.read_csv(scores)) == 178


@pytest.mark.parametrize("method, rows", [("pca", 13), ("sparse", 13), ("nmf", 13)])
def test_json_has_every_loading(wine, method, rows):
    done = run(wine, "--method", method, "--n", 2, "--json", "--drop", "kind")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert len(document["loadings"]) == rows
    assert len(document["components"]) == 2
    assert {item["column"] for item in document["data"]["left_out"]} == {"cask"}
    assert document["data"]["warnings"] == ["1 missing values of 'ash' were replaced by its mean"]


def test_noise_is_called_noise(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 6)), columns=list("abcdef"))
    frame.to_csv(tmp_path / "noise.csv", index=False)
    found = components(ComponentsQuestion(table=tmp_path / "noise.csv", json=True))
    assert found.n_above_noise == 0
    done = run(tmp_path / "noise.csv", "--json")
    assert "Nothing stands out" in json.loads(done.stdout)["answer"][0]


@pytest.mark.parametrize(
    "words, match",
    [
        (("--n", "99"), "--n"),
        (("--n", "0"), "--n"),
        (("--n-nonzero", "3"), "--method sparse"),
        (("--method", "ica"), "ica"),
        (("--method", "nmf", "--raw"), "--raw"),
        (("--label", "king"), "king"),
        (("--drop", "nothing"), "nothing"),
    ],
)
def test_what_cannot_be_used_is_one_line(wine, words, match, capsys):
    assert main(["components", str(wine), "--json", *words]) == 2
    complaint = capsys.readouterr().err.strip()
    assert match in complaint
    assert "\n" not in complaint
