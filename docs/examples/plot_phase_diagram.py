"""
The phase diagram: when does it succeed?
========================================

Random codes of length 100, measured by Gaussian matrices. Basis pursuit finds all of those below a curve and none above
it; the curve is known (Donoho and Tanner) for endless codes, and 100 is long enough to see it.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis.plots import phase
from tamis.sensing import coherence, donoho_tanner, guaranteed_sparsity, phase_transition

found = phase_transition(100, np.arange(1, 10) / 10, np.arange(1, 17) / 20, n_trials=8, random_state=0)
phase(found)
plt.show()

# %%
# Measured and proved
# -------------------
# The curve is about most codes. A guarantee for every code, by the coherence of the columns, is much more careful.

A = np.random.default_rng(0).standard_normal((50, 100))
print(f"coherence {coherence(A):.2f}: every code of {guaranteed_sparsity(A)} non-zeros is found")
print(f"Donoho and Tanner: most codes of up to {50 * donoho_tanner(0.5):.0f} non-zeros are found")
