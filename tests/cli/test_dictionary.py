"""``tamis dictionary``: atoms of images or of a table."""

import json

import imageio.v3 as imageio
import numpy as np
import pytest
import skops.io
from typer.testing import CliRunner

from tamis.cli.app import app
from tamis.studies.dictionary_answer import _split

TRUSTED = ["tamis.dictionary.estimators.KSVD", "tamis._core.evidence.Diagnostics", "tamis._core.evidence.Status"]


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
    out = tmp_path / "atoms.png"
    answer = run(*photos, "--atoms", 30, "--sweeps", 3, "--patches", 500, "--out", out)
    assert answer.exit_code == 0, answer.output
    assert "30 atoms from 500 patches of 8 × 8, 3 sweeps" in answer.stdout
    assert "50 patches of 8 × 8 that were left out of learning" in answer.stdout
    assert imageio.imread(out).ndim == 2
    text = (tmp_path / "atoms.html").read_text()
    assert text.count("data:image/png;base64") == 1
    assert "3 sweeps, as many as were asked for, in" in text
    assert "of patches left out of learning" in text
    assert "The objective never rises" in text
    model = skops.io.loads((tmp_path / "atoms.skops").read_bytes(), trusted=TRUSTED)
    patch = np.random.default_rng(1).random((1, 64))
    assert model.transform(patch).nnz == 5


def test_patches_left_out_share_no_pixel_with_the_others():
    """Every pixel of the image is another number."""
    image = np.arange(40 * 50.0).reshape(40, 50)
    parts = _split(image, 8, 400, np.random.default_rng(0))
    assert sum(n for _, n, _ in parts) == 400
    assert [n for _, n, apart in parts if apart] == [40]
    apart, others = ({v for part, _, out in parts if out is left for v in part.ravel()} for left in (True, False))
    assert min(len(apart), len(others)) > 0
    assert not apart & others
    assert all(min(part.shape) >= 8 for part, _, _ in parts)
    assert [n for _, n, _ in _split(image[:20], 8, 400, np.random.default_rng(0))] == [400]  # too low for a band


def test_colours_are_kept_where_asked(photos, tmp_path):
    out = tmp_path / "colours.png"
    answer = run(*photos, "--atoms", 20, "--sweeps", 1, "--patches", 300, "--colour", "--out", out)
    assert answer.exit_code == 0, answer.output
    assert "20 atoms from 300 patches of 8 × 8, 1 sweep:" in answer.stdout
    assert imageio.imread(out).shape[2] == 3


def table_of(rows, path):
    names = ["<b>a", "b", "c", "d", "e", "f"]
    lines = [",".join("" if np.isnan(v) else f"{v:.5f}" for v in row) for row in rows]
    path.write_text("\n".join([",".join(names), *lines]) + "\n")
    return path


@pytest.mark.parametrize("gaps", [False, True])
def test_atoms_of_a_table(tmp_path, gaps):
    rows = np.random.default_rng(0).standard_normal((60, 6))
    rows[::7, 2] = np.nan if gaps else 1.0
    table = table_of(rows, tmp_path / "x.csv")
    answer = run(table, "--atoms", 10, "--n-nonzero", 2, "--sweeps", 2, "--out", tmp_path / "atoms.png", "--json")
    document = json.loads(answer.stdout)
    assert document["rows"] == {"number": 60, "what": "rows", "held_out": 6}
    assert 0 < document["explained"]["held_out"] < document["explained"]["while_learning"] < 1
    assert (np.diff(document["learning"]["objective"]) <= 0).all()
    assert sum(document["atoms"]["usage"]) <= 2 * 54
    text = (tmp_path / "atoms.html").read_text()
    assert "&lt;b&gt;a" in text.replace("<wbr>", "")
    assert "<b>a" not in text


def test_few_rows_are_all_learned_from(tmp_path):
    table = table_of(np.random.default_rng(0).standard_normal((5, 6)), tmp_path / "x.csv")
    answer = run(table, "--atoms", 9, "--n-nonzero", 2, "--sweeps", 1, "--out", tmp_path / "atoms.png")
    assert answer.exit_code == 0, answer.output
    assert "of the squares they were learned from" in answer.stdout


def test_of_nothing_nothing_is_claimed(tmp_path):
    imageio.imwrite(tmp_path / "grey.png", np.full((40, 40), 128, np.uint8))
    answer = run(tmp_path / "grey.png", "--atoms", 8, "--sweeps", 1, "--out", tmp_path / "atoms.png")
    assert answer.exit_code == 0, answer.output
    assert "there is nothing to code" in answer.stdout
    assert "100.0%" not in answer.stdout


def test_complaints(photos, tmp_path):
    for words, complaint in (
        ((tmp_path / "none.png", "--out", tmp_path / "o.png"), "there is no such file"),
        ((*photos, "--out", tmp_path / "o.txt"), "must end with one of"),
        ((*photos, "--out", photos[0]), "cannot write"),
        ((*photos, "--atoms", "0", "--out", tmp_path / "o.png"), "atoms"),
        ((*photos, "--patch", "60", "--out", tmp_path / "o.png"), "patch"),
        ((photos[0], tmp_path / "t.csv", "--out", tmp_path / "o.png"), "one table or images"),
        ((*photos, "--out", tmp_path / "o.png", "--report", tmp_path / "o.png"), "give two names"),
        ((*photos, "--patches", "0", "--out", tmp_path / "o.png"), "patches"),
        ((table_of(np.eye(6), tmp_path / "i.csv"), "--colour", "--out", tmp_path / "o.png"), "about images"),
    ):
        answer = run(*words)
        assert answer.exit_code != 0
        assert complaint in str(answer.exception) + answer.output
        assert not (tmp_path / "o.png").exists()
