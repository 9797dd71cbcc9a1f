"""``tamis denoise``: an image in, an image out, or one line."""

import json

import imageio.v3 as imageio
import numpy as np
import pytest
from typer.testing import CliRunner

from tamis.cli.app import app


@pytest.fixture
def photo(tmp_path):
    rng = np.random.default_rng(0)
    clean = np.kron(np.indices((4, 5)).sum(axis=0) % 2, np.full((12, 12), 150.0)) + 50
    path = tmp_path / "photo.png"
    imageio.imwrite(path, np.clip(clean + 20 * rng.standard_normal(clean.shape), 0, 255).astype(np.uint8))
    return path, clean


def test_an_image_is_denoised(photo, tmp_path):
    path, clean = photo
    out = tmp_path / "clean.png"
    answer = CliRunner().invoke(app, ["denoise", str(path), str(out), "--sigma", "20", "--atoms", "64"])
    assert answer.exit_code == 0, answer.output
    assert "noise level 20 of 255, as given" in answer.stdout
    noisy, better = imageio.imread(path).astype(float), imageio.imread(out).astype(float)
    assert better.shape == clean.shape
    assert np.std(better - clean) < 0.6 * np.std(noisy - clean)


def test_as_json_with_the_noise_measured(photo, tmp_path):
    path, _ = photo
    out = tmp_path / "clean.jpg"
    answer = CliRunner().invoke(app, ["denoise", str(path), str(out), "--atoms", "32", "--sweeps", "0", "--json"])
    document = json.loads(answer.stdout)
    assert document["measured"] is True
    assert 12 < document["sigma"] < 28
    assert out.exists()


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["nowhere.png", "out.png"], "there is no such file"),
        (["{photo}", "out.gif"], "must end with one of"),
        (["{photo}", "{photo}"], "cannot write"),
        (["{photo}", "out.png", "--sigma", "-3"], "sigma"),
        (["{photo}", "out.png", "--patch", "99"], "patch"),
        (["{photo}", "out.png", "--atoms", "0"], "atoms"),
    ],
)
def test_complaints(photo, tmp_path, monkeypatch, words, complaint):
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(app, ["denoise", *(w.format(photo=photo[0]) for w in words)])
    assert answer.exit_code != 0
    assert complaint in str(answer.exception) + answer.output
    assert not (tmp_path / "out.png").exists()
