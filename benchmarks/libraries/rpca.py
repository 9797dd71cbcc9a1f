"""rpca: accelerated alternating projections; the rank must be given, and columns are centred, which adds one to it."""

import contextlib
import io

from benchmarks.competitor import LADDER, Competitor


class RobustPCA(Competitor):
    question, name, package = "robust_pca", "rpca", "rpca"
    tolerances = LADDER[3:]
    apart = True

    def prepare(self, data):
        from rpca import RobustPCA

        self.X = data.X
        self.model = RobustPCA(n_components=data.rank + 1, tol=self.tol, max_iter=200)

    def run(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.model.fit(self.X)

    def result(self):
        return self.model.low_rank_ + self.model.mean_


class Video(RobustPCA):
    question = "video"
    tolerances = (1e-3,)

    def fits(self, data):
        return not data.online

    def prepare(self, data):
        from rpca import RobustPCA

        self.X = data.X
        self.model = RobustPCA(n_components=3, tol=self.tol, max_iter=50)

    def result(self):
        return abs(self.model.sparse_) > 0.05
