"""The drawings of a comparison hold what the result says."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

from tamis import InputError, compare_selectors
from tamis.plots import comparison, stability

mpl.use("agg")


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8))
    y = (X[:, 1] + X[:, 4] + 0.5 * rng.normal(size=120) > 0).astype(int)
    return compare_selectors(X, y, methods=["mrmr", "lasso"], estimator="linear", n_jobs=1)


def test_a_line_with_a_band_for_each_method(found):
    ax = comparison(found)
    lines = {line.get_label(): line for line in ax.lines}
    for name, words in found.methods_.items():
        curve = found.curve(name)
        assert np.array_equal(lines[words].get_xdata(), curve.sizes)
        assert np.array_equal(lines[words].get_ydata(), curve.scores)
    assert len(ax.collections) == len(found.methods_)
    assert ax.get_ylabel() == "AUC on rows left out"


def test_none_all_and_the_choice_are_marked(found):
    lines = {line.get_label(): line for line in comparison(found).lines}
    assert lines["no column"].get_ydata()[0] == found.baseline("none")[0] == 0.5
    assert lines["all columns"].get_ydata()[0] == found.baseline("all")[0]
    assert lines["recommended"].get_xdata()[0] == found.recommended_.size


def test_the_title_has_the_corrected_score(found):
    ax = comparison(found)
    assert f"{found.recommended_.score:.3f}" in ax.get_title("left")
    ax.figure.canvas.draw()


def test_frequencies_with_the_chosen_in_colour(found):
    ax = stability(found)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    chosen = {str(name) for name in found.recommended_.features}
    bars = dict(zip(names, ax.patches, strict=True))
    assert chosen <= set(names)
    colours = {bars[name].get_facecolor() for name in chosen}
    assert len(colours) == 1
    assert not colours & {bar.get_facecolor() for name, bar in bars.items() if name not in chosen}
    for column, share in zip(found.columns_["column"], found.columns_["frequency"], strict=True):
        if str(column) in bars:
            assert bars[str(column)].get_width() == share
    assert "5 of 5" in [text.get_text() for text in ax.texts]
    ax.figure.canvas.draw()


@pytest.mark.parametrize("draw", [comparison, stability])
def test_what_is_no_comparison_is_refused(draw):
    with pytest.raises(InputError, match="compare_selectors returns"):
        draw(object())


def test_without_half_samples_there_is_nothing_to_draw(found):
    from dataclasses import replace

    nothing = {name: [] for name in found.columns_}
    with pytest.raises(InputError, match="nothing to draw"):
        stability(replace(found, columns_=nothing))
