"""All plots are one set: the same way to be called, words on the axes, legible, safe for colour-blind readers."""

from __future__ import annotations

import inspect
from itertools import combinations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import tamis
from tamis import plots
from tamis.plots.axes import PALETTE

mpl.use("agg")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 5))
X = np.c_[X, X[:, 0] + X[:, 1]]
y = X[:, 0] - X[:, 2] + 0.1 * RNG.normal(size=80)
CLASSES = np.where(y > 0, "yes", "no")
LEAST = 8  # points: what is smaller is not read at the size a figure is made in


def pca():
    return tamis.PCA(2).fit(X)


# One call for each public plot; ax and the rest go on as keywords.
CALLS = {
    "atoms": lambda **more: plots.atoms(RNG.normal(size=(6, 16)), **more),
    "biplot": lambda **more: plots.biplot(pca(), pca().transform(X), CLASSES, **more),
    "comparison": lambda **more: plots.comparison(compared(), **more),
    "cv_curve": lambda **more: plots.cv_curve(tamis.LassoCV(cv=3, alphas=20).fit(X, y), **more),
    "history": lambda **more: plots.history(tamis.SubsetSelector(n_features=3).fit(X, CLASSES), **more),
    "loadings": lambda **more: plots.loadings(pca(), **more),
    "low_rank_plus_sparse": lambda **more: plots.low_rank_plus_sparse(tamis.RobustPCA().fit(X), **more),
    "path": lambda **more: plots.path(tamis.LassoCV(cv=3, alphas=20).fit(X, y), **more),
    "phase": lambda **more: plots.phase(transition(), **more),
    "recovery": lambda **more: plots.recovery(recovered(), original=np.eye(1, 40, 3)[0], **more),
    "redundancy": lambda **more: plots.redundancy(tamis.find_redundant(X), **more),
    "relief": lambda **more: plots.relief(tamis.ReliefF(n_features=2).fit(X, CLASSES), **more),
    "scores": lambda **more: plots.scores(X, CLASSES, **more),
    "scree": lambda **more: plots.scree(pca(), **more),
    "stability": lambda **more: plots.stability(compared(), **more),
}
NAMED = {"loadings", "redundancy"}  # their ticks are names
PICTURES = {"atoms", "low_rank_plus_sparse"}  # have no axes to label


@pytest.fixture(scope="module", autouse=True)
def _remember():
    yield
    KEPT.clear()


KEPT = {}


def compared():
    if "compared" not in KEPT:
        KEPT["compared"] = tamis.compare_selectors(
            X, CLASSES, methods=["mrmr", "lasso"], estimator="linear", n_jobs=1, cv=3, n_repeats=1
        )
    return KEPT["compared"]


def transition():
    return tamis.phase_transition(30, [0.3, 0.6], [0.1, 0.5], recovery="omp", n_trials=2, random_state=0)


def recovered():
    A = RNG.normal(size=(25, 40)) / 5
    return tamis.recover(A, A[:, 3], method="omp", n_nonzero=1)


def test_every_public_plot_is_in_the_list():
    assert set(CALLS) == set(plots.__all__)


def axes_of(drawn):
    return list(np.ravel(np.asarray(drawn, dtype=object)))


@pytest.mark.parametrize("name", CALLS)
def test_axes_can_be_given_and_are_returned(name):
    assert "ax" in inspect.signature(getattr(plots, name)).parameters
    n = 3 if name == "low_rank_plus_sparse" else 1
    given = plt.subplots(1, n)[1]
    before = plt.get_fignums()
    assert axes_of(CALLS[name](ax=given)) == axes_of(given)
    assert plt.get_fignums() == before


@pytest.mark.parametrize("name", CALLS)
def test_words_are_there_and_large_enough(name):
    axes = axes_of(CALLS[name]())
    figure = axes[0].figure
    figure.canvas.draw()
    texts = [t for t in figure.findobj(mpl.text.Text) if t.get_visible() and t.get_text().strip()]
    assert texts
    small = {t.get_text(): t.get_fontsize() for t in texts if t.get_fontsize() < LEAST}
    assert not small
    if name not in PICTURES:
        assert all(ax.get_xlabel() or (name in NAMED and ax.get_xticklabels()) for ax in axes)


@pytest.mark.parametrize("name", CALLS)
def test_kinds_in_a_legend_are_told_apart_without_colours(name):
    """By a marker or a line style, or by colours that stay apart for those who see no red or no green."""
    axes = axes_of(CALLS[name]())
    looks = [look_of(handle) for ax in axes if (legend := ax.get_legend()) for handle in legend.legend_handles]
    for (one, a), (other, b) in combinations([look for look in looks if look], 2):
        assert one != other or distance(a, b) > 10, (name, one, a, b)


def look_of(handle):
    if hasattr(handle, "get_linestyle") and hasattr(handle, "get_marker"):
        style = (handle.get_linestyle(), handle.get_marker(), handle.get_markerfacecolor() == "none")
        colour = handle.get_color() if handle.get_linestyle() != "None" else handle.get_markeredgecolor()
        return style, colour
    if isinstance(handle, mpl.collections.PathCollection):
        return ("dots", handle.get_paths()[0].vertices.tobytes()), handle.get_facecolor()[0]
    return ("patch",), handle.get_facecolor() if hasattr(handle, "get_facecolor") else "black"


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB: no green cones, and no red ones.
SEEN = [
    np.eye(3),
    np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
]


def distance(a, b):
    """The least distance in CIE Lab of two colours as these three kinds of readers see them."""
    return min(float(np.linalg.norm(lab(a, seen) - lab(b, seen))) for seen in SEEN)


def lab(colour, seen):
    rgb = np.array(mpl.colors.to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(seen @ linear, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = to_xyz @ linear / np.array([0.9505, 1.0, 1.089])
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_the_measure_knows_bad_pairs():
    assert distance("#ff0000", "#00a000") < distance("#0072b2", "#d55e00")
    assert distance("#2ca02c", "#d62728") < 30  # matplotlib's green and red


@pytest.mark.parametrize("pair", list(combinations(PALETTE, 2)), ids="-".join)
def test_colours_of_the_palette_stay_apart(pair):
    assert distance(*pair) > 10
