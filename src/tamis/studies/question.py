"""A question: the options of a verb, each written once as a field of a dataclass.

The command line makes an option of every field that ``option`` made, and the command to type again is read off the
fields. Modules with questions import nothing large: ``tamis --help`` imports them all.
"""

from __future__ import annotations

import ast
import importlib
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar

Names = Sequence[str] | Callable[[], Sequence[str]]


@dataclass(frozen=True)
class Option:
    """How a field is asked for on the command line."""

    help: str  # {choices} stands for the names it may take
    flags: tuple[str, ...] = ()  # as in --n-features, -k; () is the name of the field with hyphens
    metavar: str | None = None
    choices: Names | None = None
    shown: str | None = None  # the default in words, where the field's None stands for something
    parse: Callable[[str], Any] | None = None  # of what is typed; a ValueError says why not
    positional: bool = False
    printing: bool = False  # says how the answer is printed, which is no part of what is asked

    @property
    def names(self) -> list[str]:
        """What may be typed, with the registry's underscores."""
        return list((self.choices() if callable(self.choices) else self.choices) or ())


def option(help: str, *, default: Any = MISSING, **about: Any) -> Any:
    """A field of a question: help text and default (none: must be given; a list: may be repeated; False: a flag)."""
    metadata = {"option": Option(help, **about)}
    if isinstance(default, list):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


def names_in(module: str, registry: str) -> Callable[[], list[str]]:
    """The names of a registry, a dictionary of a module of ours, for whoever asks for them.

    They are read off the module's text where it is not imported yet: importing it brings scikit-learn, which takes
    seconds that nobody should wait for a help page.
    """

    def names() -> list[str]:
        if module not in sys.modules and (found := _keys_in_text(module, registry)):
            return found
        return list(getattr(importlib.import_module(module), registry))

    return names


def _keys_in_text(module: str, registry: str) -> list[str]:
    """The keys of a dictionary that is written out in a module; none where it is not, or its text is not there."""
    package, *folders, name = module.split(".")
    folder = resources.files(package).joinpath(*folders)
    file = folder.joinpath(f"{name}.py")
    file = file if file.is_file() else folder.joinpath(name, "__init__.py")
    for line in ast.parse(file.read_text(encoding="utf-8")).body if file.is_file() else ():
        targets = line.targets if isinstance(line, ast.Assign) else [getattr(line, "target", None)]
        value = getattr(line, "value", None)
        if isinstance(value, ast.Dict) and any(isinstance(t, ast.Name) and t.id == registry for t in targets):
            keys = [key.value if isinstance(key, ast.Constant) else None for key in value.keys]
            return [str(key) for key in keys] if None not in keys else []
    return []


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a verb is asked; ``given`` are the options that somebody typed, be they at their defaults."""

    verb: ClassVar[str]
    given: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    @classmethod
    def options(cls) -> dict[str, tuple[Field[Any], Option]]:
        """The fields that are options, by name, in the order in which help lists them."""
        return {f.name: (f, f.metadata["option"]) for f in fields(cls) if "option" in f.metadata}

    def asks(self, name: str) -> bool:
        """Whether an option was given, or differs from its default."""
        return name in self.given or getattr(self, name) != default_of(self.options()[name][0])

    def chosen_options(self) -> list[str]:
        """The options that were given or differ from their defaults."""
        return [name for name in self.options() if self.asks(name)]

    @property
    def command(self) -> str:
        """What to type to ask it again."""
        words = ["tamis", self.verb]
        for name, (_, about) in self.options().items():
            value = getattr(self, name)
            if about.printing or value is False or not self.asks(name):
                continue
            for item in value if isinstance(value, list) else [value]:
                words += [] if about.positional else [flag(name, about)]
                words += [] if value is True else [typed(item, about)]
        return shlex.join(words)


def default_of(option_field: Field[Any]) -> Any:
    return option_field.default_factory() if option_field.default_factory is not MISSING else option_field.default


def flag(name: str, about: Option) -> str:
    """--n-features."""
    return about.flags[0] if about.flags else f"--{name.replace('_', '-')}"


def typed(value: Any, about: Option) -> str:
    """A value as it is typed: best-first, 2-5."""
    if isinstance(value, tuple):
        return "-".join(str(part) for part in value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).replace("_", "-") if about.choices is not None else str(value)


def file_to_write(text: str) -> Path:
    """The path of a file; not of a folder that may not be there yet, for ``Path`` forgets the slash at its end."""
    if text == "-":
        raise ValueError("cannot write '-': give the name of a file; /dev/stdout is standard output")
    if os.path.basename(text) in ("", ".", ".."):
        raise ValueError(f"cannot write {text!r}: it names a folder; give the name of a file in it")
    return Path(text)


def chosen_name(text: str, names: Sequence[str]) -> str:
    """The name that was meant: hyphens, underscores and capitals do not matter."""
    known = {_plain(name): name for name in names}
    if _plain(text) in known:
        return known[_plain(text)]
    from tamis._core.checks import suggestion

    typed_names = [name.replace("_", "-") for name in names]
    raise ValueError(f"{text!r} is not one of {', '.join(map(repr, typed_names))}{suggestion(text, typed_names)}")


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def in_options(message: str, argument: str, question: Question) -> str:
    """A complaint about an argument of the library with its option in front, unless it is there already."""
    named = named_option(question, argument)
    if named is None or named in message:
        return message
    for begin in (f"{argument}=", f"{argument} "):
        if message.startswith(begin) and not named.startswith("--set "):
            return f"{named} {message.removeprefix(begin)}"
    value, known = getattr(question, argument, None), question.options().get(argument)
    chosen = f" {typed(value, known[1])}" if known and known[1].choices is not None and isinstance(value, str) else ""
    return f"{named}{chosen}: {message}"


def named_option(question: Question, argument: str) -> str | None:
    """What an argument is called on the command line: the --set that gave it, or its option; None where it has none."""
    for setting in getattr(question, "settings", ()):
        if setting.partition("=")[0].rpartition(".")[2].replace("-", "_") == argument:
            return f"--set {setting}"
    known = question.options().get(argument)
    return None if known is None or known[1].positional else flag(argument, known[1])
