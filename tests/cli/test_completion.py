"""What the shell offers when Tab is pressed: exactly the verbs, options and values that there are."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tamis.cli import main
from tamis.cli.app import VERBS
from tamis.cli.completion import verbs
from tamis.cli.options import BASIC


def script(capfd, shell):
    assert main(["completion", shell]) == 0
    return capfd.readouterr().out


@pytest.fixture
def offered(capfd, tmp_path):
    """What bash offers for a line that ends in the word that is being typed."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    file = tmp_path / "tamis.bash"
    file.write_text(script(capfd, "bash"), encoding="utf-8")

    def ask(*words):
        line = " ".join(f"'{word}'" for word in ("tamis", *words))
        code = f'. {file}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _tamis; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run([bash, "--norc", "-c", code], capture_output=True, text=True, check=True, timeout=60)
        assert done.stderr == ""
        return done.stdout.split()

    return ask


def test_bash_offers_verbs_options_and_values(offered):
    assert offered("") == [*VERBS, "--help", "--version"]
    assert offered("de") == [verb for verb in VERBS if verb.startswith("de")] != []
    assert {"--target", "--json"} <= set(offered("select", "t.csv", "-"))
    assert offered("select", "t.csv", "--ev") == ["--evaluation"]
    assert "best-first" in offered("select", "t.csv", "--search", "")
    assert offered("completion", "") == ["bash", "zsh", "fish"]


def test_bash_leaves_files_to_itself(offered):
    assert offered("select", "t") == []
    assert offered("select", "t.csv", "--out", "") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_option_of_every_verb_is_in_the_script(shell, capfd):
    text = script(capfd, shell)
    for verb in verbs():
        assert verb.name in text
        for name in (name for flag in verb.flags for name in flag.names):
            assert (name if shell != "fish" else f" -{'l' if name[:2] == '--' else 's'} {name.lstrip('-')}") in text
    program = shutil.which(shell)
    if program is not None:  # its own check of the grammar
        done = subprocess.run([program, "-n"], input=text, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


def test_unknown_shells_are_one_line(capfd):
    assert main(["completion", "tcsh"]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_basic_options_are_first_in_help(capfd):
    assert main(["select", "--help"]) == 0
    basic, more = capfd.readouterr().out.split("More options")
    assert all(name in basic for name in ("--target", "--json", "--help"))
    assert "--patience" in more
    assert "--patience" not in basic


def test_no_name_of_a_basic_option_is_out_of_date():
    import importlib
    from typing import get_type_hints

    names = set()
    for verb in VERBS:
        question = get_type_hints(getattr(importlib.import_module(f"tamis.cli.{verb}"), verb))["question"]
        options = set(question.options())
        assert len(options & BASIC) >= min(2, len(options) - 1), verb
        names |= options
    assert names | {"time"} >= BASIC
