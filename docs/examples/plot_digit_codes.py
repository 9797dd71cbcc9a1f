"""
Codes that make a linear classifier work
========================================

Digits of 8 × 8 pixels: a linear classifier on the pixels, and on sparse codes of them, which it can separate better.
The dictionary is learned inside the folds, from training rows only.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

from tamis import OnlineDictionary

X, y = load_digits(return_X_y=True)
X = X / np.linalg.norm(X, axis=1, keepdims=True)

# %%
# Accuracy over five folds.

plain = make_pipeline(MaxAbsScaler(), LinearSVC(C=1.0))
coded = make_pipeline(
    OnlineDictionary(300, alpha=0.1, positive=True, max_iter=10, random_state=0), MaxAbsScaler(), LinearSVC(C=1.0)
)
for name, model in (("pixels", plain), ("sparse codes", coded)):
    scores = cross_val_score(model, X, y, cv=5)
    print(f"{name:13s} {scores.mean():.3f} ± {scores.std():.3f}")
