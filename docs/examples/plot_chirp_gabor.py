"""
A chirp: sparse in a Gabor frame, not in time, not in frequency
===============================================================

A tone that rises passes all frequencies and is never zero. Cut into short pieces, each piece has one frequency: few
coefficients of a Gabor frame hold nearly all of it. They are enough to recover the chirp from half of its samples.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis.plots import recovery
from tamis.sensing import FISTA, CompressedSensor, Gabor, Samples, k_term

t = np.arange(512)
chirp = np.sin(2 * np.pi * (0.01 * t + 0.0002 * t**2)) * np.hanning(512)
gabor = Gabor(window=96)

# %%
# How many terms hold 99 % of the energy?
# ---------------------------------------

for name, basis in {"time": "identity", "cosines": "dct", "wavelets": "db4", "Gabor": gabor}.items():
    print(f"{name:9s}{k_term(chirp, basis, energy=0.99).n_terms:4d} terms")

# %%
# In a frame, coefficients are not unique, and the largest ones of the analysis are not the sparsest code: ℓ₁ finds a
# sparser one, also where only half of the samples are known.

sensor = CompressedSensor(Samples(0.5, random_state=0), gabor, FISTA(alpha=1e-5, tol=1e-6))
found = sensor.recover(sensor.measure(chirp))
sizes = np.sort(np.abs(found.code))[::-1]
enough = int(np.argmax(np.cumsum(sizes**2) > 0.99 * (sizes**2).sum())) + 1
print(f"{enough} coefficients hold 99 % of the code's energy")

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.2), layout="constrained")
coefficients = gabor.transform(512) @ chirp
sizes = np.abs(coefficients.reshape(-1, 96)[:, :48]).T
left.imshow(sizes, origin="lower", aspect="auto", extent=(0, 512, 0, 0.5), cmap="magma")
left.set(xlabel="sample", ylabel="frequency", title="the chirp in a Gabor frame")
recovery(found, right, original=chirp)
plt.show()
