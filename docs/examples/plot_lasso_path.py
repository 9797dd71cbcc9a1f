"""
A lasso path, its cross-validation, and its certificate
=======================================================

Ten measurements of 442 diabetes patients, and how far the disease had progressed a year later. Which measurements
matter, in which order do they enter, and how do we know the coefficients are right?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from tamis import LassoCV

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
# To the left every column is out; each line leaves zero where its column enters.

figure, (path, error) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
standardised = model.coef_path_ * model.scale_
for j, name in enumerate(names):
    chosen = model.coef_[j] != 0
    colour, label = (f"C{j}", name) if chosen else ("0.8", None)
    path.plot(model.alphas_, standardised[:, j], color=colour, label=label)
path.set(xscale="log", xlabel="alpha", ylabel="coefficient × spread of its column")
path.legend(fontsize="small")

mean = model.mse_path_.mean(axis=1)
spread = model.mse_path_.std(axis=1, ddof=1) / np.sqrt(model.mse_path_.shape[1])
error.fill_between(model.alphas_, mean - spread, mean + spread, color="0.9")
error.plot(model.alphas_, mean, color="black")
error.axvline(model.alpha_min_, color="C0", linestyle=":", label="least error")
error.axvline(model.alpha_1se_, color="C1", linestyle="--", label="one standard error")
error.set(xscale="log", xlabel="alpha", ylabel="cross-validated squared error")
error.legend()
for axis in (path, error):
    axis.invert_xaxis()
plt.show()

# %%
# The certificate
# ---------------
# No coefficients whatsoever make the objective smaller by more than the duality gap. ``verify`` recomputes it from the
# rows in plain NumPy.

print(f"claimed   {model.dual_gap_:.2e}")
print(f"verified  {model.certificate_.verify(X, y).gap:.2e}")
