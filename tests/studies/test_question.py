"""A question's fields are its options: what is typed, what is typed again, and whose complaint it is."""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, get_type_hints

import pytest
import typer

from tamis._core.errors import InputError
from tamis.cli.app import VERBS
from tamis.cli.options import add_verb
from tamis.linear.alpha_choice import RULES as LIBRARY_RULES
from tamis.studies import fit, select_methods
from tamis.studies.question import Question, _keys_in_text, chosen_name, in_options, names_in, option
from tamis.studies.select import SelectQuestion
from tamis.studies.table_question import number_or_range

QUESTIONS = [get_type_hints(getattr(importlib.import_module(f"tamis.cli.{v}"), v))["question"] for v in VERBS]
REGISTRIES = [
    ("tamis.selection.search", "SEARCHES"),
    ("tamis.selection.evaluation", "EVALUATIONS"),
    ("tamis.studies.select_methods", "METHODS"),
    ("tamis.studies.learners", "LEARNERS"),
]


@dataclass(frozen=True, kw_only=True)
class Toy(Question):
    verb: ClassVar[str] = "toy"

    table: Path = option("A file.", positional=True)
    depth: int = option("How deep.", default=3, flags=("--depth", "-d"))
    kind: str = option("Which: {choices}.", default="best_first", choices=("best_first", "beam"))
    size: int | tuple[int, int] | None = option("How many.", default=None, parse=number_or_range, metavar="N|N-M")
    names: list[str] = option("May be repeated.", default=[], metavar="NAME")
    ways: list[str] = option("May be repeated.", default=[], choices=("best_first", "beam"))
    share: list[float] = option("May be repeated.", default=[])
    quick: bool = option("Print less.", default=False, printing=True)
    whole: bool = option("All of it.", default=False)


def parsed(*arguments: str, question: type[Question] = Toy) -> Question:
    """What a command line makes of the arguments."""
    seen = []

    def run(question):
        seen.append(question)

    run.__annotations__ = {"question": question}
    toy = typer.Typer()
    toy.callback()(lambda: None)
    add_verb(toy, run)
    typer.main.get_command(toy).main([question.verb, *arguments], standalone_mode=False)
    return seen[0]


def test_fields_are_options():
    typed = ["t.csv", "-d", "5", "--kind", "beam", "--size", "2-5", "--names", "a", "--names", "b c", "--quick"]
    found = parsed(*typed, "--ways", "beam", "--ways", "best-first", "--share", "0.5")
    lists = {"names": ["a", "b c"], "ways": ["beam", "best_first"], "share": [0.5]}
    assert found == Toy(table=Path("t.csv"), depth=5, kind="beam", size=(2, 5), quick=True, **lists)
    assert found.given == {"table", "depth", "kind", "size", "quick", *lists}
    assert parsed("t.csv") == Toy(table=Path("t.csv"))


@pytest.mark.parametrize("name", ["best-first", "best_first", "BestFirst", "BEST-FIRST"])
def test_names_may_have_hyphens_underscores_or_capitals(name):
    assert parsed("t.csv", "--kind", name).kind == "best_first"


def test_the_command_can_be_typed_again():
    arguments = ["t.csv", "--depth", "3", "--kind", "best-first", "--size", "2-5", "--names", "a", "--names", "b c"]
    found = parsed(*arguments, "--ways", "best_first", "--quick", "--whole")
    again = "tamis toy t.csv --depth 3 --kind best-first --size 2-5 --names a --names 'b c' --ways best-first --whole"
    assert found.command == again
    assert parsed(*shlex.split(again)[2:]).command == again
    assert Toy(table=Path("t.csv"), depth=3).command == "tamis toy t.csv"
    assert Toy(table=Path("t.csv"), kind="beam", quick=True).command == "tamis toy t.csv --kind beam"


def test_misspelt_names_get_a_suggestion():
    with pytest.raises(ValueError, match=r"'bean' is not one of 'best-first', 'beam', did you mean 'beam'\?"):
        chosen_name("bean", ["best_first", "beam"])


@pytest.mark.parametrize("argument", ["table", "nothing", "given"])
def test_what_is_no_option_is_left_as_it_is(argument):
    assert in_options(f"{argument} is wrong", argument, Toy(table=Path("t"))) == f"{argument} is wrong"


@pytest.mark.parametrize(
    ("message", "argument", "says"),
    [
        ("depth must be ≥ 1, got 0", "depth", "--depth must be ≥ 1, got 0"),
        ("depth=0 is too little", "depth", "--depth 0 is too little"),
        ("Beam cannot do it", "kind", "--kind best-first: Beam cannot do it"),
        ("it names 'depth'", "depth", "--depth: it names 'depth'"),
        ("--depth 0 is too little", "depth", "--depth 0 is too little"),
    ],
)
def test_complaints_name_the_option(message, argument, says):
    assert in_options(message, argument, Toy(table=Path("t"))) == says


def test_complaints_about_parameters_name_the_setting():
    question = SelectQuestion(table=Path("t"), target="y", settings=["beam.width=0", "las-vegas.patience=0"])
    assert in_options("width must be ≥ 1", "width", question) == "--set beam.width=0: width must be ≥ 1"
    assert in_options("patience must be ≥ 1", "patience", question).startswith("--set las-vegas.patience=0: ")


def test_errors_on_the_way_keep_their_type():
    def run(question):
        raise InputError("depth must be ≥ 1", argument="depth")

    run.__annotations__ = {"question": Toy}
    toy = typer.Typer()
    toy.callback()(lambda: None)
    add_verb(toy, run)
    with pytest.raises(InputError, match=r"^--depth must be ≥ 1$"):
        typer.main.get_command(toy).main(["toy", "t.csv"], standalone_mode=False)


@pytest.mark.parametrize(("module", "registry"), REGISTRIES)
def test_names_read_off_a_module_are_its_registrys(module, registry):
    assert _keys_in_text(module, registry) == list(getattr(importlib.import_module(module), registry))


def test_registries_that_are_not_written_out_are_imported():
    assert _keys_in_text("tamis.linear.alpha_choice", "RULES") == []
    assert names_in("tamis.linear.alpha_choice", "RULES")() == list(LIBRARY_RULES)


def test_lists_have_defaults_of_their_own():
    @dataclass(frozen=True, kw_only=True)
    class Lists(Question):
        verb: ClassVar[str] = "lists"

        names: list[str] = option("Some.", default=["a"])

    one, two = Lists(), Lists()
    assert one.names == ["a"]
    assert one.names is not two.names


def test_rules_and_methods_are_those_there_are():
    assert set(fit.RULES) == set(LIBRARY_RULES)
    options = set(SelectQuestion.options())
    assert all(method.options <= options for method in select_methods.METHODS.values())


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_default_can_be_typed(question):
    """Also that every registry a choice names is there."""
    for field, about in question.options().values():
        if about.choices is not None and isinstance(field.default, str):
            assert chosen_name(field.default, about.names) == field.default


@pytest.mark.parametrize("arguments", [["--help"], ["select", "--help"], ["fit", "--help"], ["--version"]])
def test_help_does_without_scikit_learn(arguments):
    code = f"import sys; from tamis.cli import main; main({arguments!r}); sys.exit('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_verb_is_called_as_its_modules():
    assert [question.verb for question in QUESTIONS] == list(VERBS)
    assert [question.__module__ for question in QUESTIONS] == [f"tamis.studies.{verb}" for verb in VERBS]


def test_every_verb_is_in_the_readme():
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    row = next(line for line in readme.splitlines() if line.startswith("| command line |"))
    assert re.findall(r"`(?:tamis )?(\w+)`", row) == list(VERBS)
