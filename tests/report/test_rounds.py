"""What the report says about any search and evaluation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from report.example import answer as example
from small_comparisons import make_small
from tamis.report import bundle, rounds
from tamis.report.charts import search_chart
from tamis.report.html import render
from tamis.report.search_words import size_in_words
from tamis.report.summary import document, summarise
from tamis.selection import Evaluation, Search
from tamis.selection.evaluation import EVALUATIONS
from tamis.selection.search import SEARCHES
from tamis.sources import as_source
from tamis.studies.select import SelectQuestion
from tamis.studies.select_answer import answer

pa = pytest.importorskip("pyarrow")


@pytest.fixture(autouse=True)
def small_bundle(monkeypatch):
    make_small(monkeypatch)
    monkeypatch.setattr(bundle, "javascript", lambda: "window.vegaEmbed=null;")


def summary(n=120, p=7, seed=0, names="abcdefgh", **options):
    """y is told by b and d, most of the time."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, p))
    y = np.where(rng.random(n) < 0.9, (X[:, 1] + X[:, 3]) % 2, rng.integers(0, 2, n))
    table = pa.table({**{names[j]: X[:, j] for j in range(p)}, "y": y})
    return summarise(answer(about_y(**options), as_source(table, target="y")))


def about_y(**options):
    return SelectQuestion(table=Path("t"), target="y", **options)


@pytest.mark.parametrize("search", sorted(SEARCHES.keys() - {"recursive"}))
@pytest.mark.parametrize("evaluation", ["information_gain", "f_score"])
def test_every_search_is_a_page(search, evaluation):
    found = summary(search=search, evaluation=evaluation, n_features=2)
    page = render(found)
    assert found["search"]["does"] in page
    assert found["search"]["proves"] in page
    kept = [r["change"] for r in found["search"]["rounds"]]
    assert kept
    assert all(change in page for change in kept)
    json.dumps(document(found), allow_nan=False)


@pytest.mark.parametrize("evaluation", sorted(EVALUATIONS))
def test_every_score_has_its_meaning_and_unit(evaluation):
    found = summary(evaluation=evaluation, n_features=2)
    assert f"The score of a subset is {found['search']['meaning']}." in found["search"]["score_in_words"]
    assert found["search"]["meaning"] in render(found).replace("&#39;", "'")
    together = next(sentence for sentence in found["answer"] if "search chose" in sentence)
    assert f"by {found['search']['evaluation']}" in together
    assert "while choosing" in together
    assert "%" not in together


class FirstColumns(Search):
    def run(self, p, stop, rng):
        subset = tuple(range(stop.bounds(p)[0]))
        yield [subset]
        return subset


class FewColumns(Evaluation):
    def prepare(self, source, *, n_jobs=None, steps=None):
        return None

    def score(self, state, subset):
        return -float(len(subset))


def test_a_search_and_an_evaluation_of_ones_own_are_a_page(monkeypatch):
    monkeypatch.setitem(SEARCHES, "first_columns", FirstColumns)
    monkeypatch.setitem(EVALUATIONS, "few_columns", FewColumns)
    found = summary(search="first_columns", evaluation="few_columns", n_features=2)
    page = render(found)
    together = next(sentence for sentence in found["answer"] if sentence.startswith("The first columns search chose"))
    assert "by few columns" in together
    assert "FirstColumns proposes the subsets." in page
    assert "The score of a subset is what FewColumns gives for it; higher is better." in page
    json.dumps(document(found), allow_nan=False)


def test_steps_are_shown_as_steps_and_others_as_subsets():
    floating = summary(search="floating", evaluation="linear_fit", n_features=3)["search"]["rounds"]
    assert [r["change"][0] for r in floating[:2]] == ["+", "+"]
    drawn = summary(search="las_vegas", n_features=3)["search"]["rounds"]
    assert all(r["change"].count(", ") == 2 for r in drawn)
    backward = summary(search="backward", n_features=3)["search"]["rounds"]
    assert backward[0]["change"] == "all columns"
    assert {r["change"][0] for r in backward[1:]} == {"−"}
    (best,) = summary(search="exhaustive", n_features=2)["search"]["rounds"]
    assert (best["change"], best["compared"]) == ("b, d", 21)


def test_best_of_the_others_was_not_kept():
    for search in ("beam", "forward", "floating"):
        for r in summary(search=search, n_features=3)["search"]["rounds"]:
            if r["next_score"] is not None and search != "floating":
                assert r["next_score"] <= r["score"] + 1e-12
            assert r["next_change"] != r["change"]


def test_large_subsets_are_told_by_what_they_lack():
    history = example().chosen.selector.history_
    history.names = [f"x{j}" for j in range(12)]
    subsets = {0: range(12), 1: range(2, 12), 2: range(5), 3: range(2, 9)}
    history.subset = lambda row: tuple(f"x{j}" for j in subsets[row])
    assert [rounds.whole(history, row) for row in subsets] == [
        "all columns",
        "all but x0, x1",
        "x0, x1, x2, x3, x4",
        "all but x0, x1, x9, x10, x11",
    ]


