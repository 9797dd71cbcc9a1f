"""What is printed or put on a page has short, visible names, all different; the document itself is left as it is."""

from __future__ import annotations

import copy

from tamis._core.text import MOST
from tamis.report.readable import readable

LONG = "n" * 100_000


def test_names_are_cut_everywhere_they_occur():
    document = {
        "columns": [{"column": LONG, "level": None}, {"column": "plain", "level": "a\nb"}],
        "answer": [f"‘{LONG}’ tells most."],
        "data": {"missing": {LONG: 3, "plain": 1}, "rows": 5},
    }
    before = copy.deepcopy(document)
    found = readable(document)
    assert document == before
    name = found["columns"][0]["column"]
    assert len(name) <= MOST
    assert found["answer"] == [f"‘{name}’ tells most."]
    assert found["data"] == {"missing": {name: 3, "plain": 1}, "rows": 5}
    assert found["columns"][1] == {"column": "plain", "level": "a\\nb"}


def test_two_long_names_stay_two():
    names = [f"{'x' * 200}{k}{'y' * 200}" for k in range(3)]
    found = [c["column"] for c in readable({"columns": [{"column": name} for name in names]})["columns"]]
    assert len(set(found)) == 3


def test_name_within_another_is_not_mistaken_for_it():
    inner, outer = "i" * 100, "o" * 100 + "i" * 100
    found = readable({"columns": [{"column": inner}, {"column": outer}], "words": f"‘{outer}’"})
    assert found["words"] == f"‘{found['columns'][1]['column']}’"


def test_ordinary_document_is_unchanged():
    document = {
        "columns": [{"column": "größe", "gain": 0.5}],
        "answer": ["100\u202f% of ‘größe’"],
        "made": {"when": None},
    }
    assert readable(document) == document


def test_command_keeps_its_line_breaks():
    assert readable({"question": {"command": "tamis fit 'a\nb'"}})["question"]["command"] == "tamis fit 'a\nb'"
