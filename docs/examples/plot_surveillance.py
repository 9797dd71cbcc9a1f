"""
What moves in a clip, by robust PCA and on a graph
==================================================

A camera looks at a still place while the light changes; somebody walks through. Frames are rows: the background is
their part of low rank, the walker the sparse part. With frames that follow each other as neighbours in a graph, the
background also has to change smoothly, which helps where much of the clip is spoilt.
"""

import matplotlib.pyplot as plt
import numpy as np

from tamis import GraphRobustPCA, RobustPCA
from tamis.plots import low_rank_plus_sparse

frames, height, width = 60, 30, 40
rng = np.random.default_rng(0)
y, x = np.mgrid[0:height, 0:width] / height
scene = 0.4 + 0.15 * np.sin(6 * x) * np.cos(5 * y) + 0.1 * rng.random((height, width))
light = 1 + 0.15 * np.sin(np.arange(frames) / 10)
clip = light[:, None, None] * scene
moving = np.zeros(clip.shape, bool)
for k in range(frames):
    left = int((width - 6) * k / frames)
    moving[k, 10:22, left : left + 6] = True
clip[moving] = 0.95
X, moving = clip.reshape(frames, -1), moving.reshape(frames, -1)


def f1(S):
    found = np.abs(S) > 0.1
    return 2 * (found & moving).sum() / (found.sum() + moving.sum())


model = RobustPCA(random_state=0).fit(X)
print(model.strategy_)
print(f"rank {model.rank_}, F1 of the foreground {f1(model.sparse_):.3f}")
low_rank_plus_sparse(model, row=30, shape=(height, width))

# %%
# Now 70 % of all pixels are lost to noise of full contrast, as in a bad transmission.
lost = rng.random(X.shape) < 0.7
noisy = np.where(lost, rng.random(X.shape), X)
steps = np.eye(frames, k=1) + np.eye(frames, k=-1)  # frames that follow each other
plain = RobustPCA().fit(noisy)
graph = GraphRobustPCA(row_graph=steps, max_iter=150, tol=1e-3).fit(noisy)
background = light[:, None] * scene.ravel()
figure, axes = plt.subplots(1, 4, figsize=(12, 2.8), layout="constrained")
pictures = {"noisy frame": noisy, "robust PCA": plain.low_rank_, "on a graph": graph.low_rank_, "truth": background}
for ax, (name, P) in zip(axes, pictures.items(), strict=True):
    ax.imshow(P[30].reshape(height, width), cmap="gray", vmin=0, vmax=1)
    error = np.linalg.norm(P - background) / np.linalg.norm(background)
    ax.set(title=name if name in ("noisy frame", "truth") else f"{name}, error {error:.2g}", xticks=[], yticks=[])
plt.show()
