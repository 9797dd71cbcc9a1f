"""Every evaluation on small drawn tables, against a few lines of plain Python."""

from __future__ import annotations

from collections import defaultdict
from math import fsum, log2, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor

from tamis.selection import (
    CFS,
    CMIM,
    MRMR,
    AdjustedRand,
    Consistency,
    CorrelationCoefficient,
    CrossValidated,
    Disagreement,
    FScore,
    GainRatio,
    InformationGain,
    JointInformation,
    Kappa,
    LinearFit,
    MRMRSet,
    QStatistic,
    SymmetricUncertainty,
    VariationOfInformation,
)
from tamis.sources import as_source
from tamis.stats.coded import code_source

CLOSE = 1e-9  # up to 30 rows and weights from 0.01 to 100: entropies are at least 1e-4 and known to 1e-13

# ---- tables ------------------------------------------------------------------------------------------------------


@st.composite
def labelled(draw, least=2):
    """A table of discrete columns (numbers, booleans, labels; missing values, constants, renamed copies), classes and
    weights: (X, y, weight)."""
    n, p = draw(st.integers(least, 30)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, draw(st.integers(2, 4)), n)
    columns = [_discrete(rng, draw(st.sampled_from(KINDS)), n, y) for _ in range(p)]
    if p > 1 and draw(st.booleans()):
        columns[-1] = -columns[0]
    X = np.column_stack(columns).astype(draw(st.sampled_from([np.float64, np.float32])))
    weight = draw(st.sampled_from(["none", "whole", "any"]))
    s = {"none": None, "whole": rng.integers(0, 4, n).astype(float), "any": np.exp(rng.uniform(-4.6, 4.6, n))}[weight]
    used = np.ones(n, bool) if s is None else s > 0
    assume(len(set(y[used].tolist())) > 1)
    return X, y, s


KINDS = ["few", "many", "constant", "missing", "hint", "target"]


def _discrete(rng, kind, n, y):
    if kind == "constant":
        return np.full(n, 0.1)
    if kind in ("hint", "target"):
        return np.where(rng.random(n) < (0.7 if kind == "hint" else 1.0), y, 9.0)
    column = rng.integers(0, n if kind == "many" else 3, n).astype(float)
    return np.where(rng.random(n) < 0.3, np.nan, column) if kind == "missing" else column


def as_frame(X):
    """The same columns as labels: missing ones stay missing."""
    return pd.DataFrame(
        {
            f"c{j}": pd.Series([None if np.isnan(v) else f"v{v:g}" for v in X[:, j]], dtype="object")
            for j in range(X.shape[1])
        }
    )


subsets = st.lists(st.integers(0, 4), min_size=1, max_size=5, unique=True)

# ---- counts, slowly ----------------------------------------------------------------------------------------------


class Slow:
    """Sums over cells of rows, each cell a value of a tuple of columns."""

    def __init__(self, X, y, weight):
        self.w = np.ones(len(y)) if weight is None else np.asarray(weight, float)
        self.columns = [["nan" if v != v else v for v in column] for column in np.asarray(X, float).T.tolist()]
        self.y, self.n = y.tolist(), fsum(self.w)

    def cells(self, *keys):
        found = defaultdict(list)
        for key, w in zip(zip(*keys, strict=True), self.w, strict=True):
            if w > 0:
                found[key].append(w)
        return [fsum(ws) for ws in found.values()]

    def H(self, *keys):
        return fsum(c / self.n * log2(self.n / c) for c in self.cells(*keys))

    def I(self, a, b):  # noqa: E743
        return self.H(*a) + self.H(*b) - self.H(*a, *b)

    def at(self, S):
        return [self.columns[j] for j in S]

    def pairs(self, S):
        together, columns, classes = (
            fsum(c * (c - 1) for c in self.cells(*keys)) for keys in ((*self.at(S), self.y), self.at(S), (self.y,))
        )
        return together, columns - together, classes - together, self.n * (self.n - 1) - columns - classes + together


def over(a, b, otherwise=0.0):
    return a / b if abs(b) > 1e-12 else otherwise


def ari(t, S):
    a, b, c, d = t.pairs(S)
    return over(2 * (a * d - b * c), (a + b) * (b + d) + (a + c) * (c + d), 1.0)


def q(t, S):
    a, b, c, d = t.pairs(S)
    return over(a * d - b * c, a * d + b * c)


def phi(t, S):
    a, b, c, d = t.pairs(S)
    return over(a * d - b * c, sqrt(max((a + b) * (c + d), 0)) * sqrt(max((a + c) * (b + d), 0)))


