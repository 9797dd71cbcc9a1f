"""
An XOR pair: what adding one column at a time cannot see
========================================================

Twelve binary columns, of which two decide the class: it is 1 when they differ. Each of the two alone tells nothing, so
a forward search has no reason to begin with either. A backward search, which starts from all columns, sees at once what
it would lose.
"""

import matplotlib.pyplot as plt

from tamis import SubsetSelector
from tamis.datasets import make_discrete_classification

problem = make_discrete_classification(400, 12, 2, 0, n_values=2, rule="xor", random_state=0)
print("relevant:", problem.relevant.tolist())

# %%
# Two searches, one evaluation
# ----------------------------
# Both maximise the information gain, and both end where the class is decided. Only one of them finds the pair.

searches = {name: SubsetSelector(search=name).fit(problem.data, problem.target) for name in ("forward", "backward")}
for name, selector in searches.items():
    print(f"{name:8s} {selector.selected_features_}  {selector.score_:.3f} bits")

# %%
# What the history says
# ---------------------
# Each dot is a subset that was scored, each line leads through those that were kept. The forward search climbs on
# chance alone: any column splits some rows unevenly, and the gain on the rows at hand never falls when one is added.

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for colour, (name, selector) in zip(("C1", "C0"), searches.items(), strict=True):
    size, score, kept = (selector.history_[column] for column in ("size", "score", "kept"))
    axis.scatter(size, score, s=9, color=colour, alpha=0.35)
    axis.plot(size[kept], score[kept], color=colour, label=f"{name}: kept")
axis.set(xlabel="columns in the subset", ylabel="information gain (bits)")
axis.legend()
plt.show()
