"""What ``tamis select`` finds in tables whose answer is known."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import tamis.linear
from cli.tables import write_csv
from tamis._core.errors import ConvergenceWarning, InputError
from tamis.sources import as_source, gather
from tamis.sources.views import Columns, Indicator
from tamis.studies import select_answer
from tamis.studies.select import SelectQuestion, select
from tamis.studies.select_answer import SelectAnswer, answer

pa = pytest.importorskip("pyarrow")


def table(n: int = 200, seed: int = 0) -> pa.Table:
    """kind is told by size alone; shade is one of three and tells nothing; ``same`` is a copy of size."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    kind = np.where(size > 0.5, "c", np.where(size < -0.5, "a", "b"))
    shade = np.array(["dark", "light", "none"])[rng.integers(3, size=n)]
    return pa.table({"size": size, "shade": shade, "same": size, "noise": rng.normal(size=n), "kind": kind})


def asking(**options) -> SelectQuestion:
    return SelectQuestion(table=Path("t.csv"), target="kind", **options)


def answer_to(**options) -> SelectAnswer:
    return answer(asking(**options), as_source(table(), target="kind"))


def test_the_column_that_tells_is_found_first():
    found = answer_to()
    assert found.task == "classification"
    assert found.chosen.columns[0] == "size"
    assert [lasso.label for lasso in found.lassos] == ["a", "b", "c"]


def test_one_hot_columns_know_where_they_come_from():
    found = answer_to()
    assert found.origin == ["size", "shade", "shade", "shade", "same", "noise"]
    assert found.levels == [None, "dark", "light", "none", None, None]


def test_entropy_and_combinations_are_counted():
    found = answer_to(n_features=1, drop=["size", "same", "noise"])
    counts = np.unique(table()["kind"].to_pylist(), return_counts=True)[1] / 200
    assert found.information.entropy == pytest.approx(-(counts @ np.log2(counts)), rel=1e-12)
    assert found.information.combinations == 3


def test_wide_tables_give_the_lasso_what_tells_most(monkeypatch):
    monkeypatch.setattr(select_answer, "MOST_COEFFICIENTS", 2)
    found = answer_to()
    assert found.origin == ["size", "same"]
    assert any("2 of 6" in note for note in found.notes)


def test_many_classes_are_fitted_for_the_most_frequent(monkeypatch):
    monkeypatch.setattr(select_answer, "MOST_CLASSES", 2)
    found = answer_to()
    counts = dict(zip(*np.unique(table()["kind"].to_pylist(), return_counts=True), strict=True))
    assert [lasso.label for lasso in found.lassos] == sorted(sorted(counts, key=lambda k: -counts[k])[:2])
    assert any("2 most frequent of 3" in note for note in found.notes)


def test_warnings_of_the_lasso_become_notes_said_once(monkeypatch):
    class Hasty(tamis.linear.SparseClassifierCV):
        def fit(self, source):
            warnings.warn("stopped early", ConvergenceWarning, stacklevel=1)
            return super().fit(source)

    monkeypatch.setattr(tamis.linear, "SparseClassifierCV", Hasty)
    assert answer_to().notes == ["stopped early"]  # three classes, three warnings


def test_same_answer_whatever_the_order_of_rows_on_disk():
    """Folds are shuffled: a table sorted by its target gives nearly the same error as the same table in any order."""
    t = table()
    by_target = t.take(pa.array(np.argsort(t["kind"].to_pylist(), kind="stable")))
    fitted = [answer(asking(), as_source(rows, target="kind")).lassos[0] for rows in (t, by_target)]
    # Folds of 40 rows differ; folds of sorted rows would hold one class each, and explain less than nothing.
    explained = [lasso.explained(lasso.model.alpha_min_) for lasso in fitted]
    assert explained[1] == pytest.approx(explained[0], abs=0.1)
    assert min(explained) > 0.8


@pytest.mark.parametrize(("drop", "says"), [(["sise"], "did you mean 'size'"), (["kind"], "is the target")])
def test_unknown_columns_to_drop(drop, says):
    with pytest.raises(InputError, match=says):
        answer_to(drop=drop)


def test_views_show_what_they_say():
    source = as_source(table(), target="kind")
    whole, part = gather(source), gather(Columns(source, [3, 0]))
    np.testing.assert_array_equal(part.X, whole.X[:, [3, 0]])
    view = Columns(source, [3, 0])
    assert (view.names, view.schema.names, view.n_rows) == (["noise", "size"], ["noise", "size"], 200)
    one = gather(Indicator(source, 2.0))
    np.testing.assert_array_equal(one.y, whole.y == 2.0)
    assert Indicator(source, 2.0).labels == ["shade"]
    assert view.labels == ["kind"]


def test_noise_tells_no_more_than_chance(tmp_path):
    """The best of many columns of noise exceeds the bound in about one table of 20, so in few of 20."""
    above = 0
    for seed in range(20):
        rows = np.random.default_rng(seed).normal(size=(60, 13)).round(4).tolist()
        path = write_csv(tmp_path / "t.csv", [*(f"x{j}" for j in range(12)), "y"], rows)
        information = select(SelectQuestion(table=path, target="y", n_features=1)).information
        above += information.gains.max() > information.chance
    assert above <= 4  # of 20 with chance 0.05 each: more than 4 in 3 of 1,000 tries


def test_a_column_that_tells_exceeds_chance(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    table = write_csv(tmp_path / "t.csv", ("a", "b", "c", "y"), [(*row, row[0] + 0.2 * row[1]) for row in x.tolist()])
    for method in ("search", "relief"):
        information = select(SelectQuestion(table=table, target="y", n_features=1, method=method)).information
        assert information.gains.max() > 1.3 * information.chance