def disagreement(t, S):
    _, b, c, _ = t.pairs(S)
    return -(b + c) / (t.n * (t.n - 1))


def consistency(t, S):
    cells = defaultdict(lambda: defaultdict(list))
    for key, y, w in zip(zip(*t.at(S), strict=True), t.y, t.w, strict=True):
        cells[key][y].append(w)
    return fsum(max(fsum(ws) for ws in classes.values()) for classes in cells.values()) / t.n


def gain(t, S):
    return t.I(t.at(S), [t.y])


PARTITIONS = {
    InformationGain: gain,
    GainRatio: lambda t, S: over(gain(t, S), t.H(*t.at(S))),
    SymmetricUncertainty: lambda t, S: over(2 * gain(t, S), t.H(*t.at(S)) + t.H(t.y)),
    VariationOfInformation: lambda t, S: t.H(*t.at(S)) + t.H(t.y) - 2 * t.H(*t.at(S), t.y),
    Consistency: consistency,
}
OF_PAIRS_OF_ROWS = {
    AdjustedRand: ari,
    Kappa: ari,
    QStatistic: q,
    CorrelationCoefficient: phi,
    Disagreement: disagreement,
}


def check(evaluation, source, definition, S):
    """``score``, ``gains``, ``losses`` against the definition; S in its order."""
    state = evaluation.prepare(source)
    p = source.n_features
    assert evaluation.score(state, S) == pytest.approx(definition(S), abs=CLOSE, rel=CLOSE)
    rest = [j for j in range(p) if j not in S]
    if rest:
        expected = [definition((*S, j)) for j in rest]
        assert evaluation.gains(state, S, rest) == pytest.approx(expected, abs=CLOSE, rel=CLOSE)
    if len(S) > 1:
        expected = [definition(tuple(k for k in S if k != j)) for j in S]
        assert evaluation.losses(state, S, S) == pytest.approx(expected, abs=CLOSE, rel=CLOSE)
    alone = evaluation.gains(state, (), range(p))
    assert alone == pytest.approx([definition((j,)) for j in range(p)], abs=CLOSE, rel=CLOSE)


def within(S, p):
    S = tuple(j for j in S if j < p)
    assume(S)
    return S


@pytest.mark.parametrize("kind", [*PARTITIONS, *OF_PAIRS_OF_ROWS], ids=lambda kind: kind.__name__)
@settings(deadline=None)
@given(table=labelled(), S=subsets)
def test_partitions(kind, table, S):
    X, y, weight = table
    S = within(S, X.shape[1])
    slow = Slow(X, y, weight)
    if kind in OF_PAIRS_OF_ROWS:
        assume(weight is None or weight[weight > 0].min() >= 1)  # a cell of less than one row has no pairs
        assume(slow.n >= 2)
    definition = (PARTITIONS | OF_PAIRS_OF_ROWS)[kind]
    check(
        kind(task="classification"),
        as_source(X, y, sample_weight=weight, discrete="all"),
        lambda S: definition(slow, S),
        S,
    )


@pytest.mark.parametrize("kind", [*PARTITIONS, *OF_PAIRS_OF_ROWS], ids=lambda kind: kind.__name__)
@settings(deadline=None)
@given(table=labelled(), S=subsets)
def test_labels_score_as_their_numbers(kind, table, S):
    X, y, weight = table
    S = within(S, X.shape[1])
    assume(weight is None or weight[weight > 0].sum() >= 2)
    a, b = (as_source(T, t, sample_weight=weight, discrete="all") for T, t in ((X, y), (as_frame(X), y.astype(str))))
    evaluation = kind(task="classification")
    one, other = (evaluation.score(evaluation.prepare(source), S) for source in (a, b))
    assert one == pytest.approx(other, abs=CLOSE)


@pytest.mark.parametrize(
    "kind", [GainRatio, SymmetricUncertainty, QStatistic, CorrelationCoefficient, AdjustedRand, Kappa]
)
@settings(deadline=None)
@given(table=labelled())
def test_constants_score_exactly_nothing_and_nobody_more_than_one(kind, table):
    X, y, weight = table
    X = np.column_stack([X, np.full(len(y), 0.1)])
    assume(weight is None or weight[weight > 0].min() >= 1)
    evaluation = kind(task="classification")
    state = evaluation.prepare(as_source(X, y, sample_weight=weight, discrete="all"))
    scores = evaluation.gains(state, (), range(X.shape[1]))
    assert scores[-1] == 0.0
    assert (scores <= 1 + CLOSE).all()


# ---- pairs of columns --------------------------------------------------------------------------------------------


