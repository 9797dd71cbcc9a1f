"""Code in the guides is executed, and what the guides say it prints is what it prints.

A page runs top to bottom in a temporary folder: ``python`` blocks as one doctest session, ``console`` blocks command by
command, where every line shown under a command must occur in what it writes.
"""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from small_comparisons import make_small
from tamis.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
    ROOT / "docs" / "concepts" / "paths-and-pursuits.md",
    ROOT / "docs" / "book.md",
    ROOT / "docs" / "errata.md",
]
FENCE = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks_of(page):
    return [(kind, body) for kind, body in FENCE.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_does_what_it_says(page, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    if page.name == "first-selection.md":  # what it shows of comparisons is not run
        make_small(monkeypatch)
    names = {"__name__": "__main__"}
    blocks = blocks_of(page)
    assert blocks, f"{page.name} holds no code: was a fence misspelt?"
    for kind, body in blocks:
        if kind == "python":
            run_python(body, names, page.name)
        else:
            run_console(body, capfd)


def run_python(body, names, where):
    if ">>>" not in body:
        exec(compile(body, where, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(body, names, where, None, None)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    printed = []
    result = runner.run(test, out=printed.append, clear_globs=False)
    names.update(test.globs)
    assert result.failed == 0, "".join(printed)


def run_console(body, capfd):
    """In this process, which has imported all there is: tests/cli starts the command as users do."""
    for command, shown in commands_of(body):
        if command.startswith("make "):
            continue  # the page tells how to set up; the set-up is what runs this test
        program, *arguments = shlex.split(command)
        assert program == "tamis", f"only tamis is run here, not {command!r}"
        capfd.readouterr()
        code = main(arguments)
        out, err = capfd.readouterr()
        printed = " ".join(words_of(out + err))
        assert code == 0, printed
        for line in shown:
            expected = " ".join(words_of(line))
            found = re.search(rf"(?<!\w){re.escape(expected)}(?!\w|\.\d)", printed)
            assert found, f"{command!r} does not say {line!r} but:\n{out}"


def words_of(text):
    """Words that a line must have whole, to the end of its numbers; of all digits of a number, nine are compared."""
    return re.sub(r"\d+\.\d{9,}", lambda number: f"{float(number[0]):.9g}", text).split()


def commands_of(body):
    """[(command, lines shown under it)] of a console block, where a command follows a dollar sign."""
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:].partition("  #")[0].strip(), []))
        elif line.strip() and line.strip() != "…":
            found[-1][1].append(line)
    return found
