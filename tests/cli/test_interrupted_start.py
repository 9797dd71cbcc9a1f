"""Ctrl-C before the work begins: one line and exit code 130, also while modules are imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

INTERRUPTED = """
import sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt

from tamis.cli import main
sys.meta_path.insert(0, Interrupting())
sys.exit(main(["select", "t.csv", "-t", "y"]))
"""


@pytest.mark.parametrize("module", ["typer", "rich", "tamis.cli.run", "tamis.cli.app", "tamis.cli.fit", "sklearn"])
def test_import_that_is_interrupted_is_one_line(module):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (130, "tamis: interrupted\n")
