"""scikit-learn's dictionaries."""

from benchmarks.competitor import Competitor


class LassoCodes(Competitor):
    question, name, package, module = "lasso_codes", "scikit-learn lasso_lars", "scikit-learn", "sklearn"

    def prepare(self, data):
        from sklearn.decomposition import sparse_encode

        self.code, self.data = sparse_encode, data

    def run(self):
        self.found = self.code(
            self.data.X, self.data.D, algorithm="lasso_lars", alpha=self.data.alpha, max_iter=2000, n_jobs=1
        )

    def result(self):
        from scipy.sparse import csr_array

        return csr_array(self.found)


class OnlineDictionary(Competitor):
    question, name, package, module = "online_dictionary", "scikit-learn", "scikit-learn", "sklearn"

    def prepare(self, data):
        from sklearn.decomposition import MiniBatchDictionaryLearning

        self.X = data.X
        self.make = lambda: MiniBatchDictionaryLearning(
            len(data.D), alpha=data.alpha, max_iter=max(1, data.epochs // 20), batch_size=512, dict_init=data.D,
            tol=0.0, max_no_improvement=None, random_state=0,
        )  # fmt: skip

    def run(self):
        self.found = self.make().fit(self.X)

    def result(self):
        return self.found.components_
