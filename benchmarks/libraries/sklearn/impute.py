"""Imputers."""

import numpy as np

from benchmarks.competitor import Competitor


class _Imputer(Competitor):
    package, module = "scikit-learn", "sklearn"
    apart = True

    def fits(self, data):
        return data.rank is None

    def prepare(self, data):
        self.X = np.full(data.M.shape, np.nan)
        self.X[data.rows, data.columns] = data.values
        self.model = self.imputer()

    def run(self):
        self.found = self.model.fit_transform(self.X)

    def result(self):
        return self.found


class Iterative(_Imputer):
    """Ridge regressions of every column on the others, in turn."""

    question, name = "completion", "scikit-learn, IterativeImputer"

    def imputer(self):
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        return IterativeImputer(random_state=0)


class Nearest(_Imputer):
    """The mean of the five nearest rows."""

    question, name = "completion", "scikit-learn, KNNImputer"

    def imputer(self):
        from sklearn.impute import KNNImputer

        return KNNImputer()
