"""
Which words tell where a text comes from
========================================

Sparse logistic regression on word counts: a table with more columns than rows, and nearly all of it zeros. The texts
are the descriptions that come with scikit-learn's data sets, cut into pieces; the model is to tell from the words of a
piece which data set it describes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.feature_extraction.text import CountVectorizer

from tamis import SparseClassifierCV
from tamis.plots import cv_curve

# %%
# Counts
# ------
# Three lines of text make a row. The counts are a sparse CSR array and stay one: nothing here makes it dense.

loaders = {"iris": load_iris, "cancer": load_breast_cancer, "diabetes": load_diabetes, "digits": load_digits,
           "wine": load_wine}  # fmt: skip
pieces, labels = [], []
for name, load in loaders.items():
    lines = [line for line in load().DESCR.splitlines() if line.strip()]
    for start in range(0, len(lines), 3):
        pieces.append(" ".join(lines[start : start + 3]))
        labels.append(name)
vectorizer = CountVectorizer(binary=True, token_pattern=r"[a-z]{3,}")
X = vectorizer.fit_transform(pieces).astype(float)
words = vectorizer.get_feature_names_out()
print(f"{X.shape[0]} pieces, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.1%} of the counts are not zero")

# %%
# One model for five classes
# --------------------------
# More than two classes make it multinomial. Folds are stratified, the rule takes the least held-out log loss.

model = SparseClassifierCV(alphas=20, eps=0.1, cv=5).fit(X, np.array(labels))
kept = (model.coef_ != 0).any(axis=0)
print(f"{kept.sum()} of {len(words)} words; {model.strategy_}")
print(f"no coefficients have a log loss + penalty lower by more than {model.dual_gap_:.1e}")

# %%
# The error on pieces that were left out, and how many words it takes:

cv_curve(model)
plt.show()

# %%
# The words
# ---------
# The strongest words of each class.

figure, axes = plt.subplots(1, 5, figsize=(12, 3.2), layout="constrained", sharex=True)
for axis, label, w in zip(axes, model.classes_, model.coef_, strict=True):
    top = [j for j in np.argsort(-w)[:8] if w[j] > 0][::-1]
    axis.barh(words[top], w[top], color="#0072b2")
    axis.set_title(label)
    axis.spines[["top", "right"]].set_visible(False)
figure.supxlabel("coefficient: added to the score of the class where the word occurs")
plt.show()
