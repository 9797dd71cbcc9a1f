"""Results in a notebook or a terminal: short, in words, and with nothing of the user's table unescaped."""

from __future__ import annotations

import importlib
import pkgutil
from html.parser import HTMLParser

import numpy as np
import pytest

import tamis
from tamis import InputError, Lasso, SubsetSelector, find_redundant
from tamis._core.evidence import Certificate, Diagnostics

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
X = np.c_[X, X[:, 0] + X[:, 1]]
y = X[:, 0] - 0.5 * X[:, 2]
NAMES = ["<script>alert(1)</script>", "b&b", "c", "d", "sum"]


def table(X):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X, columns=NAMES)


RESULTS = {
    "history": lambda: SubsetSelector(n_features=2).fit(table(X), y > 0).history_,
    "certificate": lambda: Lasso(alpha=0.1).fit(X, y).certificate_,
    "diagnostics": lambda: Lasso(alpha=0.1).fit(X, y).diagnostics_,
    "redundancy": lambda: find_redundant(table(X), y > 0, n_repeats=1),
    "nothing redundant": lambda: find_redundant(X[:, :3]),
    "nothing measured": Diagnostics,
}


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_shown_in_short(name):
    result = RESULTS[name]()
    text, page = repr(result), Tags(result._repr_html_())
    assert len(text) < 1_000
    assert "array(" not in text
    assert " object at " not in text
    assert page.open == []
    assert page.seen <= {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}


def test_history_names_the_steps():
    text = repr(RESULTS["history"]())
    assert "9 subsets evaluated in 2 rounds" in text
    assert "+ sum" in text or "+ <script>" in text


def test_certificate_says_the_gap():
    certificate = RESULTS["certificate"]()
    assert f"gap {certificate.gap:.4g}" in repr(certificate)
    assert f"primal {certificate.primal:.4g}" in repr(certificate)


def all_certificates():
    for module in pkgutil.walk_packages(tamis.__path__, "tamis."):
        if not module.name.endswith("__main__") and "_kernels" not in module.name:
            importlib.import_module(module.name)
    waiting, found = [Certificate], []
    while waiting:
        kinds = waiting.pop().__subclasses__()
        waiting += kinds
        found += [kind for kind in kinds if kind.__module__.startswith("tamis.")]
    return found


def test_no_certificate_prints_its_arrays():
    kinds = all_certificates()
    assert len(kinds) > 5
    assert [kind for kind in kinds if kind.__repr__ is not Certificate.__repr__] == []


def test_complaint_is_one_line_in_a_notebook(capsys):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell
    console = shell()
    try:
        console.run_cell("from tamis import Lasso\nLasso(alpha=-1).fit([[1.0], [2.0]], [1.0, 2.0])")
    finally:
        shell.clear_instance()
    with pytest.raises(InputError) as caught:
        Lasso(alpha=-1).fit([[1.0], [2.0]], [1.0, 2.0])
    assert capsys.readouterr().out == f"InputError: {caught.value}\n"
