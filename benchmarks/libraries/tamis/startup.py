"""The import and the command, from the start of the interpreter."""

import sys

from benchmarks import competitor
from benchmarks.competitor import OURS, YARDSTICK, Competitor


class Select(Competitor):
    """The command with one method."""

    question, name, package, role, module = "select", "tamis", "tamis", OURS, "tamis.cli"
    more: tuple[str, ...] = ("--method", "search")

    def prepare(self, data):
        self.report = data.report
        options = [str(data.table), "--target", data.target, "--out", str(data.report), *self.more]
        self.command = [sys.executable, "-m", "tamis", "select", *options]

    def run(self):
        import subprocess  # here: the import that is timed beside it may want it too

        self.report.unlink(missing_ok=True)
        done = subprocess.run(self.command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError((done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1])

    def result(self):
        return self.report.read_text() if self.report.exists() else ""


class SelectWithoutNested(Select):
    """Without the score in rows never used to choose."""

    name, role, more = "tamis select --no-nested", YARDSTICK, ("--method", "search", "--no-nested")


class ImportTime(competitor.ImportTime):
    """Names are loaded when first used."""

    name, package, role = "tamis", "tamis", OURS
