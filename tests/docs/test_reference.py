"""The reference lists every public thing, and nothing that is not there."""

import importlib
import re
from pathlib import Path

import pytest

import tamis

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "index.md"
LISTED = re.findall(r"^   ([A-Za-z0-9_.]+)$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)


def thing(name):
    module, _, attribute = f"tamis.{name}".rpartition(".")
    return getattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize("home", ["", *(f"{family}." for family in tamis._FAMILIES)])
def test_every_public_thing_is_in_the_reference(home):
    names = importlib.import_module(f"tamis.{home}".rstrip(".")).__all__
    listed = [thing(name) for name in LISTED]  # a thing may be public in two places: one entry will do
    missing = [n for n in names if not n.startswith("__") and not any(thing(home + n) is known for known in listed)]
    assert not missing


@pytest.mark.parametrize("name", LISTED)
def test_everything_in_the_reference_exists_and_explains_itself(name):
    assert thing(name).__doc__.strip()
