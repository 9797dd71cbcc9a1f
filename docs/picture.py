"""Draws docs/picture.svg for the README: python docs/picture.py."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from tamis import LassoCV

mpl.rcParams.update({"svg.hashsalt": "tamis", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def draw_path(axis, model, names):
    """Coefficients in units of their column's spread; a grey line is a column the chosen model leaves out."""
    paths = model.coef_path_ * model.scale_
    heights = apart(paths[-1], model.coef_ != 0)
    for j, name in enumerate(names):
        chosen = model.coef_[j] != 0
        axis.plot(model.alphas_, paths[:, j], color=f"C{j}" if chosen else "0.82", linewidth=1.6 if chosen else 1)
        if chosen:
            end = (model.alphas_[-1], heights[j])
            axis.annotate(name, end, xytext=(4, -3), textcoords="offset points", color=f"C{j}")
    axis.axvline(model.alpha_, color="0.3", linestyle="--", linewidth=1)
    axis.set_ylabel("coefficient × spread of its column")
    axis.set(xscale="log", xlabel="alpha", title="Each column enters where its line leaves zero")


def apart(ends, chosen, least=3.5):
    """Heights for the names at the ends of the chosen lines, from the lowest up and never closer than ``least``."""
    heights, last = ends.copy(), -np.inf
    for j in sorted(np.flatnonzero(chosen), key=lambda j: ends[j]):
        heights[j] = last = max(ends[j], last + least)
    return heights


def draw_error(axis, model):
    mean = model.mse_path_.mean(axis=1)
    spread = model.mse_path_.std(axis=1, ddof=1) / np.sqrt(model.mse_path_.shape[1])
    axis.fill_between(model.alphas_, mean - spread, mean + spread, color="0.9", linewidth=0)
    axis.plot(model.alphas_, mean, color="black")
    axis.axvline(model.alpha_min_, color="0.3", linestyle=":", linewidth=1, label="least error")
    axis.axvline(model.alpha_1se_, color="0.3", linestyle="--", linewidth=1, label="one standard error: chosen")
    axis.set(xscale="log", xlabel="alpha", title="Cross-validated error, from the same pass")
    axis.legend(frameon=False, loc="upper center")


diabetes = load_diabetes(scaled=False)
model = LassoCV(rule="1se", standardize=True).fit(diabetes.data, diabetes.target)
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.4), layout="constrained")
draw_path(left, model, diabetes.feature_names)
draw_error(right, model)
for axis in (left, right):
    axis.invert_xaxis()
figure.savefig(Path(__file__).with_name("picture.svg"), metadata={"Date": None}, facecolor="white")
