"""
Las Vegas: random subsets for a learner
=======================================

A wrapper asks the learner itself which columns serve it. ``LasVegasWrapper`` draws subsets at random, each column with
probability ½, and keeps the one with the best cross-validated score, of equals the smallest.

Here the learner is nearest neighbours on chemical measurements of wine. It weighs all columns alike, in whatever units
they come, so columns that say little drown those that say much.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from tamis import LasVegasWrapper
from tamis.plots import history

X, y = load_wine(return_X_y=True, as_frame=True)
learner = KNeighborsClassifier()
print(f"all {X.shape[1]} columns: accuracy {cross_val_score(learner, X, y).mean():.3f}")

# %%
# Until luck runs out
# -------------------
# With ``patience=T`` it begins with nothing, so that its first draw is a success, and ends after T draws in a row that
# brought nothing better.

patient = LasVegasWrapper(learner, patience=100, random_state=1).fit(X, y)
print(f"{len(patient.history_)} subsets evaluated, accuracy {patient.score_:.3f}: {patient.selected_features_}")

# %%
# So many draws
# -------------
# With ``trials=T`` all columns are evaluated first and are the ones to beat; then T subsets are drawn, come what may.

counted = LasVegasWrapper(learner, trials=100, random_state=1).fit(X, y)
print(f"{len(counted.history_)} subsets evaluated, accuracy {counted.score_:.3f}: {counted.selected_features_}")

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for axis, wrapper, title in zip(axes, (patient, counted), ("patience=100", "trials=100"), strict=True):
    history(wrapper, ax=axis)
    axis.set_title(title, loc="left")
axes[1].set_ylabel("")
plt.show()

# %%
# When does it end?
# -----------------
# How long patience lasts is a matter of luck: each success starts the count anew. The best score so far, for eight
# seeds; a ring where each run ended.

figure, axis = plt.subplots(figsize=(7, 3.4), layout="constrained")
for seed in range(8):
    run = LasVegasWrapper(learner, patience=20, random_state=seed).fit(X, y)
    best = np.maximum.accumulate(run.history_["score"])
    (line,) = axis.step(range(1, len(best) + 1), best, where="post", linewidth=1)
    axis.plot(len(best), best[-1], "o", color=line.get_color(), markerfacecolor="none")
axis.set(xlabel="subsets evaluated", ylabel="best accuracy so far")
plt.show()

# %%
# Las Vegas or Monte Carlo
# ------------------------
# Two kinds of algorithms that draw have the names of two places to gamble. **Las Vegas** gives an answer that meets
# what was asked, or none; when it does is chance. **Monte Carlo** always answers in its time; whether the answer meets
# what was asked is chance. Given all the time there is, both come to a good one. They differ when time is short.
#
# With a time limit the wrapper is of the first kind: what it returns was evaluated, and if nothing was, it says so.
# Here time is up before the learner was fitted once: the answer is "no solution yet", all columns stay, and the score
# is not a number.

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    late = LasVegasWrapper(learner, time_limit=1e-6, random_state=1).fit(X, y)
print(said[0].message)
print(late.status_, late.score_, f"{late.support_.sum()} columns")

# %%
# The Monte Carlo way with as little time is to answer anyway: a subset that nobody has looked at. Twenty such answers
# scatter from worse than all columns to nearly the best, and nothing about an answer says which it is.

rng = np.random.default_rng(0)
members = [member for member in rng.random((20, X.shape[1])) < 0.5 if member.any()]
guesses = [cross_val_score(learner, X.loc[:, member], y).mean() for member in members]
figure, axis = plt.subplots(figsize=(7, 1.8), layout="constrained")
axis.plot(guesses, np.zeros(len(guesses)), "o", alpha=0.5, label="answers of Monte Carlo in no time")
axis.axvline(patient.score_, color="#009e73", label="Las Vegas, when it has one")
axis.set(xlabel="accuracy", yticks=[])
axis.legend(loc="upper left", ncols=2, fontsize=8)
axis.set_ylim(-0.5, 1.2)
plt.show()
