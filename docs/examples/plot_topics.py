"""
Topics from counts of words
===========================

Which subjects is a collection of texts about? NMF with the Kullback–Leibler divergence, which is the likelihood of
counts, writes the words of every text as a sum of topics. The texts are the descriptions of scikit-learn's own
estimators, so that the right answer is known: they come from modules that have a subject each.
"""

import inspect
import re

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.utils import all_estimators

from tamis import NMF

# %%
# Counts
# ------
# Of the first paragraphs, up to the list of parameters, and the notes, without links and code; words that are in a
# third of all texts tell nothing. The table of counts is sparse and stays so.

texts, modules = [], []
for _, estimator in all_estimators():
    text = inspect.getdoc(estimator) or ""
    before, _, after = text.partition("Parameters\n")
    notes = after.partition("Notes\n")[2].partition("References\n")[0]
    texts.append(re.sub(r":[a-z:]+:`[^`]*`|>>>.*|sphx\S*", " ", before + notes))
    modules.append(estimator.__module__.split(".")[1])
counter = CountVectorizer(stop_words="english", token_pattern=r"[a-z]{4,}", min_df=4, max_df=0.33)
X = counter.fit_transform(texts).astype(float)
words = counter.get_feature_names_out()
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.1%} of the counts are not zero")

# %%
# Eight topics
# ------------
# Each row of ``components_`` is a topic; its largest entries are its words.

model = NMF(8, datafit="kl", n_restarts=5, random_state=0).fit(X)
W, H = model.transform(X), model.components_
names = []
for h in H / H.sum(axis=1, keepdims=True):
    top = [words[j] for j in np.argsort(-h)[:6]]
    names.append(f"{top[0]}, {top[1]}")
    print(", ".join(top))

# %%
# The modules that the topics come from
# -------------------------------------
# The share of each topic in the words of a module. Nobody told the model which text comes from where.

share = W * H.sum(axis=1)
share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-12)
large = [m for m in sorted(set(modules)) if modules.count(m) >= 6]
table = np.array([share[np.array(modules) == m].mean(axis=0) for m in large])
figure, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
image = ax.imshow(table, cmap="Blues", vmin=0, aspect="auto")
ax.set_yticks(range(len(large)), large)
ax.set_xticks(range(8), names, rotation=35, ha="right")
figure.colorbar(image, label="share of the words")
plt.show()

# %%
# Counts are not Gaussian
# -----------------------
# Squares are dominated by the few words with the largest counts; the divergence weighs a count by its own variance. How
# much the largest topic of a text tells about its module (adjusted mutual information: 0 is chance, 1 is all), over
# five starts each:

for datafit in ("kl", "squared"):
    told = []
    for seed in range(5):
        other = NMF(8, datafit=datafit, init="random", random_state=seed).fit(X)
        largest = (other.transform(X) * other.components_.sum(axis=1)).argmax(axis=1)
        told.append(adjusted_mutual_info_score(modules, largest))
    print(f"{datafit:8s} {np.mean(told):.2f} ± {np.std(told):.2f}")
