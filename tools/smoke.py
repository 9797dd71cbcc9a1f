"""Tries an installed wheel, away from the source tree: python smoke.py. Prints what was run; fails where it is wrong.

Core needs numpy, scipy and scikit-learn only; with the extra ``app`` installed, the command line is tried too.
"""

import importlib.util
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np


def core():
    import tamis
    from tamis._kernels import kernels

    assert tamis.__version__ == version("tamis")
    assert not Path(tamis.__file__).is_relative_to(Path(__file__).resolve().parents[1]), "this is the source tree"
    X = np.random.default_rng(0).normal(size=(200, 10))
    y = X[:, 0] - 2 * X[:, 3]
    model = tamis.LassoCV(cv=3).fit(X, y)
    assert {0, 3} <= set(np.flatnonzero(model.coef_))
    assert model.certificate_.verify(X, y).gap < 1e-6
    assert set(tamis.SubsetSelector(n_features=2).fit(X, y > 0).selected_features_) == {0, 3}
    assert tamis.PCA(2).fit_transform(X).shape == (200, 2)
    return (
        f"tamis {tamis.__version__}, kernels {kernels.__name__.rpartition('.')[2]}, from {Path(tamis.__file__).parent}"
    )


def command_line():
    if importlib.util.find_spec("typer") is None:
        return "the command line is not installed"
    with tempfile.TemporaryDirectory() as folder:
        for words in (["--version"], ["demo"]):
            subprocess.run([sys.executable, "-m", "tamis", *words], cwd=folder, check=True, capture_output=True)
        assert Path(folder, "tamis-report.html").stat().st_size > 10_000
    return "tamis --version, tamis demo"


if __name__ == "__main__":
    for part in (core, command_line):
        sys.stdout.write(f"{part()}\n")