def test_long_histories_are_cut(monkeypatch):
    monkeypatch.setattr(rounds, "MOST_ROUNDS", 4)
    monkeypatch.setattr(rounds, "MOST_DOTS", 10)
    found = summary(search="ranking", n_features=6)["search"]
    assert (len(found["rounds"]), found["hidden"]) == (4, 3)  # six columns, and the six together
    assert found["rounds"][-1]["size"] == 6
    dots = summary(search="exhaustive", n_features=(1, 3))["search"]["drawn"]["dots"]
    assert len(dots) == 10
    assert {dot["size"] for dot in dots} == {1, 2, 3}


def test_the_chart_follows_the_search():
    forward = search_chart(summary(n_features=3)["search"])
    x = forward["layer"][1]["encoding"]["x"]
    assert (x["scale"]["reverse"], x["axis"]["values"]) == (False, [1, 2, 3])
    assert forward["layer"][0]["mark"]["type"] == "rule", "what there is to know"
    backward = search_chart(summary(search="backward", evaluation="gain_ratio", n_features=2)["search"])
    assert backward["layer"][0]["encoding"]["x"]["scale"]["reverse"]
    assert backward["layer"][0]["mark"]["type"] == "circle", "a ratio has no such line"
    assert search_chart(summary(search="ranking", n_features=3)["search"]) is None
    assert search_chart(summary(search="exhaustive", n_features=2)["search"]) is None


def test_ring_is_on_the_chosen_subset():
    found = summary(search="floating", evaluation="gain_ratio")["search"]
    (ring,) = search_chart(found)["layer"][-1]["data"]["values"]
    assert (ring["score"], ring["size"]) == (found["score"], len(found["selected"]))


@pytest.mark.parametrize(
    ("search", "proved"), [("exhaustive", True), ("branch_and_bound", True), ("forward", False), ("beam", False)]
)
def test_only_searches_that_prove_say_so(search, proved):
    proves = summary(search=search, n_features=2)["search"]["proves"]
    assert ("is better" in proves) == proved
    assert ("proves nothing" in proves) != proved


@pytest.mark.parametrize("status", ["time_limit", "interrupted"])
def test_an_unfinished_search_proves_nothing(status):
    found = example()
    found.chosen.selector.status_ = status
    unfinished = replace(found, question=replace(found.question, search="exhaustive"))
    about_search = summarise(unfinished)["search"]
    assert "may be better" in about_search["proves"]
    assert "best so far" in about_search["warnings"][0]
    assert about_search["stopped"] == ""


def test_failed_subsets_and_recalled_ones_are_counted():
    found = example()
    found.chosen.selector.n_recalled_ = 2
    found.chosen.selector.history_._rounds[0][1][1] = np.nan
    search = summarise(found)["search"]
    assert search["warnings"] == ["1 of 3 subsets could not be evaluated and were passed over"]
    assert search["recalled_in_words"] == "2 of 3 subsets were answered from the file of an earlier run."


@pytest.mark.parametrize(
    ("n_features", "groups", "says"),
    [
        (1, False, "1 column"),
        (3, False, "3 columns"),
        ((2, 5), False, "2 to 5 columns"),
        ((2, 5), True, "2 to 5 columns or groups"),
        (1, True, "1 column or group"),
    ],
)
def test_how_many_in_words(n_features, groups, says):
    assert size_in_words(n_features, groups) == says


def test_names_of_groups_and_kept_columns_stay_text():
    evil = "<script>alert(1)</script>"
    found = summary(names=[evil, *"bcdefg"], keep=[evil], feature_groups=["b,d"], n_features=2)
    page = render(found)
    assert evil not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_page_says_how_numbers_were_cut():
    x = np.random.default_rng(0).normal(size=(90, 2))
    numbers = {"a": x[:, 0], "b": x[:, 1]}
    for y, says in ((x[:, 0] > 0, "where the classes change"), (x[:, 0] + 1.5, "into ten parts of equal size")):
        found = answer(about_y(n_features=1), as_source(pa.table({**numbers, "y": y}), target="y"))
        assert says in render(summarise(found))
    assert "are cut" not in render(summary(n_features=1))


def test_sizes_count_columns_of_the_table():
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 3, 90)
    columns = {"colour": np.array(["red", "green", "blue"])[colour], "a": rng.normal(size=90), "b": rng.normal(size=90)}
    table = pa.table({**columns, "y": np.array([0.0, 2.0, 5.0])[colour] + columns["a"]})
    question = about_y(evaluation="linear_fit", keep=["b"], n_features=3)
    found = summarise(answer(question, as_source(table, target="y")))
    assert [(r["change"], r["size"]) for r in found["search"]["rounds"]] == [("+ colour", 2), ("+ a", 3)]
    assert found["search"]["selected"] == ["b", "colour", "a"]
