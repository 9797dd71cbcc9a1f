"""ksvd."""

from benchmarks.competitor import Competitor


class KSVD(Competitor):
    question, name, package, module = "ksvd", "ksvd", "ksvd", "ksvd"

    def prepare(self, data):
        import numpy as np
        from ksvd import ApproximateKSVD

        np.random.seed(0)  # noqa: NPY002
        self.X = data.X
        self.make = lambda: ApproximateKSVD(
            len(data.D), max_iter=data.sweeps, tol=0.0, transform_n_nonzero_coefs=data.n_nonzero
        )

    def run(self):
        self.found = self.make().fit(self.X)

    def result(self):
        return self.found.components_
