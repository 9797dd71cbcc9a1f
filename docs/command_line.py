"""The page of the command line, made of what ``--help`` says: conf.py writes it each time the pages are built."""

import importlib
import inspect
from dataclasses import MISSING
from typing import get_type_hints

from tamis.cli.app import VERBS, top
from tamis.cli.options import BASIC, MORE
from tamis.studies.question import default_of, flag, typed

INTRODUCTION = """# Command line

`pip install 'tamis[app]'` installs the command `tamis`. Answers go to standard output, messages and progress to
standard error. Exit codes are 0, 2 with one line that says what cannot be used, and 130 after Ctrl-C. `--json` prints
one [JSON document](../../json.md) instead of words. This page is what `tamis VERB --help` says.

Tab completion: `eval "$(tamis completion bash)"`; [tamis completion](#tamis-completion) tells where to keep it, and of
zsh and fish.
"""


def page():
    """Markdown: the words of each verb, then its options, basic ones first."""
    return "\n".join(
        [INTRODUCTION, "## tamis", *words(top.__doc__), *(line for verb in VERBS for line in section(verb))]
    )


def section(verb):
    run = getattr(importlib.import_module(f"tamis.cli.{verb}"), verb)
    options = get_type_hints(run)["question"].options()
    yield from ("", f"## tamis {verb}", *words(run.__doc__))
    taken = [(name, *about) for name, about in options.items() if about[1].positional]
    basic = [(name, *about) for name, about in options.items() if is_basic(name, *about)]
    more = [(name, *about) for name, about in options.items() if not about[1].positional and not is_basic(name, *about)]
    for title, rows in (("Arguments", taken), ("Options", basic), (MORE, more)):
        if rows:
            yield from ("", f"| {title} | |", "|---|---|", *(row(*each) for each in rows))


def is_basic(name, field, about):
    return not about.positional and (name in BASIC or is_required(field))


def is_required(field):
    return default_of(field) is MISSING


def row(name, field, about):
    names = [typed(value, about) for value in about.names]
    called = [name.upper()] if about.positional else list(about.flags or (flag(name, about),))
    shown = ", ".join(f"`{each}`" for each in called)
    value = "" if about.positional or field.default is False else f" *{about.metavar or 'value'}*"
    words = about.help.replace("{choices}", ", ".join(names))
    if names and "{choices}" not in about.help:
        words += f" One of {', '.join(names)}."
    default = about.shown or (field.default if isinstance(field.default, (str, int, float)) else None)
    if default is not None and not isinstance(default, bool):
        words += f" Default: {default if about.shown else typed(default, about)}."
    if is_required(field):
        words += " Must be given."
    return f"| {shown}{escaped(value)} | {escaped(words)} |"


def escaped(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("#", "\\#")


def words(doc):
    """Paragraphs as they are; what \\b keeps in lines, as a block of code."""
    for paragraph in inspect.cleandoc(doc).split("\n\n"):
        kept = paragraph.startswith("\b\n")
        lines = paragraph.splitlines()[1:] if kept else paragraph.splitlines()
        listed = kept and any(line.startswith("  ") for line in lines)
        yield from ("", *(["```text", *lines, "```"] if listed else lines))
