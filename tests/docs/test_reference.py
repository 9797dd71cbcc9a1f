"""The reference lists every public name, and none that is not there."""

import importlib
import re
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "index.md"
LISTED = set(re.findall(r"^   ([A-Za-z_.]+)$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("module", ["tamis", "tamis.selection", "tamis.sources", "tamis.stats", "tamis.datasets"])
def test_every_public_name_is_in_the_reference(module):
    path = module.removeprefix("tamis").removeprefix(".")
    names = importlib.import_module(module).__all__
    missing = [name for name in names if f"{path}.{name}".lstrip(".") not in LISTED and name not in LISTED]
    assert not missing


@pytest.mark.parametrize("name", sorted(LISTED))
def test_every_name_in_the_reference_exists(name):
    module, _, attribute = f"tamis.{name}".rpartition(".")
    assert getattr(importlib.import_module(module), attribute).__doc__
