"""Ours, as typed."""

import subprocess
import sys

from benchmarks.competitor import OURS, Competitor


class Solver(Competitor):
    name, package, role, module = "tamis", "tamis", OURS, "tamis.cli"

    def prepare(self, data):
        self.report = data.report
        self.command = [
            sys.executable,
            "-m",
            "tamis",
            "select",
            str(data.table),
            "--target",
            data.target,
            "--out",
            str(data.report),
        ]

    def run(self):
        self.report.unlink(missing_ok=True)
        self.exit_code = subprocess.run(self.command, capture_output=True, check=False).returncode

    def result(self):
        report = self.report.read_text() if self.report.exists() else ""
        return self.exit_code, report
