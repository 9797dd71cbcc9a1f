"""mrmr-selection, on a pandas frame."""

import os

from benchmarks.competitor import Competitor


class MrmrCorrelation(Competitor):
    question, name = "mrmr_correlation", "mrmr-selection mrmr_classif"
    package, module = "mrmr-selection", "mrmr"

    def prepare(self, data):
        import pandas as pd
        from mrmr import mrmr_classif

        self.mrmr, self.k, p = mrmr_classif, data.k, data.X.shape[1]
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if 8 * p**2 > memory / 2:  # filled page by page, it would take the machine with it
            raise MemoryError(f"it fills a table of p × p numbers, {8 * p**2 / 1e9:.0f} GB")
        self.X, self.y = pd.DataFrame(data.X), pd.Series(data.y)

    def run(self):
        self.found = self.mrmr(self.X, self.y, K=self.k, n_jobs=self.threads, show_progress=False)

    def result(self):
        return self.found
