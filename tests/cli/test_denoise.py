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
    assert document["noise"]["measured"] is True
    assert 12 < document["noise"]["sigma"] < 28
    assert document["image"] == {"width": 60, "height": 48, "channels": 1, "type": "uint8"}
    assert out.exists()


FEW = ("--atoms", "32", "--sweeps", "1", "--sigma", "20")


def test_sixteen_bits_colours_and_transparency_are_kept(photo, tmp_path):
    path, _ = photo
    grey = imageio.imread(path)
    alpha = np.where(np.arange(60) < 20, 0, 255)[None].repeat(48, axis=0).astype(np.uint8)
    cases = {
        "deep.png": grey.astype(np.uint16) * 257,
        "deep.tif": np.dstack([grey] * 3).astype(np.uint16) * 257,
        "clear.png": np.dstack([grey, grey, grey, alpha]),
        "grey-clear.png": np.dstack([grey, alpha]),
        "palette.bmp": np.dstack([grey] * 3),
    }
    for name, pixels in cases.items():
        given, out = tmp_path / name, tmp_path / f"out-{name}"
        imageio.imwrite(given, pixels, **({"plugin": "tifffile"} if name == "deep.tif" else {}))
        answer = CliRunner().invoke(app, ["denoise", str(given), str(out), *FEW])
        assert answer.exit_code == 0, answer.output
        written = imageio.imread(out)
        assert written.shape == pixels.shape, name
        assert written.dtype == pixels.dtype, name
        if "clear" in name:
            np.testing.assert_array_equal(written[..., -1], alpha)
        assert 0 < np.abs(written[..., 0].astype(float) - pixels[..., 0]).mean() < 0.2 * pixels.max()


def test_jpeg_has_no_transparency(photo, tmp_path):
    path, _ = photo
    grey = imageio.imread(path)
    given, out = tmp_path / "clear.png", tmp_path / "out.jpg"
    imageio.imwrite(given, np.dstack([grey] * 3 + [np.zeros_like(grey)]))
    assert CliRunner().invoke(app, ["denoise", str(given), str(out), *FEW]).exit_code == 0
    assert imageio.imread(out).min() > 250  # all of it stands on white


def test_an_image_without_noise_is_as_it_was(tmp_path):
    given, out = tmp_path / "flat.png", tmp_path / "out.png"
    imageio.imwrite(given, np.full((20, 30), 7, np.uint8))
    answer = CliRunner().invoke(app, ["denoise", str(given), str(out)])
    assert "noise level 0 of 255, measured in it: the image is as it was." in answer.stdout
    np.testing.assert_array_equal(imageio.imread(out), 7)


def test_the_page_shows_before_after_and_atoms(photo, tmp_path):
    path, _ = photo
    out, page = tmp_path / "clean.png", tmp_path / "page.html"
    odd = path.rename(tmp_path / "a<b>&.png")
    answer = CliRunner().invoke(app, ["denoise", str(odd), str(out), *FEW, "--report", str(page)])
    assert answer.exit_code == 0, answer.output
    text = page.read_text()
    assert text.count("data:image/png;base64") == 6
    assert "a&lt;b&gt;&amp;.png" in text
    assert "<b>&.png" not in text
    assert "32 atoms of 8 × 8 pixels, learned from patches of the image by 1 sweep of K-SVD" in text
    assert "http://" not in text.split("<script>")[0]


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["nowhere.png", "out.png"], "there is no such file"),
        (["{photo}", "out.gif"], "must end with one of"),
        (["{photo}", "{photo}"], "cannot write"),
        (["{photo}", "out.png", "--sigma", "-3"], "sigma"),
        (["{photo}", "out.png", "--patch", "99"], "patch"),
        (["{photo}", "out.png", "--atoms", "0"], "atoms"),
        (["{photo}", "out.png", "--report", "out.png"], "out and --report are both 'out.png': give two names"),
        (["{photo}", "out.png", "--step", "9"], "step"),
    ],
)
def test_complaints(photo, tmp_path, monkeypatch, words, complaint):
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(app, ["denoise", *(w.format(photo=photo[0]) for w in words)])
    assert answer.exit_code != 0
    assert complaint in str(answer.exception) + answer.output
    assert not (tmp_path / "out.png").exists()
