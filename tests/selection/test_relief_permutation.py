"""p-values of Relief: uniform where nothing is told, also beside columns that tell much, and the cut they give."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest
from sklearn.datasets import load_breast_cancer

from tamis import MultiSURF, ReliefF, RReliefF
from tamis.selection.relief import base as family
from tamis.selection.relief.permutation import benjamini_hochberg

RUNS = 200


def table(n, p, informative, strength, correlation, seed):
    """Half of the columns are discrete; those after ``informative`` know nothing of y or of the first ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    shared = np.repeat(rng.normal(size=(n, p // 5)), 5, axis=1)
    X = np.sqrt(1 - correlation) * X + np.sqrt(correlation) * shared
    X[:, 1::2] = np.digitize(X[:, 1::2], [-0.5, 0.5])
    y = rng.integers(0, 2, n)
    X[:, :informative] += strength * y[:, None]
    return X, y


@pytest.mark.parametrize("correlation", [pytest.param(0.0, marks=pytest.mark.deep), 0.6])
def test_p_values_are_uniform_where_nothing_is_told(correlation):
    """One column of each run: runs are independent, columns of a run need not be."""
    found = []
    for run in range(RUNS):
        X, y = table(60, 10, 0, 0.0, correlation, run)
        found.append(ReliefF(n_neighbors=5, n_permutations=40, random_state=run).fit(X, y).pvalues_[run % 10])
    assert kstest(found, "uniform").pvalue > 0.01


@pytest.mark.deep
@pytest.mark.parametrize("model", [MultiSURF(), RReliefF(n_neighbors=20)], ids=["MultiSURF", "RReliefF"])
def test_p_values_of_the_family_are_uniform(model):
    found = []
    for run in range(RUNS):
        X, y = table(60, 10, 0, 0.0, 0.3, 1000 + run)
        y = np.random.default_rng(run).normal(size=60) if isinstance(model, RReliefF) else y
        model.set_params(n_permutations=40, random_state=run)
        found.append(model.fit(X, y).pvalues_[run % 10])
    assert kstest(found, "uniform").pvalue > 0.01


@pytest.mark.parametrize("correlation", [pytest.param(0.0, marks=pytest.mark.deep), 0.5])
def test_few_of_the_selected_columns_tell_nothing(correlation):
    """Strong columns change who is near whom: shuffling the target alone would let far more than 10 % through."""
    nominal, runs = 0.1, 40
    false, missed = [], []
    for run in range(runs):
        X, y = table(150, 30, 10, 2.0, correlation, 5000 + run)
        chosen = np.array(
            ReliefF(fdr=nominal, n_permutations=30, random_state=run).fit(X, y).selected_features_, dtype=int
        )
        false.append((chosen >= 10).sum() / max(1, len(chosen)))
        missed.append(10 - (chosen < 10).sum())
    assert np.mean(false) <= nominal + 2 * np.std(false) / np.sqrt(runs)
    assert np.mean(missed) < 1


def test_columns_that_tell_nothing_do_not_shine_beside_strong_ones():
    """Real measurements with copies of some whose rows were shuffled. Shuffling the target alone gives nearly every
    such copy the lowest p-value there is."""
    X, y = load_breast_cancer(return_X_y=True)
    copies = X[np.random.default_rng(0).permutation(len(X))][:, ::3]
    found = ReliefF(n_permutations=30, random_state=0).fit(np.column_stack([X, copies]), y)
    assert kstest(found.pvalues_[30:], "uniform").pvalue > 0.01
    assert (found.pvalues_[:30] < 0.01).sum() > 15


def test_only_clear_columns_pass_and_the_best_comes_first():
    X, y = table(150, 20, 2, 3.0, 0.0, 1)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(20)])
    found = ReliefF(fdr=0.05, random_state=0).fit(frame, y)
    assert set(found.selected_features_[:2]) == {"c0", "c1"}
    assert found.pvalues_[:2].max() < 0.01
    again = ReliefF(fdr=0.05, random_state=0).fit(frame, y)
    np.testing.assert_array_equal(again.pvalues_, found.pvalues_)
    assert not hasattr(ReliefF().fit(frame, y), "pvalues_")
    assert len(ReliefF(n_permutations=10).fit(frame, y).pvalues_) == 20


def test_the_same_rows_are_asked_of_shuffled_tables(monkeypatch):
    rows_compared = []
    add_rows = family.add_rows

    def counted(accumulator, queries):
        rows_compared.append(queries)
        return add_rows(accumulator, queries)

    monkeypatch.setattr(family, "add_rows", counted)
    X, y = table(60, 10, 0, 0.0, 0.0, 3)
    ReliefF(n_samples=20, n_permutations=3, random_state=0).fit(X, y)
    assert len(rows_compared) == 4
    assert all(np.array_equal(rows, rows_compared[0]) for rows in rows_compared)


def test_constant_columns_and_gaps_have_p_values():
    X, y = table(60, 10, 1, 3.0, 0.0, 2)
    X[:, 5] = 1.0
    X[:10, 2] = np.nan
    found = ReliefF(n_permutations=20, random_state=0).fit(X, y)
    assert found.pvalues_[5] > 0.3
    assert found.pvalues_[2] > 0.05
    assert found.pvalues_[0] == found.pvalues_.min() < 0.05
    assert not np.isnan(found.pvalues_).any()


def test_the_rule_of_benjamini_and_hochberg():
    pvalues = np.array([0.9, 0.012, 0.001, 0.035, 0.02])
    assert benjamini_hochberg(pvalues, 0.05).tolist() == [2, 1, 4, 3]  # 0.035 ≤ 4/5 · 0.05
    assert benjamini_hochberg(pvalues, 0.004).tolist() == []
