"""Relief: weights by near rows."""

from benchmarks.competitor import OURS, Estimator


class Weights(Estimator):
    """The weight of every column by ReliefF, unless another method is asked for."""

    name, package, role, module = "tamis", "tamis", OURS, "tamis.selection"

    def prepare(self, data):
        self.X, self.y, self.model = data.X, data.y, self.relieff(data.k)

    def relieff(self, k, *n_features, **options):
        from tamis import ReliefF

        return ReliefF(*n_features, n_neighbors=k, n_jobs=self.threads, **options)

    def result(self):
        return self.model.relevance_


class Relief(Weights):
    question = "relief"

    def prepare(self, data):
        from tamis import MultiSURF

        super().prepare(data)
        if data.method != "ReliefF":
            self.model = MultiSURF(n_jobs=self.threads)


class ReliefGenotypes(Weights):
    """Bytes as they are."""

    question = "relief_genotypes"


class ReliefTall(Weights):
    """Every row asked."""

    question = "relief_tall"
    n_samples = None

    def prepare(self, data):
        self.X, self.y = data.X, data.y
        self.model = self.relieff(data.k, len(data.relevant), n_samples=self.n_samples, random_state=0)

    def result(self):
        return self.answer(self.model.relevance_, self.model.n_samples_)


class ReliefTallSettled(ReliefTall):
    """Rows asked until the first columns are settled."""

    name = "tamis, n_samples='auto'"
    n_samples = "auto"


class ReliefGrowth(Weights):
    """``rows``, ``columns``: the shares of the table that it is given; ``asked``: the share of those rows asked."""

    question = "relief_growth"
    rows = columns = asked = 1.0

    def prepare(self, data):
        part = data.part(self.rows, self.columns)
        self.X, self.y = part.X, part.y
        n_samples = None if self.asked == 1 else round(self.asked * len(part.y))
        self.model = self.relieff(part.k, n_samples=n_samples, random_state=0)

    def result(self):
        return self.answer(self.model.relevance_, self.model.n_samples_, (self.rows, self.columns, self.asked))


class ReliefGrowthEighthAsked(ReliefGrowth):
    name, asked = "tamis, an eighth of the rows asked", 1 / 8


class ReliefGrowthHalfColumns(ReliefGrowth):
    name, columns = "tamis, half of the columns", 1 / 2


class ReliefGrowthHalfRows(ReliefGrowth):
    name, rows = "tamis, half of the rows", 1 / 2


class ReliefGrowthQuarterAsked(ReliefGrowth):
    name, asked = "tamis, a quarter of the rows asked", 1 / 4


class ReliefGrowthQuarterColumns(ReliefGrowth):
    name, columns = "tamis, a quarter of the columns", 1 / 4


class ReliefGrowthQuarterRows(ReliefGrowth):
    name, rows = "tamis, a quarter of the rows", 1 / 4


class ReliefGrowthSixteenthAsked(ReliefGrowth):
    name, asked = "tamis, a sixteenth of the rows asked", 1 / 16
