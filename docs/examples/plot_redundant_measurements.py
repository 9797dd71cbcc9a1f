"""
Thirty measurements of cells, of which some repeat others
=========================================================

The breast cancer data of scikit-learn describe cell nuclei by thirty numbers, among them radius, perimeter and area,
each as a mean over many cells, with its standard error, and for the worst cells. By geometry these should come close
to saying the same thing three times. Do they, and are they missed?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tamis import find_redundant
from tamis.plots import redundancy

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
learner = make_pipeline(StandardScaler(), LogisticRegression())
found = find_redundant(X, y, learner=learner, n_repeats=3)
print(found)

# %%
# The map
# -------
# None of the relations is exact, for nuclei are no discs: up to one percent of each column is its own.

redundancy(found)
plt.show()

# %%
# The area grows with the square of the radius, with a factor a little below π.

for name in ("mean area", "worst area"):
    relation = found.relations[name]
    print(f"{name} = {relation.intercept:.2f} · {relation.sources[0]} ^ {relation.coefficients[0]:.2f}")

# %%
# Without them
# ------------
# The columns that can go are missed neither one by one nor together: what the score loses is within its error.

print("dropped:", ", ".join(found.dropped))
print(f"together they cost {found.together.mean:.4f} ± {found.together.error:.4f} of {found.score:.3f}")
