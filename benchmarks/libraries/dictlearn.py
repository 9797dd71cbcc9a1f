"""dictlearn."""

from benchmarks.competitor import Competitor


class KSVD(Competitor):
    question, name, package, module = "ksvd", "dictlearn aksvd", "dictlearn", "dictlearn"
    algorithm = "aksvd"

    def prepare(self, data):
        import dictlearn

        self.X = data.X
        self.make = lambda sweeps: dictlearn.DictionaryLearning(
            len(data.D), fit_algorithm=self.algorithm, n_nonzero_coefs=data.n_nonzero, max_iter=sweeps, random_state=0
        )
        self.sweeps = data.sweeps
        self.make(1).fit(data.X[: 2 * len(data.D)])  # numba compiles at the first call

    def run(self):
        self.found = self.make(self.sweeps).fit(self.X)

    def result(self):
        return self.found.components_


class UpdatedKSVD(KSVD):
    name, algorithm = "dictlearn uaksvd", "uaksvd"


class ExactKSVD(KSVD):
    name, algorithm = "dictlearn ksvd", "ksvd"


class PlantedDictionary(Competitor):
    question, name, package, module = "planted_dictionary", "dictlearn aksvd", "dictlearn", "dictlearn"

    def prepare(self, data):
        import dictlearn

        self.rows = data.rows
        self.make = lambda seed: dictlearn.DictionaryLearning(
            50, fit_algorithm="aksvd", n_nonzero_coefs=data.n_nonzero, max_iter=data.sweeps, random_state=seed
        )

    def run(self):
        self.found = [self.make(seed).fit(X).components_ for seed, X in enumerate(self.rows)]

    def result(self):
        return self.answer(self.found)
