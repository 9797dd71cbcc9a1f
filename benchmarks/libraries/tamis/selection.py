"""Selectors: a search, an evaluation, and their rounds."""

from benchmarks.competitor import OURS, Estimator
from benchmarks.overhead import SingleThread


class Selector(Estimator):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"

    def forward(self, data, evaluation, **options):
        from tamis.selection import SubsetSelector

        self.X, self.y = data.X, data.y
        options = {"n_jobs": self.threads} | options
        self.model = SubsetSelector("forward", evaluation, n_features=data.k, **options)


class InformationGain(Selector):
    """The function."""

    question = "information_gain"

    def prepare(self, data):
        from tamis.selection import information_gain

        self.gain, (self.X, self.y) = information_gain, data

    def run(self):
        self.bits = self.gain(self.X, self.y, discrete=True)

    def result(self):
        return self.bits


class InformationGainSelector(Selector):
    """The whole selector, with its checks and its history."""

    question, name = "information_gain", "tamis SubsetSelector(search='ranking')"

    def prepare(self, data):
        from tamis.selection import SubsetSelector

        self.X, self.y = data
        self.model = SubsetSelector(search="ranking", n_features=self.X.shape[1] // 10, discrete=True)

    def result(self):
        return self.model.scores_


class GainSearch(Selector):
    """``rows``, ``columns``: the shares of the table that it is given."""

    question = "gain_search"
    rows = columns = 1.0

    def prepare(self, data):
        from tamis.selection import InformationGain

        self.forward(data.part(self.rows, self.columns), InformationGain(), discrete=True)

    def result(self):
        return self.answer(self.model.selected_features_, self.model.score_, (self.rows, self.columns))


class GainSearchHalfColumns(GainSearch):
    name, columns = "tamis, half of the columns", 1 / 2


class GainSearchHalfRows(GainSearch):
    name, rows = "tamis, half of the rows", 1 / 2


class GainSearchQuarterColumns(GainSearch):
    name, columns = "tamis, a quarter of the columns", 1 / 4


class GainSearchQuarterRows(GainSearch):
    name, rows = "tamis, a quarter of the rows", 1 / 4


class MrmrDiscrete(Selector):
    """The information of every column is the score of its first round."""

    question = "mrmr_discrete"

    def prepare(self, data):
        from tamis.selection import MRMR

        self.forward(data, MRMR(), discrete=True)

    def result(self):
        return self.answer(self.model.selected_features_, self.model.scores_)


class MrmrCorrelation(Selector):
    """By the quotient that the others know."""

    question = "mrmr_correlation"

    def prepare(self, data):
        from tamis.selection import MRMR

        self.forward(data, MRMR(by="correlation", scheme="quotient"))

    def result(self):
        return self.model.selected_features_


class ForwardLinear(Selector):
    """In closed form from the folds' Gram matrices."""

    question = "forward_linear"

    def prepare(self, data):
        from tamis.selection import LinearFit

        self.forward(data, LinearFit())

    def result(self):
        return self.answer(self.model.selected_features_, self.model.score_)


class WrapperOverhead(SingleThread, Selector):
    """Around any learner."""

    question = "wrapper_overhead"

    def prepare(self, data):
        from tamis.selection import CrossValidated

        self.forward(data, CrossValidated(data.learner, cv=data.splits), n_jobs=1)

    def result(self):
        m = self.model
        return self.answer(m.selected_features_, m.score_, len(m.history_))


class LasVegasOverhead(WrapperOverhead):
    question = "lasvegas_overhead"
    seed = 0

    def prepare(self, data):
        from tamis.selection import LasVegasWrapper

        self.X, self.y = data.X, data.y
        options = {"cv": data.splits, "n_jobs": 1, "random_state": self.seed}
        self.model = LasVegasWrapper(data.learner, patience=data.patience, **options)
