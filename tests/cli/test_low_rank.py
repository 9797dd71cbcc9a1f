"""``tamis complete`` and ``tamis separate``."""

import json

import numpy as np
import pytest

from tamis.cli import main

imageio = pytest.importorskip("imageio.v3")


@pytest.fixture
def ratings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    M = 3 + rng.standard_normal((40, 1)) @ rng.standard_normal((1, 25))
    rows = [f"u{i},i{j},{M[i, j]:.4f}" for i, j in zip(*np.nonzero(rng.random(M.shape) < 0.4), strict=True)]
    (tmp_path / "ratings.csv").write_text("\n".join(["u,i,r", *rows]) + "\n")
    return tmp_path


NAMED = ("--user", "u", "--item", "i", "--value", "r")


def test_ratings_are_completed(ratings, capsys):
    (ratings / "pairs.csv").write_text("u,i\nu1,i2\nnobody,i3\n")
    out = ("--out", "best.csv", "--predict", "pairs.csv", "--predictions", "predicted.csv", "--json")
    assert main(["complete", "ratings.csv", *NAMED, "--rank", "3", *out]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rows"] == 40
    assert answer["held_out_rmse"] < 0.75 * answer["standard_deviation"]
    best = (ratings / "best.csv").read_text().splitlines()
    assert best[0] == "u,i,predicted"
    assert len(best) == 1 + 40 * 10
    predicted = (ratings / "predicted.csv").read_text().splitlines()
    assert predicted[1].endswith("True")
    assert predicted[2].endswith("False")


def test_what_was_held_out_is_printed(ratings, capsys):
    assert main(["complete", "ratings.csv", *NAMED, "--rank", "2"]) == 0
    assert "error at entries that chose nothing" in capsys.readouterr().out
    assert len((ratings / "tamis-recommendations.csv").read_text().splitlines()) == 1 + 40 * 10
    page = (ratings / "tamis-complete.html").read_text()
    assert "error at entries that chose nothing" in page
    assert 'id="path"' in page


def test_biases_are_told_of_only_where_there_are_some(ratings, capsys):
    for method, has_biases in (("als", True), ("factored", False)):
        assert main(["complete", "ratings.csv", *NAMED, "--method", method, "--rank", "1", "--json"]) == 0
        sentences = " ".join(json.loads(capsys.readouterr().out)["answer"])
        assert ("a bias for each row" in sentences) is has_biases


def test_all_missing_entries_are_predicted(ratings):
    assert main(["complete", "ratings.csv", *NAMED, "--alpha", "1", "--predictions", "filled.csv", "--json"]) == 0
    lines = (ratings / "filled.csv").read_text().splitlines()
    known = len((ratings / "ratings.csv").read_text().splitlines()) - 1
    assert len(lines) == 1 + 40 * 25 - known
    assert not (ratings / "tamis-complete.html").exists()


def test_names_from_the_table_are_escaped_on_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"<b>u{i}</b>,<i>i{j}</i>,{i + j}" for i in range(5) for j in range(4) if (i + j) % 3]
    (tmp_path / "t.csv").write_text("\n".join(["u,i,r", *rows]))
    assert main(["complete", "t.csv", *NAMED]) == 0
    page = (tmp_path / "tamis-complete.html").read_text()
    assert "<b>u0" not in page
    assert "&lt;b&gt;u0" in page


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["complete", "nothing.csv"], "there is no file"),
        (["complete", "ratings.csv", "--user", "u"], "--item"),
        (["complete", "ratings.csv", "--user", "x", "--item", "i", "--value", "r"], "no column 'x'"),
        (["complete", "ratings.csv", *NAMED, "--out", "ratings.csv"], "it is what is read"),
        (["complete", "ratings.csv", *NAMED, "--out", "a.csv", "--report", "a.csv"], "give two names"),
        (["separate", "nothing.avi"], "there is no video"),
        (["separate", "ratings.csv"], "cannot read"),
    ],
)
def test_one_line_for_what_cannot_be_used(ratings, arguments, words, capsys):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


