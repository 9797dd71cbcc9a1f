"""The map of the code names files and functions that exist, and its walks are those that the calls take."""

import re
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import tamis
from small_comparisons import make_small
from tamis import KSVD, PCA, Lasso, MatrixCompletion, ReliefF, SubsetSelector, recover
from tamis._kernels import kernels
from tamis.cli import main

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tamis"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PLACE = re.compile(r"`([\w/]+\.py)` `([\w.]+)`")
PLACES = sorted(set(PLACE.findall(PAGE)))
COMPILED = re.findall(r"`(\w+)` \(`(_kernels/\w+\.cpp)`\)", PAGE)
HOP = re.compile(rf"^\d+\. {PLACE.pattern}", re.MULTILINE)


def walk(title):
    """[(file, function)] of the numbered lines under a heading."""
    section = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return HOP.findall(section[1])


def called(call):
    """(file, function) of everything of ours that a call runs in this thread, in the order of first calls."""
    seen = {}
    home = Path(tamis.__file__).parent

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(home)):
            file = Path(code.co_filename).relative_to(home).as_posix()
            seen.setdefault((file, code.co_qualname), len(seen))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return seen


@pytest.fixture
def table(tmp_path, monkeypatch):
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 5))
    names = dict(zip("abcde", X.T, strict=True))
    parquet.write_table(arrow.table({**names, "y": (X[:, 0] + X[:, 1] > 0).astype(int)}), "table.parquet")
    parquet.write_table(arrow.table(names), "numbers.parquet")
    return X, X[:, 0] - X[:, 1]


def with_gaps(X):
    return np.where(np.random.default_rng(0).random(X.shape) < 0.3, np.nan, X)


def select(*more):
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(SystemExit):
        assert main(["select", "table.parquet", "--target", "y", *more]) == 0


CALLS = {
    "`Lasso.fit`": lambda X, y: Lasso(alpha=0.1).fit(X, y),
    "`SubsetSelector.fit`": lambda X, y: SubsetSelector("forward", "information_gain", n_features=2).fit(X, y > 0),
    "`ReliefF.fit` on Parquet": lambda X, y: ReliefF(n_features=2).fit("table.parquet", "y"),
    "`recover`": lambda X, y: recover(X.T, X.T @ np.eye(len(X))[7]),
    "`KSVD.fit`": lambda X, y: KSVD(6, 2, max_iter=3, random_state=0).fit(X),
    "`MatrixCompletion.fit`": lambda X, y: MatrixCompletion(random_state=0).fit(with_gaps(X)),
    "`PCA.fit` on Parquet": lambda X, y: PCA(2).fit("numbers.parquet"),
    "`tamis select`": lambda X, y: select(),
    "`tamis select --method`": lambda X, y: select("--method", "search"),
}


@pytest.mark.parametrize("title", CALLS)
def test_the_walk_is_the_one_that_the_call_takes(title, table, monkeypatch):
    make_small(monkeypatch)
    hops = walk(title)
    assert len(hops) > 5, "the numbered lines of the walk are not found"
    order = called(lambda: CALLS[title](*table))
    missing = [hop for hop in hops if hop not in order]
    assert not missing
    assert hops == sorted(hops, key=order.__getitem__)


@pytest.mark.parametrize("file, name", PLACES)
def test_every_function_on_the_map_is_in_its_file(file, name):
    text = (SOURCE / file).read_text(encoding="utf-8")
    *above, last = name.split(".")
    for kind in above:
        assert re.search(rf"^class {kind}\b", text, re.MULTILINE), f"{file} has no class {kind}"
    assert re.search(rf"^ *(def|class) {last}\b", text, re.MULTILINE), f"{file} has no {last}"


@pytest.mark.parametrize("name, file", COMPILED)
def test_every_kernel_on_the_map_is_in_its_file(name, file):
    assert hasattr(kernels, name)
    assert f'"{name}"' in (SOURCE / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md"], ids=lambda p: p.name)
def test_every_path_named_exists(page):
    text = page.read_text(encoding="utf-8")
    paths = re.findall(r"`((?:src|tests|docs|benchmarks|tools)/[\w/.-]+)`", text)
    if page.name == "architecture.md":
        paths += [f"src/tamis/{path}" for path in re.findall(r"`([\w/]+(?:\.py|\.cpp|/))`", text)]
    assert paths
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_every_folder_has_a_line():
    listed = set(re.findall(r"^\| `(\w+)/` \|", PAGE, re.MULTILINE))
    assert listed == {path.parent.name for path in SOURCE.glob("*/__init__.py")}


@pytest.mark.parametrize("page", [ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md"], ids=lambda p: p.name)
def test_the_layers_drawn_are_those_that_are_enforced(page):
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    enforced = [set(re.findall(r"tamis\.(\w+)", layer)) for layer in contract[0]["layers"]]
    here = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert set().union(*enforced) >= here - {"datasets", "testing"}, "a folder without a layer may import anything"
    picture = re.search(r"```\n(cli →.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert [set(re.findall(r"\w+", layer)) for layer in picture.split("→")] == [layer & here for layer in enforced]
