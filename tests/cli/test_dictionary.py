"""``tamis dictionary``: atoms of images or of a table."""

import json

import imageio.v3 as imageio
import numpy as np
import pytest
from typer.testing import CliRunner

from tamis.cli.app import app


def run(*words):
    return CliRunner().invoke(app, ["dictionary", *map(str, words)])


@pytest.fixture
def photos(tmp_path):
    rng = np.random.default_rng(0)
    paths = [tmp_path / f"{name}.png" for name in "ab"]
    for path in paths:
        imageio.imwrite(path, rng.integers(0, 255, (40, 50, 3)).astype(np.uint8))
    return paths


def test_atoms_of_images(photos, tmp_path):
    out, model = tmp_path / "atoms.png", tmp_path / "atoms.skops"
    words = ("--atoms", 30, "--sweeps", 3, "--patches", 500, "--out", out, "--model", model)
    answer = run(*photos, *words)
    assert answer.exit_code == 0, answer.output
    assert "30 atoms from 500 patches of 8 × 8" in answer.stdout
    assert imageio.imread(out).ndim == 2
    assert model.stat().st_size > 0


def test_atoms_of_a_table(tmp_path):
    rows = np.random.default_rng(0).standard_normal((60, 6))
    table = tmp_path / "x.csv"
    table.write_text("a,b,c,d,e,f\n" + "\n".join(",".join(f"{v:.5f}" for v in row) for row in rows) + "\n")
    answer = run(table, "--atoms", 10, "--n-nonzero", 2, "--sweeps", 2, "--out", tmp_path / "atoms.png", "--json")
    document = json.loads(answer.stdout)
    assert document["rows"] == 60
    assert 0 < document["explained"] < 1
    assert (np.diff(document["objective"]) <= 0).all()


def test_complaints(photos, tmp_path):
    for words, complaint in (
        ((tmp_path / "none.png", "--out", tmp_path / "o.png"), "there is no such file"),
        ((*photos, "--out", tmp_path / "o.txt"), "must end with one of"),
        ((*photos, "--out", photos[0]), "cannot write"),
        ((*photos, "--atoms", "0", "--out", tmp_path / "o.png"), "atoms"),
        ((*photos, "--patch", "60", "--out", tmp_path / "o.png"), "patch"),
        ((photos[0], tmp_path / "t.csv", "--out", tmp_path / "o.png"), "one table or images"),
    ):
        answer = run(*words)
        assert answer.exit_code != 0
        assert complaint in str(answer.exception) + answer.output
        assert not (tmp_path / "o.png").exists()
