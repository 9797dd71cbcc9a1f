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
        done = subprocess.run(self.command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError((done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1])

    def result(self):
        return self.report.read_text() if self.report.exists() else ""