# imageio leaves the pipes of its ffmpeg to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("method", ["auto", "online", "graph"])
def test_a_moving_square_is_separated(tmp_path, monkeypatch, method, capsys):
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("imageio_ffmpeg")
    rng = np.random.default_rng(0)
    still = rng.uniform(0.2, 0.6, (20, 25))
    (tmp_path / "frames").mkdir()
    for k in range(30):
        frame = still * (0.9 + 0.1 * np.cos(k / 5))
        frame[5:9, k % 21 : k % 21 + 4] = 1.0
        imageio.imwrite(tmp_path / "frames" / f"{k:03d}.png", (255 * frame).astype(np.uint8))
    assert main(["separate", "frames", "--method", method, "--out", "done", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["frames"] == 30
    assert answer["share_moving"] == pytest.approx(16 / 500, rel=0.5)
    page = (tmp_path / "done" / "index.html").read_text()
    assert page.count("data:image/png") == 9
    assert "loads nothing from the network" in page
    assert len(list(imageio.imiter(tmp_path / "done" / "foreground.mp4"))) == 30


def test_users_that_are_numbers_are_those_of_the_table(ratings, capsys):
    text = (ratings / "ratings.csv").read_text()
    (ratings / "numbers.csv").write_text("u,i,r\n" + text.split("\n", 1)[1].replace("u", "1").replace("i", "2"))
    assert main(["complete", "numbers.csv", *NAMED, "--out", "best.csv", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["rows"], answer["columns"], answer["unseen_rows"], answer["unseen_columns"]) == (40, 25, 0, 0)
    users = {line.split(",")[0] for line in (ratings / "best.csv").read_text().split()[1:]}
    assert users == {f"1{k}" for k in range(40)}


def test_ratings_of_noise_teach_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    rows = [f"u{i},i{j},{rng.standard_normal():.3f}" for i in range(40) for j in range(25) if rng.random() < 0.5]
    (tmp_path / "noise.csv").write_text("\n".join(["u,i,r", *rows]))
    assert main(["complete", "noise.csv", *NAMED, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert not answer["beats_mean"]
    assert answer["answer"][-1].startswith("Nothing was learned")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # imageio closes no file it cannot read
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["broken"], "cannot read 'broken/a.png' as a picture"),
        (["sizes"], "must be of one size"),
        (["frames", "--rank", "9"], "--rank must be at most 4"),
        (["text.mp4"], "cannot read 'text.mp4' as a video"),
        (["frames", "--out", "dangling"], "cannot write into 'dangling': it is no folder"),
    ],
)
def test_videos_that_cannot_be_used_take_one_line(tmp_path, monkeypatch, arguments, message, capfd):
    monkeypatch.chdir(tmp_path)
    for folder in ("broken", "sizes", "frames"):
        (tmp_path / folder).mkdir()
    (tmp_path / "broken" / "a.png").write_text("x")
    (tmp_path / "text.mp4").write_text("x")
    (tmp_path / "dangling").symlink_to("nowhere")
    for k in range(4):
        imageio.imwrite(tmp_path / "sizes" / f"{k}.png", np.zeros((8 + k, 8), np.uint8))
        imageio.imwrite(tmp_path / "frames" / f"{k}.png", np.full((8, 8), 40 * k, np.uint8))
    assert main(["separate", *arguments]) == 2
    said = capfd.readouterr().err.strip()
    assert message in said
    assert "\n" not in said


def test_one_frame_is_one(tmp_path, monkeypatch, capsys):
    imageio = pytest.importorskip("imageio.v3")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "frames").mkdir()
    imageio.imwrite(tmp_path / "frames" / "0.png", np.full((8, 8), 40, np.uint8))
    assert main(["separate", "frames", "--out", "done"]) == 0
    assert "1 frame of 8 × 8" in " ".join(capsys.readouterr().out.split())


def test_on_a_graph_only_what_moves_is_foreground(tmp_path, monkeypatch, capsys):
    imageio = pytest.importorskip("imageio.v3")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "frames").mkdir()
    rng = np.random.default_rng(0)
    scene = 0.3 + 0.4 * rng.random((30, 40))
    for k in range(40):
        frame = (1 + 0.15 * np.sin(k / 6)) * scene
        frame[8:16, k % 35 : k % 35 + 5] = 0.98
        imageio.imwrite(tmp_path / "frames" / f"{k:03d}.png", (255 * frame).astype(np.uint8))
    assert main(["separate", "frames", "--method", "graph", "--out", "done", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["share_moving"] == pytest.approx(40 / 1200, rel=0.05)
    assert answer["rank"] <= 3


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_flicker_nobody_sees_is_not_motion(tmp_path, monkeypatch, capsys):
    """A first block without any noise, as compression leaves it, and two grey levels of it from there on."""
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("imageio_ffmpeg")
    rng = np.random.default_rng(0)
    still = rng.integers(50, 200, (12, 16))
    (tmp_path / "frames").mkdir()
    for k in range(70):
        frame = still + (rng.integers(-2, 3, still.shape) if k >= 50 else 0)
        imageio.imwrite(tmp_path / "frames" / f"{k:03d}.png", frame.astype(np.uint8))
    assert main(["separate", "frames", "--method", "online", "--out", "done", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["share_moving"] == 0
