"""``tamis recover``: images, sounds and columns come back, files are written whole, and complaints are one line."""

import json

import numpy as np
import pytest
from scipy.io import wavfile

from tamis import InputError
from tamis.cli import main
from tamis.studies.images import read_image, read_picture, write_image
from tamis.studies.sounds import read_sound, write_sound


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def image(here):
    x = np.kron(np.array([[0.2, 0.9], [0.6, 0.1]]), np.ones((16, 16)))
    write_image(here / "squares.png", x)
    return read_image(here / "squares.png")


def run(capfd, *arguments):
    assert main(["recover", *map(str, arguments), "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_an_image_comes_back_and_the_page_shows_it(here, image, capfd):
    printed = run(capfd, "squares.png", "--basis", "haar", "--out", "back.png", "--rate", "0.4")
    assert printed["measured"]["measurements"] in (409, 410)
    difference = np.sqrt(np.mean((read_image(here / "back.png") - image) ** 2))
    printed_difference = 10 ** (-printed["recovered"]["decibels"] / 20)
    assert difference == pytest.approx(printed_difference, abs=1 / 255)  # the file has eight bits
    assert printed["recovered"]["decibels"] > printed["recovered"]["without_sparsity"] + 3
    page = (here / "tamis-recover.html").read_text()
    assert page.count("data:image/png;base64,") == 4
    assert "http" not in page.split("<script>")[0]


@pytest.mark.parametrize("kind", ["samples", "partial-dct", "partial-hadamard", "gaussian", "bernoulli"])
def test_every_measurement_has_a_page(here, image, kind, capfd):
    printed = run(capfd, "squares.png", "--measurement", kind, "--basis", "haar", "--rate", "0.5", "--report", "p.html")
    assert printed["recovered"]["decibels"] > 20
    assert (here / "p.html").read_text().count("<img") == 4


def test_colours_are_recovered_together(here, capfd):
    x = np.stack([np.kron(np.eye(2) * c, np.ones((8, 8))) for c in (0.9, 0.5, 0.2)], axis=-1)
    write_image(here / "c.png", x)
    printed = run(capfd, "c.png", "--measurement", "gaussian", "--basis", "haar", "--rate", "0.6", "--out", "d.png")
    assert printed["recovered"]["decibels"] > 20
    assert read_image(here / "d.png").shape == (16, 16, 3)


def test_a_sound_and_a_column(here, capfd):
    t = np.arange(2048)
    tone = 0.5 * np.cos(2 * np.pi * (64.5 * t + 32.25) / 4096 * 2)
    write_sound(here / "tone.wav", 8000, tone)
    printed = run(capfd, "tone.wav", "--basis", "dct", "--rate", "0.2", "--out", "back.wav")
    assert printed["recovered"]["decibels"] > 15
    back = read_sound(here / "back.wav")
    assert back.rate == 8000
    assert back.samples.shape == (2048,)
    assert (here / "tamis-recover.html").read_text().count("data:audio/wav;base64,") == 2
    rows = "\n".join(f"{i},{v!r}" for i, v in enumerate(tone[:500].tolist()))
    (here / "s.csv").write_text(f"t,v\n{rows}\n")
    printed = run(capfd, "s.csv", "--column", "v", "--rate", "0.4", "--out", "v.csv")
    lines = (here / "v.csv").read_text().splitlines()
    assert lines[0] == "v"
    values = np.array(lines[1:], dtype=float)
    assert 10 * np.log10(np.mean(tone[:500] ** 2) / np.mean((values - tone[:500]) ** 2)) == pytest.approx(
        printed["recovered"]["decibels"], abs=0.01
    )


def test_a_tone_comes_back_in_the_default_frame(here, capfd):
    """Windows that are long enough see a steady wave in their samples."""
    t = np.arange(4096) / 8000
    write_sound(here / "tone.wav", 8000, 0.4 * np.sin(2 * np.pi * 440 * t) + 0.3 * np.sin(2 * np.pi * 660 * t))
    printed = run(capfd, "tone.wav")
    assert (printed["measured"]["basis"], printed["measured"]["window"]) == ("gabor", 512)
    assert printed["recovered"]["decibels"] > 15
    assert "windows of 512 samples" in (here / "tamis-recover.html").read_text()


def test_total_variation_needs_no_basis(here, image, capfd):
    printed = run(capfd, "squares.png", "--method", "total-variation", "--rate", "0.4")
    assert printed["measured"]["basis"] == "identity"
    assert printed["recovered"]["decibels"] > 40


def test_the_same_seed_gives_the_same_result(here, image, capfd):
    first, again = (run(capfd, "squares.png", "--basis", "haar", "--seed", 3)["recovered"] for _ in range(2))
    assert first["decibels"] == again["decibels"]


def test_noise_that_is_not_sparse_is_printed(here, capfd):
    write_image(here / "noise.png", np.random.default_rng(0).random((32, 32)))
    printed = run(capfd, "noise.png", "--rate", "0.3")
    assert any("no better than" in sentence for sentence in printed["answer"]) or printed["recovered"]["decibels"] < 15


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32])
def test_sounds_of_every_width(here, dtype):
    wave = np.sin(np.arange(100) / 5)
    scale = {np.uint8: 127, np.int16: 32767, np.int32: 2**31 - 1, np.float32: 1}[dtype]
    wavfile.write(here / "w.wav", 1000, (wave * scale + (128 if dtype is np.uint8 else 0)).astype(dtype))
    sound = read_sound(here / "w.wav")
    assert np.abs(sound.samples - wave).max() < 0.02
    write_sound(here / "again.wav", sound.rate, sound.samples, sound.dtype)
    np.testing.assert_array_equal(wavfile.read(here / "again.wav")[1], wavfile.read(here / "w.wav")[1])


