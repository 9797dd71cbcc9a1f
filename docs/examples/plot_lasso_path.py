"""
A lasso path, its cross-validation, and its certificate
=======================================================

Ten measurements of 442 diabetes patients, and how far the disease had progressed a year later. Which measurements
matter, in which order do they enter, and how do we know the coefficients are right?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from tamis import LassoCV, plots

diabetes = load_diabetes(scaled=False)
X, y, names = diabetes.data, diabetes.target, diabetes.feature_names

# %%
# One fit
# -------
# ``standardize=True`` penalises every column as if it had unit spread; coefficients are given back in the units of the
# table. The rule "1se" takes the sparsest model within one standard error of the best.

model = LassoCV(cv=5, rule="1se", standardize=True).fit(X, y)
for j in np.flatnonzero(model.coef_):
    print(f"{names[j]:4s} {model.coef_[j]:8.3f}")

# %%
# The path and the error
# ----------------------
# To the left every column is out; each line leaves zero where its column enters. Grey columns enter after the α that
# was chosen.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
plots.path(model, left, names=names)
plots.cv_curve(model, right)
plt.show()

# %%
# The certificate
# ---------------
# No coefficients whatsoever make the objective smaller by more than the duality gap. ``verify`` recomputes it from the
# rows in plain NumPy.

print(f"claimed   {model.dual_gap_:.2e}")
print(f"verified  {model.certificate_.verify(X, y).gap:.2e}")
