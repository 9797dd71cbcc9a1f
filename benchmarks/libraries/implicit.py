"""implicit: alternating least squares for counts of use, which weighs entries and takes zeros for known."""

from benchmarks.competitor import YARDSTICK, Competitor


class Completion(Competitor):
    """As many rounds as cmfrec's first; another objective, so that only its speed can be compared."""

    question, name, package, role = "completion", "implicit, 15 rounds", "implicit", YARDSTICK

    def prepare(self, data):
        import os

        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # it warns otherwise
        import numpy as np
        from implicit.als import AlternatingLeastSquares
        from scipy.sparse import csr_matrix

        self.X = csr_matrix((np.abs(data.values).astype(np.float32), (data.rows, data.columns)), shape=data.M.shape)
        self.model = AlternatingLeastSquares(
            factors=data.rank or 10, iterations=15, num_threads=self.threads, random_state=0
        )

    def run(self):
        self.model.fit(self.X, show_progress=False)

    def result(self):
        return self.model.user_factors @ self.model.item_factors.T
