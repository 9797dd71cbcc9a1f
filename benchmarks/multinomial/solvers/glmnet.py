"""glmnet's Fortran through python-glmnet."""

from benchmarks.logistic.solvers import glmnet


class Solver(glmnet.Solver):
    def fits(self, data):
        return not data.rows

    def prepare(self, data):
        super().prepare(data)
        self.y = data.labels

    def result(self):
        return self.model.coef_path_.transpose(2, 0, 1), self.model.intercept_path_.T
