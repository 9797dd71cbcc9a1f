"""
Killed, and taken up again
==========================

A search by a slow learner may run for days, and machines are switched off. With ``checkpoint=`` every subset that was
evaluated is recorded in a file; started again with the same data and arguments, the search goes on where it was.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt

# %%
# A slow search
# -------------
# The evaluation below takes an eighth of a second and writes down every subset it looks at. The search runs in a
# process of its own, so that it can be killed.

PROGRAM = """
import time
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from tamis import SubsetSelector
from tamis.selection import Evaluation
from tamis.sources import gather

class Slow(Evaluation):
    def prepare(self, source, *, n_jobs=None, steps=None):
        return gather(source)

    def score(self, block, subset):
        time.sleep(0.125)
        found = cross_val_score(Ridge(), block.X[:, list(subset)], block.y, cv=3).mean()
        with open("evaluated.txt", "a") as file:
            print(time.time(), *sorted(subset), file=file)
        return found

X, y = load_diabetes(return_X_y=True, as_frame=True)
selector = SubsetSelector("forward", Slow(), n_features=3, checkpoint="run.sqlite").fit(X, y)
print(len(selector.history_), "subsets,", selector.n_recalled_, "from the file:", selector.selected_features_)
"""

# %%
# Kill it, start it again
# -----------------------
# It is killed without a warning after twelve subsets, and started again with nothing but the same command.

with tempfile.TemporaryDirectory() as folder:
    written = Path(folder, "evaluated.txt")
    command = {"args": [sys.executable, "-c", PROGRAM], "cwd": folder}
    first = subprocess.Popen(**command)
    while not written.exists() or len(written.read_text().splitlines()) < 12:
        time.sleep(0.01)
    time.sleep(0.05)
    first.kill()
    first.wait()
    killed = time.time()
    print(subprocess.run(**command, capture_output=True, text=True, check=True).stdout)
    lines = [line.split() for line in written.read_text().splitlines()]

# %%
# Nothing was evaluated twice
# ---------------------------
# Each step is a subset that was looked at. The gap is the death of the first process and the start of the second, which
# asks the same questions again and has the first twelve answers at once.

subsets = [tuple(columns) for _, *columns in lines]
assert len(set(subsets)) == len(subsets)
seconds = [float(at) - float(lines[0][0]) for at, *_ in lines]
figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
axis.step(seconds, range(1, len(seconds) + 1), where="post")
axis.axvline(killed - float(lines[0][0]), color="0.3", linestyle="--", linewidth=1)
axis.annotate("killed", (killed - float(lines[0][0]), 1), xytext=(4, 0), textcoords="offset points", color="0.3")
axis.set(xlabel="seconds since the first", ylabel="subsets evaluated")
plt.show()
