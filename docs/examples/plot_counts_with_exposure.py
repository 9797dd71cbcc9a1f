"""
Counts with exposure
====================

Claims of insured cars: some were insured for a month, others for years. A Poisson model predicts the rate, and the
exposure enters as an offset, log(exposure), with a coefficient of 1.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis import SparseRegressor, sparse_path
from tamis.datafits import Poisson

rng = np.random.default_rng(2)
n, p = 2000, 30
X = rng.standard_normal((n, p))
true = np.zeros(p)
true[:4] = [0.5, -0.4, 0.3, 0.2]
exposure = rng.gamma(0.8, 1.5, n) * np.exp(0.6 * X[:, 5])  # years; older policies have more of column 5
claims = rng.poisson(exposure * np.exp(X @ true - 1.0))

# %%
# With and without the offset
# ---------------------------
# Column 5 says how long a car was insured and nothing about its risk. Without the offset it looks like a risk.

alpha = 0.02
with_offset = SparseRegressor("poisson", alpha=alpha).fit(X, claims, offset=np.log(exposure))
without = SparseRegressor("poisson", alpha=alpha).fit(X, claims)
for name, model in (("offset", with_offset), ("no offset", without)):
    print(f"{name:9s} keeps {np.flatnonzero(model.coef_).tolist()}; column 5: {model.coef_[5]:+.2f}")

# %%
# The same model by rates and weights, and its proof
# --------------------------------------------------
# A fit with an offset is that of the rates claims/exposure weighted by the exposure, so the duality gap can be
# verified from these.

print(f"gap {with_offset.dual_gap_:.1e}")
print(f"verified {with_offset.certificate_.verify(X, claims / exposure, sample_weight=exposure).gap:.1e}")

# %%
# Predicted and observed rates
# ----------------------------
# On new cars, in ten groups of equal size by the predicted rate: claims per year, with two standard errors.

new = rng.standard_normal((20_000, p))
years = rng.gamma(0.8, 1.5, len(new))
observed = rng.poisson(years * np.exp(new @ true - 1.0))
refit = SparseRegressor(Poisson(), alpha=alpha, relax=True).fit(X, claims, offset=np.log(exposure))
rate = refit.predict(new)
groups = np.array_split(np.argsort(rate), 10)
mean = np.array([np.average(rate[g], weights=years[g]) for g in groups])
seen = np.array([observed[g].sum() / years[g].sum() for g in groups])
error = np.array([2 * np.sqrt(observed[g].sum()) / years[g].sum() for g in groups])

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
path = sparse_path(X, claims, Poisson(), alphas=40, eps=0.02, offset=np.log(exposure))
left.plot(path.alphas, path.coefs[:, 4:], color="lightgray", lw=0.8)
for j in range(4):
    left.plot(path.alphas, path.coefs[:, j], color=f"C{j}")
    left.axhline(true[j], color=f"C{j}", ls=":", lw=1)
left.axvline(alpha, color="black", lw=0.8)
left.set(xscale="log", xlabel="α", ylabel="coefficient", title="the path; dotted: the truth")
left.invert_xaxis()
right.errorbar(mean, seen, error, fmt="o")
right.axline((0, 0), slope=1, color="black", lw=0.8)
right.set(xlabel="predicted claims per year", ylabel="observed claims per year", title="new cars, in ten groups")
plt.show()
