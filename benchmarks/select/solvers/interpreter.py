"""Starting Python and importing what any such command needs."""

import subprocess
import sys

from benchmarks.competitor import YARDSTICK, Competitor


class Solver(Competitor):
    name, package, role = "python -c 'import sklearn.linear_model'", "scikit-learn", YARDSTICK
    module = "sklearn"

    def prepare(self, data):
        self.command = [sys.executable, "-c", "import sklearn.linear_model"]

    def run(self):
        subprocess.run(self.command, check=True)

    def result(self):
        return None