def related(t):
    p = len(t.columns)
    relevance = [t.I(t.at([j]), [t.y]) for j in range(p)]
    mutual = [[t.I(t.at([i]), t.at([j])) for j in range(p)] for i in range(p)]
    joint = [[t.I(t.at([i, j]), [t.y]) for j in range(p)] for i in range(p)]
    return relevance, mutual, joint


def mean(values):
    values = list(values)
    return fsum(values) / len(values)


def two(S):
    return [(i, j) for k, i in enumerate(S) for j in S[:k]]


def against(quotient):
    return (lambda r, m: r / m) if quotient else (lambda r, m: r - m)


def mrmr(t, S, quotient):
    relevance, mutual, _ = related(t)
    floor = 1e-3 if quotient else 0.0
    later = (
        against(quotient)(relevance[j], mean(max(mutual[j][s], floor) for s in S[:k])) for k, j in enumerate(S) if k
    )
    return relevance[S[0]] + fsum(later)


def mrmr_set(t, S, quotient):
    relevance, mutual, _ = related(t)
    floor = 1e-3 if quotient else 0.0
    R = mean(relevance[j] for j in S)
    return R if len(S) == 1 else against(quotient)(R, mean(max(mutual[i][j], floor) for i, j in two(S)))


def jmi(t, S):
    relevance, _, joint = related(t)
    return relevance[S[0]] if len(S) == 1 else mean(joint[i][j] for i, j in two(S))


def cmim(t, S):
    relevance, _, joint = related(t)
    return relevance[S[0]] + fsum(min(joint[j][s] - relevance[s] for s in S[:k]) for k, j in enumerate(S) if k)


def cfs(t, S):
    def su(a, b):
        return over(2 * t.I([a], [b]), t.H(a) + t.H(b))

    R = fsum(su(t.columns[j], t.y) for j in S)
    P = fsum(su(t.columns[i], t.columns[j]) for i, j in two(S))
    return R / sqrt(len(S) + 2 * P)


PAIRS = [
    (MRMR(task="classification"), lambda t, S: mrmr(t, S, False)),
    (MRMR(scheme="quotient", task="classification"), lambda t, S: mrmr(t, S, True)),
    (MRMRSet(task="classification"), lambda t, S: mrmr_set(t, S, False)),
    (MRMRSet(scheme="quotient", task="classification"), lambda t, S: mrmr_set(t, S, True)),
    (JointInformation(task="classification"), jmi),
    (CMIM(task="classification"), cmim),
    (CFS(task="classification"), cfs),
]


@pytest.mark.parametrize(
    "evaluation, definition", PAIRS, ids=lambda part: str(part) if hasattr(part, "prepare") else ""
)
@settings(deadline=None)
@given(table=labelled(), S=subsets)
def test_pairs_of_columns(evaluation, definition, table, S):
    X, y, weight = table
    S = within(S, X.shape[1])
    slow = Slow(X, y, weight)
    check(evaluation, as_source(X, y, sample_weight=weight, discrete="all"), lambda S: definition(slow, S), S)


# ---- continuous columns ------------------------------------------------------------------------------------------


@st.composite
def continuous(draw, least=2):
    """(X, y, weight): numbers of very different size, constants, copies; a target of classes or of numbers."""
    n, p = draw(st.integers(least, 30)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    classes = draw(st.booleans())
    y = rng.integers(0, 3, n).astype(float) if classes else rng.normal(size=n) * 10.0 ** draw(st.integers(-3, 3))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 4, p) + 10.0 ** rng.integers(-2, 5, p)
    for j in range(p):
        kind = draw(st.sampled_from(["noise", "constant", "copy", "target", "rounded"]))
        if kind == "constant":
            X[:, j] = 0.1
        elif kind == "copy":
            X[:, j] = -3 * X[:, 0] + 1
        elif kind == "target":
            X[:, j] = y + rng.normal(size=n)
        elif kind == "rounded":
            X[:, j] = np.round(rng.normal(size=n))
    s = draw(st.sampled_from([None, rng.integers(1, 4, n).astype(float), rng.uniform(0.5, 2, n)]))
    assume(len(set(y.tolist())) > 1)
    return X, y, s, classes


