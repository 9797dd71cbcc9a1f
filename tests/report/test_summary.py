"""What the summary says about a study whose answers are known."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import pytest

from report import example
from report.example import summary
from tamis.report.charts import spread
from tamis.report.summary import document, summarise


def test_coefficients_are_per_standard_deviation_at_the_one_se_choice():
    height, colour = summary()["columns"]
    assert height["coefficient"] == 1.0 * 2.0
    assert (colour["coefficient"], colour["level"]) == (-0.5, "red")


def test_columns_enter_where_their_first_level_does():
    height, colour = summary()["columns"]
    assert (height["enters"], height["step"]) == (0.5, 1)
    assert (colour["enters"], colour["step"]) == (0.25, 2)


def test_ranked_by_gain_and_marked_in_order_of_choice():
    columns = summary()["columns"]
    assert [(c["rank"], c["gain"], c["chosen"]) for c in columns] == [(1, 0.5, 1), (2, 0.25, 2)]


def test_many_classes_name_the_class_of_the_largest_coefficient():
    found = summary(n_classes=3)
    assert len(found["lassos"]) == 3
    assert found["columns"][0]["class"] == "no"  # the first of equal sizes
    assert "for ‘no’" in found["columns"][0]["detail"]


def test_entropy_is_that_of_the_classes():
    assert summary()["data"]["entropy"] == 1.0
    assert summary(n_classes=4)["data"]["entropy"] == 2.0


def test_error_is_relative_to_the_model_without_columns():
    lasso = summary()["lassos"][0]
    assert lasso["cv"]["error"][0] == 1.0
    assert lasso["cv"]["n_kept"] == [0, 1, 2, 2]
    # folds 0.4 and 0.6 of a null model with 1.0 and 1.2: explained 1 − 0.5/1.1; standard error 0.1/1.1
    assert lasso["explained"]["1se"] == pytest.approx(1 - 0.5 / 1.1, rel=1e-12)
    assert lasso["cv"]["spread"][2] == pytest.approx(0.1 / 1.1, rel=1e-4)  # drawn numbers have five digits


def test_rounds_tell_what_was_compared_and_what_came_second():
    first, second = summary()["search"]["rounds"]
    assert (first["change"], first["compared"], first["next_change"], first["next_score"]) == (
        "+ height",
        2,
        "+ colour",
        0.25,
    )
    assert (second["change"], second["size"], second["score"], second["next_change"]) == ("+ colour", 2, 0.75, None)


def test_answer_names_target_columns_and_shares():
    text = " ".join(summary()["answer"])
    for part in ("‘height’", "‘bloom’", "0.50 of the 1.00 bits", "0.75 of the 1.00 bits while choosing", "2 columns"):
        assert part in text


def test_document_is_json_and_keeps_every_column():
    text = json.dumps(document(summary()), allow_nan=False)
    assert [c["column"] for c in json.loads(text)["columns"]] == ["height", "colour"]
    assert json.loads(text)["selected"] == ["height", "colour"]


@pytest.mark.parametrize("places", [[0, 0, 0], [5, 100, 4, 98], [50] * 20, [10.0]])
def test_labels_are_moved_apart_in_their_order(places):
    placed = spread(places, 15, 100)
    ordered = [placed[i] for i in sorted(range(len(places)), key=lambda i: places[i])]
    gap = min(15, 100 / max(1, len(places) - 1))
    assert all(b - a >= gap - 1e-9 for a, b in itertools.pairwise(ordered))
    assert min(placed) >= -1e-9
    assert max(placed) <= 100 + 1e-9


def test_labels_with_room_stay_where_they_are():
    assert spread([80.0, 10.0, 40.0], 15, 100) == [80.0, 10.0, 40.0]
    assert math.isclose(sum(spread([10.0, 12.0], 15, 100)), 35.0)


@pytest.mark.parametrize(("combinations", "warned"), [(8, False), (9, True)])
def test_warns_when_too_few_rows_share_a_combination(combinations, warned):
    information = replace(example.answer().information, combinations=combinations)  # of 40 rows: 5.0 and 4.4 each
    warnings = summarise(replace(example.answer(), information=information))["data"]["warnings"]
    assert any("combinations" in words for words in warnings) == warned
