"""Questions and library files find each other: nothing is left out, and nothing is imported before its time."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import install, libraries, questions
from benchmarks.competitor import OURS

ROOT = Path(libraries.__file__).parents[2]
QUESTIONS = questions.names()
CLASSES = libraries.classes()
ONLY_OURS = {"relief_growth", "code_threads"}  # how our own time grows: its other competitors are parts of its table
ALWAYS_THERE = {"tamis", *install.OURS}
# The interpreter's own modules, and NumPy, which everybody is measured with.
LIGHT = sys.stdlib_module_names | {"numpy", "benchmarks"}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_has_our_answer_first_and_another_beside_it(name):
    found = libraries.competitors(name)
    assert found[0].role == OURS
    assert found[0].name == "tamis"
    assert len(found) > 1
    assert name in ONLY_OURS or any(competitor.package != "tamis" for competitor in found)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_row_of_a_table_is_one_competitor(name):
    counted = Counter(competitor.name for competitor in libraries.competitors(name))
    assert [name for name, times in counted.items() if times > 1] == []


def test_every_question_that_is_answered_exists():
    assert {kind.question for kind in CLASSES} - {""} <= set(QUESTIONS)


def test_a_class_without_a_question_is_shared_by_one_with_a_question():
    """So that no competitor is left out because its question was forgotten."""
    answering = [kind for kind in CLASSES if kind.question]
    idle = [kind for kind in CLASSES if not kind.question and not any(issubclass(a, kind) for a in answering)]
    assert idle == []


def test_the_order_of_the_tables_names_every_question_that_exists_once():
    assert len(set(questions.ORDER)) == len(questions.ORDER)
    assert set(questions.ORDER) <= set(QUESTIONS)


def test_a_new_question_is_found_without_being_named(tmp_path, monkeypatch):
    (tmp_path / "a_new_question.py").write_text("")
    monkeypatch.setattr(questions, "__path__", [*questions.__path__, str(tmp_path)])
    assert set(questions.names()) == {*QUESTIONS, "a_new_question"}
    assert questions.names()[: len(questions.ORDER)] == list(questions.ORDER)


def test_a_new_library_is_found_without_being_named(tmp_path, monkeypatch):
    file = (
        "from benchmarks.competitor import Competitor\nclass Lasso(Competitor):\n    question, name = 'lasso', 'new'\n"
    )
    (tmp_path / "a_new_library").mkdir()
    (tmp_path / "a_new_library" / "__init__.py").write_text("")
    (tmp_path / "a_new_library" / "linear.py").write_text(file)
    monkeypatch.setattr(libraries, "__path__", [*libraries.__path__, str(tmp_path)])
    before = {name: sys.modules[name] for name in sys.modules if name.startswith("benchmarks.libraries")}
    try:
        assert "new" in [competitor.name for competitor in libraries.competitors("lasso")]
    finally:
        for name in [name for name in sys.modules if name.startswith("benchmarks.libraries")]:
            if name not in before:
                del sys.modules[name]
        del libraries.a_new_library


def test_every_package_is_installed_by_the_list():
    listed = {re.split(r"[<>=]", what)[0] for what, _ in install.wanted(install.LIST.read_text())}
    assert {kind.package for kind in CLASSES if kind.question} - listed - ALWAYS_THERE == set()


def imported_by(code):
    """Top-level modules that an interpreter of its own has after running the code."""
    code += "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in done.stdout.split() if not name.startswith(("_", "cython"))}


def test_library_files_import_no_library():
    """Imports are timed and weighed, and adelie's binds the thread that imports it."""
    assert imported_by("from benchmarks import libraries; libraries.classes()") - LIGHT == set()


def test_library_files_import_no_question():
    """Whose judges import what a timed import would then find already there."""
    code = "from benchmarks import libraries; libraries.classes(); import sys\n"
    code += (
        "assert not [name for name in sys.modules if name.startswith(('benchmarks.questions', 'benchmarks.judging'))]"
    )
    imported_by(code)


def test_the_names_of_questions_are_known_before_numpy_is_imported():
    """NumPy sizes its pool of threads when it is imported."""
    assert "numpy" not in imported_by("import benchmarks.__main__")
