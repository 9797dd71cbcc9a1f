"""The page of the command line has every verb and every option of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from tamis.cli.completion import verbs


def test_every_option_is_on_the_page():
    where = Path(__file__).parents[2] / "docs" / "command_line.py"
    spec = importlib.util.spec_from_file_location("command_line", where)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sections = {part.split("\n")[0]: part for part in module.page().split("\n## ")}
    for verb in verbs():
        section = sections[f"tamis {verb.name}"]
        for flag in verb.flags[:-1]:  # --help is no option of a question
            assert all(f"`{name}`" in section for name in flag.names)
        assert "{choices}" not in section
