"""The import of scikit-learn, within an interpreter and with its start."""

import sys

from benchmarks import competitor
from benchmarks.competitor import YARDSTICK, Competitor


class Select(Competitor):
    """Starting Python and importing what any such command needs."""

    question, name, role = "select", "python -c 'import sklearn.linear_model'", YARDSTICK
    package, module = "scikit-learn", "sklearn"

    def prepare(self, data):
        self.command = [sys.executable, "-c", "import sklearn.linear_model"]

    def run(self):
        import subprocess  # here: the import that is timed beside it may want it too

        subprocess.run(self.command, check=True)

    def result(self):
        return None


class ImportTime(competitor.ImportTime):
    name, package, module = "sklearn.linear_model", "scikit-learn", "sklearn.linear_model"
