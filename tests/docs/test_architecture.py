"""The map of the code names files and functions that exist, and its walks are those that the calls take."""

import importlib
import importlib.util
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


def run(*arguments):
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(SystemExit):
        assert main(list(arguments)) == 0


def recover_column(y):
    Path("signal.csv").write_text("v\n" + "\n".join(map(repr, y.tolist())), encoding="utf-8")
    run("recover", "signal.csv")


CALLS = {
    "`Lasso.fit`": lambda X, y: Lasso(alpha=0.1).fit(X, y),
    "`SubsetSelector.fit`": lambda X, y: SubsetSelector("forward", "information_gain", n_features=2).fit(X, y > 0),
    "`ReliefF.fit` on Parquet": lambda X, y: ReliefF(n_features=2).fit("table.parquet", "y"),
    "`recover`": lambda X, y: recover(X.T, X.T @ np.eye(len(X))[7]),
    "`KSVD.fit`": lambda X, y: KSVD(6, 2, max_iter=3, random_state=0).fit(X),
    "`MatrixCompletion.fit`": lambda X, y: MatrixCompletion(random_state=0).fit(with_gaps(X)),
    "`PCA.fit` on Parquet": lambda X, y: PCA(2).fit("numbers.parquet"),
    "`tamis select`": lambda X, y: run("select", "table.parquet", "--target", "y"),
    "`tamis select --method`": lambda X, y: run("select", "table.parquet", "--target", "y", "--method", "search"),
    "`tamis recover`": lambda X, y: recover_column(y),
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


def text_of(*patterns):
    files = [path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def names_in(page):
    """Identifiers and calls in backquotes, each with what is before its last dot; file names are tested below."""
    found = re.findall(r"`([A-Za-z_]\w*(?:\.\w+)*)(?:\([^`]*\))?`", page)
    return sorted({name for name in found if not re.search(r"\.(py|md|cpp|hpp|html|toml)$", name) and name.strip("_")})


def test_every_name_on_the_map_is_defined():
    """Also where no file stands beside it: as a function, a class, a parameter, an attribute or a kernel."""
    code = text_of("src/tamis/**/*.py", "src/tamis/_kernels/*.cpp")
    defined = {
        *re.findall(r"(?:def|class) (\w+)", code),
        *re.findall(r"\b(\w+) ?[=:,]", code),
        *re.findall(r'"(\w+)"', code),
    }
    parts = {part for name in names_in(PAGE) for part in name.split(".")}
    assert len(parts) > 100
    assert not parts - defined - {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def test_every_name_in_contributing_is_in_the_code():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    patterns = [
        f"{folder}/**/*.{kind}" for folder in ("src", "tests", "benchmarks", "docs", "tools") for kind in ("py", "?pp")
    ]
    words = set(re.findall(r"\w+", text_of(*patterns, "src/**/*.html", "Makefile", "*.toml", "CMakeLists.txt")))
    assert len(names_in(page)) > 100
    assert not [name for name in names_in(page) if not set(name.split(".")) <= words]


PUBLIC = ["tamis", *(f"tamis.{name}" for name in tamis._FAMILIES)]
ENDINGS = (("ies", "y"), ("ses", "sis"), ("ches", "ch"), ("s", ""))


def is_guessed(name, file):
    """Whether who looks for the name would open the file: it is called so, but for words beside it or a plural."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    ones = {file.removesuffix(end) + one for end, one in ENDINGS if file.endswith(end)} | {file}
    return file in ("base", "__init__") or any(
        one in words or words in one or words.replace("_", "") == one for one in ones
    )


@pytest.mark.parametrize("package", PUBLIC)
def test_the_file_of_a_public_name_is_guessed_or_on_the_map(package):
    """A name that its file is not called after stands in the table beside the file."""
    section = re.search(r"^## Where a public name is\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]
    rows = re.findall(r"^\| `([\w/]+\.py)` \| (.*) \|$", section, re.MULTILINE)
    table = {file: re.findall(r"`(\w+)`", names) for file, names in rows}
    unlisted, module = [], importlib.import_module(package)
    for name in module.__all__:
        home = getattr(getattr(module, name), "__module__", None) or ""
        spec = importlib.util.find_spec(home) if home.startswith("tamis.") else None
        if spec is None or is_guessed(name, Path(spec.origin).stem):
            continue
        file = Path(spec.origin).relative_to(SOURCE).as_posix()
        if name not in table.get(file, ()):
            unlisted.append(f"{file}: {name}")
    assert not unlisted


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
    apart = set(re.findall(r"tamis\.(\w+)", " ".join(contract[1]["source_modules"])))
    assert apart == set().union(*enforced), "a folder that the second contract does not list may import datasets"
    here = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert set().union(*enforced) >= here - {"datasets", "testing"}, "a folder without a layer may import anything"
    picture = re.search(r"```\n(cli →.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert [set(re.findall(r"\w+", layer)) for layer in picture.split("→")] == [layer & here for layer in enforced]