def test_the_result_has_the_numbers_of_the_file(here, capfd):
    """16 bits and transparency of images, floats of sounds; where the format has none, what was written is printed."""
    x = np.kron(np.arange(4).reshape(2, 2) * 20001, np.ones((8, 8))).astype(np.uint16)
    alpha = np.zeros((16, 16), np.uint8)
    alpha[:, :8] = 255
    write_image(here / "deep.png", x)
    write_image(here / "clear.png", (x // 257).astype(np.uint8), alpha)
    wavfile.write(here / "f.wav", 8000, np.cos(np.arange(300) / 4).astype(np.float32))
    common = ["--rate", "1", "--measurement", "samples", "--basis", "haar"]
    run(capfd, "deep.png", *common, "--out", "deep2.png")
    np.testing.assert_allclose(read_picture(here / "deep2.png").pixels, x, atol=2**16 * 0.01)
    assert read_picture(here / "deep2.png").pixels.dtype == np.uint16
    run(capfd, "clear.png", *common, "--out", "clear2.png")
    np.testing.assert_array_equal(read_picture(here / "clear2.png").alpha, alpha)
    assert main(["recover", "f.wav", "--basis", "dct", "--rate", "1", "--out", "f2.wav"]) == 0
    assert "samples of 32 bits, floats" in capfd.readouterr().err
    assert wavfile.read(here / "f2.wav")[1].dtype == np.float32
    assert main(["recover", "deep.png", *common, "--out", "deep.jpg"]) == 0
    assert "8 bits a channel" in capfd.readouterr().err


def test_a_sound_that_is_cut_short_is_refused(here):
    write_sound(here / "whole.wav", 8000, np.zeros(1000))
    (here / "cut.wav").write_bytes((here / "whole.wav").read_bytes()[:100])
    with pytest.raises(InputError, match="cut short, 100 bytes of 2,044"):
        read_sound(here / "cut.wav")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["none.png"], "there is no such file"),
        (["none.wav"], "there is no such file"),
        (["squares.png", "--rate", "0"], "--rate must be"),
        (["squares.png", "--rate", "2"], "--rate must be"),
        (["squares.png", "--column", "a"], "--column is for tables"),
        (["squares.png", "--measurement", "gausian"], "gaussian"),
        (["squares.png", "--measurement", "samples", "--pattern", "radial"], "--pattern means nothing to samples"),
        (["squares.png", "--basis", "haarr"], "basis must be one of"),
        (["squares.png", "--n-nonzero", "3"], "--n-nonzero means nothing to fista"),
        (["squares.png", "--out", "a.wav"], "cannot write 'a.wav' as an image"),
        (["squares.png", "--out", "squares.png"], "squares.png"),
        (["bad.wav"], "as a WAV file"),
        (["bad.wav", "--out", "x.png"], "a sound is written to a name that ends with .wav"),
        (["words.csv"], "no column of numbers"),
        (["words.csv", "--column", "b"], "column 'b' is not in the table"),
    ],
)
def test_complaints_are_one_line_and_write_nothing(here, image, arguments, words, capfd):
    (here / "bad.wav").write_bytes(b"RIFFnothing")
    (here / "words.csv").write_text("a\nx\ny\n")
    before = sorted(here.iterdir())
    assert main(["recover", *arguments]) == 2
    captured = capfd.readouterr()
    assert words in captured.err
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 1
    assert sorted(here.iterdir()) == before