@pytest.mark.parametrize("kind", [InformationGain, GainRatio, CFS, JointInformation], ids=lambda kind: kind.__name__)
@settings(deadline=None)
@given(table=continuous(), S=subsets, bins=st.sampled_from(["auto", "mdl", "quantile"]))
def test_binned_columns_score_as_their_codes(kind, table, S, bins):
    X, y, weight, classes = table
    S = within(S, X.shape[1])
    task = "classification" if classes else "regression"
    source = as_source(X, y, sample_weight=weight, discrete="none")
    coded = code_source(source, task=task, n_bins=4, bins=bins)
    assume(coded.n_classes > 1)
    slow = Slow(coded.codes.T, coded.y, weight)
    definition = {**PARTITIONS, CFS: cfs, JointInformation: jmi}[kind]
    check(kind(n_bins=4, task=task, bins=bins), source, lambda S: definition(slow, S), S)


def explained(X, y, w, classes):
    """Per column: the share of its variance that the classes, or a line on y, explain; 0 for a constant."""
    w = np.ones(len(y)) if w is None else w
    out = []
    for x in X.T:
        m = np.average(x, weights=w)
        total = np.sum(w * (x - m) ** 2)
        if np.ptp(x) == 0:
            out.append(0.0)
        elif classes:
            means = {k: np.average(x[y == k], weights=w[y == k]) for k in set(y.tolist())}
            out.append(sum(w[y == k].sum() * (means[k] - m) ** 2 for k in means) / total)
        else:
            e = y - np.average(y, weights=w)
            out.append(np.sum(w * (x - m) * e) ** 2 / total / np.sum(w * e**2))
    return np.array(out)


@settings(deadline=None)
@given(table=continuous(least=6), S=subsets)
def test_f_scores(table, S):
    X, y, weight, classes = table
    S = within(S, X.shape[1])
    n, K = len(y) if weight is None else weight.sum(), len(set(y.tolist())) if classes else 2
    assume(n > K)
    share = explained(X, y, weight, classes)
    assume((share < 1 - 1e-6).all())  # beyond that F is the rounding of 1 − η²
    F = share * (n - K) / (1 - share) / (K - 1)
    evaluation = FScore("classification" if classes else "regression")
    state = evaluation.prepare(as_source(X, y, sample_weight=weight))
    near = {"rel": 1e-6, "abs": 1e-8}  # means up to 1e7 standard deviations from 0 cost half of the digits
    assert evaluation.score(state, S) == pytest.approx(F[list(S)].sum(), **near)
    assert evaluation.gains(state, (), range(X.shape[1])) == pytest.approx(F, **near)


@pytest.mark.parametrize("learner, model", [(LinearRegression(), "ols"), (Ridge(), "ridge")], ids=["ols", "ridge"])
@pytest.mark.parametrize("scoring", ["r2", "neg_mean_squared_error"])
@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(6, 30), p=st.integers(1, 5), S=subsets, folds=st.integers(2, 3))
def test_least_squares_score_as_scikit_learn(learner, model, scoring, seed, n, p, S, folds):
    S = within(S, p)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.1, 9, p) + rng.uniform(-5, 5, p)
    if p > 1 and rng.random() < 0.5:
        X[:, -1] = rng.choice([0.0, 1.0]) * X[:, 0] + 0.1
    y = X[:, 0] + rng.normal(size=n)
    cv = KFold(folds)

    def definition(S):
        return cross_val_score(learner, X[:, list(S)], y, cv=cv, scoring=scoring).mean()

    evaluation = LinearFit(model, cv=cv, scoring=scoring)
    state = evaluation.prepare(as_source(X, y))
    near = {"rel": 1e-6, "abs": 1e-6}  # scikit-learn's own solution of nearly dependent columns
    assert evaluation.score(state, S) == pytest.approx(definition(S), **near)
    rest = [j for j in range(p) if j not in S]
    if rest:
        assert evaluation.gains(state, S, rest) == pytest.approx([definition((*S, j)) for j in rest], **near)
    if len(S) > 1:
        expected = [definition(tuple(k for k in S if k != j)) for j in S]
        assert evaluation.losses(state, S, S) == pytest.approx(expected, **near)


@settings(deadline=None)
@given(table=continuous(least=6), S=subsets)
def test_a_learner_scores_as_by_scikit_learn(table, S):
    X, y, _, _ = table
    S = within(S, X.shape[1])
    evaluation = CrossValidated(KNeighborsRegressor(2), cv=3, scoring="neg_mean_squared_error")
    state = evaluation.prepare(as_source(X, y), n_jobs=1)
    expected = cross_val_score(KNeighborsRegressor(2), X[:, list(S)], y, cv=3, scoring="neg_mean_squared_error")
    (answer,) = evaluation.score_subsets(state, [S])
    assert answer.score == pytest.approx(expected.mean(), rel=CLOSE)
    assert answer.spread == pytest.approx(expected.std(), rel=1e-6, abs=CLOSE)
