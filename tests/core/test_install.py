"""Two installations from one source tree do not build in one folder."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="no source tree")


def test_plain_installation_builds_in_a_folder_of_its_own():
    """Without a folder named here, scikit-build-core makes a temporary one for each."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]
    assert "build-dir" not in settings


def test_make_builds_again_only_what_changed():
    """Every editable installation names the folder that it finds again."""
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    editable = [line for line in lines if "--editable" in line]
    assert editable
    assert all("--config-settings=build-dir=build/" in line for line in editable)


def test_the_version_is_written_twice_alike():
    import tamis

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["version"] == tamis.__version__


def test_wheels_are_built_for_the_versions_that_are_promised():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    promised = [c.rpartition(" ")[2] for c in settings["project"]["classifiers"] if "Python :: 3." in c]
    assert settings["tool"]["cibuildwheel"]["build"] == " ".join(f"cp{v.replace('.', '')}-*" for v in promised)
    assert {"linux", "macos", "windows"} <= settings["tool"]["cibuildwheel"].keys()
