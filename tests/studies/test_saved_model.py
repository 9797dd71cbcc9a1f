"""Saved models: what was saved is loaded, and a file with other content is one complaint that says where."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from cli.tables import plants, write_csv
from tamis._core.errors import InputError
from tamis.cli import main

skops_io = pytest.importorskip("skops.io")

from tamis.base.saved import read_saved  # noqa: E402
from tamis.studies.saved_model import load  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    table = plants(folder / "plants.csv")
    rng = np.random.default_rng(0)
    rows = [(a, b, c, a - b) for a, b, c in rng.normal(size=(60, 3)).tolist()]
    numbers = write_csv(folder / "numbers.csv", ("a", "b", "c", "y"), rows)
    for name, words in {
        "two": [table, "-t", "bloom"],
        "many": [table, "-t", "colour"],
        "numbers": [numbers, "-t", "y"],
        "bic": [numbers, "-t", "y", "--rule", "bic"],
    }.items():
        assert main(["fit", *map(str, words), "--out", str(folder / f"{name}.skops")]) == 0
    return folder


@pytest.fixture(scope="module")
def contents(folder):
    return {path.stem: read_saved(path) for path in folder.glob("*.skops")}


def damaged(folder, content):
    path = folder / "damaged.skops"
    skops_io.dump(content, path)
    return path


@pytest.mark.parametrize("name", ["two", "many", "numbers", "bic"])
def test_what_was_saved_is_loaded(folder, contents, name):
    assert load(folder / f"{name}.skops").summary == contents[name]["summary"]


@pytest.mark.parametrize("key", ["format", "model", "codebook", "summary"])
@pytest.mark.parametrize("value", [None, 3, "abc", [1, 2], {}, np.array([3, 3]), "gone"], ids=str)
def test_each_part_of_another_type_is_refused(folder, contents, key, value):
    content = {**contents["two"], key: value}
    if isinstance(value, str) and value == "gone":
        del content[key]
    if key == "format" and isinstance(value, int):
        pytest.skip("the right one")
    with pytest.raises(InputError, match=key if key != "format" else "version"):
        load(damaged(folder, content))


def keys_of(value, path=()):
    """The paths of all keys of a document, the first of each list standing for the others."""
    items = value.items() if isinstance(value, dict) else [(0, value[0])] if isinstance(value, list) and value else []
    for key, inner in items:
        yield (*path, key)
        yield from keys_of(inner, (*path, key))


# Every key of every kind of model is taken out, and damaged in every way in the one with the most keys; others: deep.
DAMAGES = {"dict": {"a": object}, "gone": "gone", "nan": float("nan"), "list": [[]]}
DAMAGED = [
    pytest.param(value, name, id=f"{kind}-{name}", marks=[] if kind == "gone" or name == "many" else pytest.mark.deep)
    for kind, value in DAMAGES.items()
    for name in ("two", "many", "numbers", "bic")
]


@pytest.mark.parametrize("value, name", DAMAGED)
def test_whatever_key_is_damaged_the_model_is_refused_or_shown(folder, contents, value, name, capfd):
    """Never a traceback: the content is refused in one line, or is no part of what is printed."""
    whole = {key: contents[name][key] for key in ("summary", "codebook")}
    value = {"a": 1} if isinstance(value, dict) else value
    refused = 0
    for *path, last in keys_of(whole):
        content = {**contents[name], **copy.deepcopy(whole)}
        inner = content
        for key in path:
            inner = inner[key]
        if value == "gone":
            del inner[last]
        else:
            inner[last] = value
        file = str(damaged(folder, content))
        code = main(["fit", "--model", file])
        out, err = capfd.readouterr()
        assert code in (0, 2), (path, last)
        assert code == 0 or (out == "" and err.count("\n") == 1 and "damaged" in err), (path, last, err)
        assert main(["fit", "--model", file, "--json"]) == code
        assert code == 2 or json.loads(capfd.readouterr().out)
        capfd.readouterr()
        refused += code == 2
    assert refused >= 20


def test_parts_of_two_models_are_refused(folder, contents):
    for key in ("model", "codebook", "summary"):
        for other in ("many", "numbers"):
            with pytest.raises(InputError, match="is damaged"):
                load(damaged(folder, {**contents["two"], key: contents[other][key]}))


def test_classes_of_a_regressor_are_refused(folder, contents):
    content = copy.deepcopy({key: contents["numbers"][key] for key in ("format", "codebook", "summary")})
    content["summary"]["classes"] = ["a", "b"]
    with pytest.raises(InputError, match="not a SparseClassifierCV"):
        load(damaged(folder, {**content, "model": contents["numbers"]["model"]}))


def test_model_without_its_coefficients_is_refused(folder, contents):
    model = copy.deepcopy(contents["two"]["model"])
    del model.coef_
    with pytest.raises(InputError, match="model cannot predict"):
        load(damaged(folder, {**contents["two"], "model": model}))
