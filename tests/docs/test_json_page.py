"""The page about JSON lists exactly the fields that the verbs print, with their types."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from small_comparisons import make_small
from small_inputs import write_inputs
from tamis.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
FIELD = re.compile(r"^\| `([^`]+)` \| ([a-z ]+) \|", re.MULTILINE)
TABLE = ["x.csv", "--target", "k"]
SECTIONS = {part.split("\n")[0].removeprefix("tamis "): dict(FIELD.findall(part)) for part in PAGE.split("\n## ")[1:]}
SHARED = SECTIONS.pop("In every document")
COMMANDS = {
    "select": [*TABLE, "--keep", "s", "--drop", "u", "--feature-groups", "p,q", "--include", "r"],
    "select with one method": [*TABLE, "--method", "search", "--keep", "s", "--drop", "u", "--feature-groups", "p,q"],
    "fit": TABLE,
    "components": ["t.csv", "--label", "k", "--out", "c.html"],
    "dictionary": [
        "p.png",
        *["--atoms", "8", "--patch", "4", "--patches", "200", "--sweeps", "2", "--n-nonzero", "2", "--out", "a.png"],
    ],
    "denoise": ["p.png", "c.png", *["--atoms", "16", "--patch", "4", "--sweeps", "1"]],
    "recover": ["p.png", "--rate", "0.5"],
    "complete": ["r.csv", *["--user", "u", "--item", "i", "--value", "r"]],
    "separate": ["frames", "--out", "separated"],
}


def test_every_section_is_tested():
    assert set(SECTIONS) == set(COMMANDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    X, rng = write_inputs(folder)
    colours = ["" if i == 7 else "red" if a + c > 0 else "blue" for i, (a, _, c) in enumerate(X)]
    mixed = [
        f"{a},{'' if i == 5 else b},{c},{colours[i]},{i % 2},7,{'a' if a + 0.3 * b > 0 else 'b'}"
        for i, (a, b, c) in enumerate(rng.normal(size=(60, 3)))
    ]
    (folder / "x.csv").write_text("\n".join(["p,q,r,s,u,seven,k", *mixed]) + "\n")
    return folder


def fields_of(value, at=""):
    """(path, type) of every leaf; an empty list and null say nothing of what they may hold."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from fields_of(inner, f"{at}.{key}" if at else key)
    elif isinstance(value, list):
        for inner in value or [None]:
            yield from fields_of(inner, f"{at}[]")
    else:
        kinds = {bool: "bool", int: "number", float: "number", str: "string", type(None): "null"}
        yield at, kinds[type(value)]


def documented(path, fields):
    """The entry that a path falls under; ``*`` stands for a name from the data."""
    return next((known for known in fields if re.fullmatch(re.escape(known).replace(r"\*", "[^.]+"), path)), None)


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_page_lists_what_is_printed(verb, folder, capfd, monkeypatch):
    monkeypatch.chdir(folder)
    make_small(monkeypatch)
    assert main([verb.split()[0], *COMMANDS[verb], "--json"]) == 0
    document = json.loads(capfd.readouterr().out)
    fields = SHARED | SECTIONS[verb]
    seen = set()
    for path, kind in fields_of(document):
        entry = documented(path, fields)
        assert entry is not None, f"{path} is printed by tamis {verb} and not on the page"
        seen.add(entry)
        unknown = kind == "null" and (path.endswith("[]") or "null" in fields[entry])
        assert unknown or kind in fields[entry].split(" or "), f"{path} is a {kind}, the page says {fields[entry]}"
    assert set(fields) == seen, "on the page and not printed"


def test_compare_and_the_demo_print_the_document_of_select(folder, capfd, monkeypatch):
    monkeypatch.chdir(folder)
    make_small(monkeypatch)
    keys = []
    for verb in ("select", "compare"):
        assert main([verb, *COMMANDS["select"], "--json"]) == 0
        keys.append({path for path, _ in fields_of(json.loads(capfd.readouterr().out))})
    assert keys[0] == keys[1]
