"""What stands on the axes of scree, scores, loadings and biplot."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_wine

from tamis import NMF, PCA, InputError, SparsePCA
from tamis.plots import biplot, loadings, scores, scree

mpl.use("agg")
WINE = load_wine(as_frame=True)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_scree_has_a_bar_for_each_direction_and_marks_those_kept():
    everything = PCA(None, standardize=True).fit(WINE.data).explained_variance_ratio_
    ax = scree(PCA(0.9, standardize=True).fit(WINE.data))
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], 100 * everything)
    assert len({bar.get_facecolor() for bar in ax.patches[:8]} | {ax.patches[8].get_facecolor()}) == 2
    np.testing.assert_allclose(ax.lines[0].get_ydata(), 100 * np.cumsum(everything))
    assert ax.lines[1].get_xdata()[0] == 8.5
    assert ax.get_title() == "K = 8, 92 % of the variance"
    sparse = SparsePCA(2, n_nonzero=3, standardize=True).fit(WINE.data)
    ax = scree(sparse)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], 100 * sparse.explained_variance_ratio_)
    assert len(ax.lines) == 1  # nothing beyond K is known
    with pytest.raises(InputError, match="explained_variance_ratio_"):
        scree(NMF(2).fit(WINE.data))


def test_scores_are_coloured_by_class_in_two_and_three_dimensions():
    pca = PCA(3, standardize=True).fit(WINE.data)
    Z = pd.DataFrame(pca.transform(WINE.data), columns=["a", "b", "c"])
    ax = scores(Z, WINE.target_names[WINE.target])
    assert [len(c.get_offsets()) for c in ax.collections] == np.bincount(WINE.target).tolist()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    assert [t.get_text() for t in ax.get_legend().get_texts()] == sorted(WINE.target_names)
    solid = scores(Z, ax=plt.figure().add_subplot(projection="3d"))
    assert solid.get_zlabel() == "c"
    new = scores(Z, WINE.target, dimensions=3)
    assert (new.get_xlabel(), new.get_zlabel(), len(new.collections)) == ("a", "c", 3)
    for wrong in (lambda: scores(Z.to_numpy()[:, :1]), lambda: scores(Z, [1, 2])):
        with pytest.raises(InputError):
            wrong()


def test_loadings_and_biplot_name_the_columns():
    model = SparsePCA(2, n_nonzero=3, standardize=True).fit(WINE.data)
    ax = loadings(model)
    np.testing.assert_allclose(ax.images[0].get_array(), model.components_.T)
    assert ax.get_yticklabels()[0].get_text() == "alcohol"
    ax = biplot(model, model.transform(WINE.data), WINE.target)
    words = {t.get_text() for t in ax.texts if t.get_text()}
    used = set(np.array(WINE.feature_names)[(model.components_ != 0).any(axis=0)])
    assert {w.rstrip("…") for w in words} <= {n[:23] for n in used} | used
    assert len(words) == len(used)
    with pytest.raises(InputError, match="two components"):
        biplot(SparsePCA(1).fit(WINE.data), np.zeros((178, 2)))
