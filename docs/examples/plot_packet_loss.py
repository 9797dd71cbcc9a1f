"""
Packet loss
===========

Sect. 11.6 of the book asks whether a signal can be recovered though some packets were lost. A sound of a few
partials is sent in packets of 16 samples, and a third of them do not arrive. Which ones is known to the receiver.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis.plots import recovery
from tamis.sensing import OMP, CompressedSensor, Samples, Wavelet

rng = np.random.default_rng(1)
n = 1024
t = np.arange(n)
partials = ((1.0, 21, 0.3), (0.6, 42, 1.2), (0.4, 63, 2.0), (0.3, 84, 0.1))
x = sum(a * np.cos(2 * np.pi * k * t / n + p) for a, k, p in partials)

arrived = np.repeat(rng.random(n // 16) > 0.4, 16)
print(f"{100 * (1 - arrived.mean()):.0f} % of the samples are lost")

# %%
# Where the basis fits, everything comes back
# -------------------------------------------
# In the Fourier basis the sound has eight coefficients. In wavelets it has hundreds, and a lost packet is lost.

figure, axes = plt.subplots(2, 1, figsize=(8, 4.6), layout="constrained", sharex=True)
for axis, (name, basis) in zip(axes, {"Fourier": "fourier", "wavelets": Wavelet("db4")}.items(), strict=True):
    sensor = CompressedSensor(Samples(observed=arrived), basis, OMP(n_nonzero=8 if name == "Fourier" else 200))
    found = sensor.recover(sensor.measure(x))
    recovery(found, axis, original=x)
    axis.set_title(f"{name}: {axis.get_title()}")
    axis.fill_between(t, -2.5, 2.5, where=~arrived, color="0.92", zorder=0)
    axis.set(xlim=(0, 400), ylim=(-2.5, 2.5))
plt.show()
