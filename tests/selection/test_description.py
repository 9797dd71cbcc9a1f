"""Every search and every evaluation describes itself."""

import re

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer

from selection.set_functions import SetFunction
from tamis.selection import (
    CFS,
    MRMR,
    CrossValidated,
    Evaluation,
    Floating,
    Forward,
    InformationGain,
    LasVegasWrapper,
    LinearFit,
    MRMRSet,
    ReliefF,
    RReliefF,
    ScoreDescription,
    Search,
    SearchDescription,
    SubsetSelector,
    TreeSelector,
)
from tamis.selection.description import in_words
from tamis.selection.evaluation import EVALUATIONS
from tamis.selection.search import SEARCHES
from tamis.testing import check_evaluation, check_search
from tamis.testing.evaluations import check_words

NAMED = {
    **{name: kind() for name, kind in {**SEARCHES, **EVALUATIONS}.items()},
    "cross_validated": CrossValidated(LogisticRegression()),
}


@pytest.mark.parametrize("name", NAMED)
def test_each_is_described_in_its_own_class(name):
    """Not by the default, which knows the class's name only, and not by the words of another."""
    kind = type(NAMED[name])
    assert "describe" in vars(kind)
    words = NAMED[name].describe()
    assert kind.__name__ not in (words.does if isinstance(NAMED[name], Search) else words.is_)


@pytest.mark.parametrize(
    ("selector", "does", "ends"),
    [
        (LasVegasWrapper(LogisticRegression(), patience=7), "becomes the best", "after 7 draws in a row"),
        (LasVegasWrapper(LogisticRegression(), trials=9), "All columns come first", "after 9 draws."),
        (ReliefF(fdr=0.05), "rows nearest to it", "discovery rate of 0.05"),
        (RReliefF(n_samples=1234), "1,234 rows, drawn at random", "above the threshold"),
        (TreeSelector(), "A decision tree", "every column that a split uses"),
        (TreeSelector(RandomForestClassifier(), threshold=0.1), "Many trees", "importance is above"),
    ],
)
def test_selectors_that_are_no_search_describe_themselves_with_their_parameters(selector, does, ends):
    words = selector.describe()
    assert does in words.does
    assert ends in words.ends
    check_words(selector, words.name, words.does, words.ends, words.proves)


@pytest.mark.parametrize("registry", [SEARCHES, EVALUATIONS], ids=["searches", "evaluations"])
def test_no_two_have_the_same_words(registry):
    words = [kind().describe() for kind in registry.values()]
    assert len({one.name for one in words}) == len(registry)
    assert len({one.does if registry is SEARCHES else one.is_ for one in words}) == len(registry)


@pytest.mark.parametrize(("registry", "base"), [(SEARCHES, Search), (EVALUATIONS, Evaluation)])
def test_each_short_name_is_that_of_its_class(registry, base):
    for name, kind in registry.items():
        assert issubclass(kind, base)
        assert name.replace("_", "") == kind.__name__.lower()


def test_the_selector_lists_what_is_registered():
    listed = re.findall(r'"(\w+)"', SubsetSelector.__doc__.split("n_features :")[0])
    assert listed == [*SEARCHES, *EVALUATIONS, "aic", "bic"]
    assert max(map(len, SubsetSelector.__doc__.split("\n"))) <= 120


class Own(Evaluation):
    def prepare(self, source, *, n_jobs=None, steps=None):
        return None

    def score(self, state, subset):
        return float(len(subset))


class HalfGain(InformationGain):
    """Scores otherwise than the class above it."""

    def compare(self, state, sums):
        return super().compare(state, sums) / 2


class WithBins(InformationGain):
    """Scores as the class above it."""

    def __init__(self, n_bins=4):
        super().__init__(n_bins)


class InNats(HalfGain):
    def describe(self):
        return ScoreDescription("gain", "how many nats its columns tell", "nats")


class FirstColumns(Search):
    def run(self, p, stop, rng):
        low, _ = stop.bounds(p)
        subset = tuple(range(low))
        yield [subset]
        return subset


class Longer(Forward):
    def run(self, p, stop, rng):
        return (yield from super().run(p, stop, rng))


def test_who_says_nothing_is_called_by_the_class():
    assert Own().describe().name == "own"
    assert Own().describe().is_ == "what Own gives for it; higher is better"
    assert FirstColumns().describe().name == "first columns"
    assert "FirstColumns" in FirstColumns().describe().does


def test_words_are_inherited_while_they_are_true():
    assert WithBins().describe() == InformationGain().describe()
    assert HalfGain().describe().name == "half gain"
    assert HalfGain().describe().unit == ""
    assert InNats().describe().axis == "gain, nats"
    assert Longer().describe().name == "longer"
    assert type("Renamed", (Forward,), {})().describe() == Forward().describe()


def test_the_laws_notice_who_does_not_describe_itself():
    class Silent(Own):
        def describe(self):
            return ScoreDescription("", "")

    class Placeholder(Forward):
        def describe(self):
            return SearchDescription("forward", "It adds {n} columns.")

    check_search(type("Renamed", (Forward,), {})())
    with pytest.raises(AssertionError, match="Silent"):
        check_evaluation(Silent())
    with pytest.raises(AssertionError, match="Placeholder"):
        check_search(Placeholder())


@pytest.mark.parametrize("name", EVALUATIONS)
def test_no_score_is_above_what_it_can_be_at_most(name):
    """On a table where y is a copy of a column, which is the best there is."""
    y = np.repeat([0, 1], 20)
    X = np.column_stack((y, np.arange(40) % 4)).astype(float)
    evaluation = LinearFit(cv=[(np.arange(40), np.arange(40))]) if name == "linear_fit" else EVALUATIONS[name]()
    best = SubsetSelector("forward", evaluation, n_features=1).fit(X, y)
    most = {"target": 1.0}.get(evaluation.describe().most, evaluation.describe().most)
    if most is not None:
        assert best.selected_features_ == [0]
        assert best.score_ == pytest.approx(most, abs=1e-12)


def test_words_follow_the_arguments():
    assert LinearFit(criterion="bic").describe().name == "−BIC"
    assert LinearFit(scoring="neg_mean_squared_error").describe().name == "−mean squared error"
    assert MRMR(scheme="quotient").describe().unit == ""
    assert "those before it" in MRMR().describe().is_
    assert "two of them" in MRMRSet().describe().is_
    assert ", over the" in MRMRSet(scheme="quotient").describe().is_
    assert [kind(by="correlation").describe().numbers for kind in (MRMR, CFS)] == [True, True]
    assert "symmetric" in CFS().describe().is_
    assert "symmetric" not in CFS("correlation").describe().is_
    assert "starts with all columns" in Floating(direction="backward").describe().does
    learner = LogisticRegression()
    assert CrossValidated(learner).describe().name == "cross-validated score of LogisticRegression"
    auc = CrossValidated(learner, scoring="roc_auc")
    assert auc.describe().name == "cross-validated roc auc of LogisticRegression"
    own = CrossValidated(learner, scoring=make_scorer(lambda y, z: 0.0))
    assert own.describe().name == "cross-validated score of LogisticRegression"
    assert SetFunction().describe().name == "set function"
    assert [in_words(name) for name in ("MRMR", "InformationGain", "best_first")] == [
        "MRMR",
        "information gain",
        "best first",
    ]
