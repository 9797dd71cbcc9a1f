"""Rows w ≥ 0 with x ≈ w H, one after the other and one coordinate after the other."""

import numpy as np


def nonnegative_rows(A, B, W, sweeps):
    """Sweeps of coordinate descent on ½ w B wᵀ − a wᵀ over w ≥ 0."""
    W = W.copy()
    for a, w in zip(A, W, strict=True):
        for _ in range(sweeps):
            for c in range(len(w)):
                if B[c, c] > 0:
                    w[c] = max(0.0, w[c] + (a[c] - B[c] @ w) / B[c, c])
                elif a[c] < 0:
                    w[c] = 0.0
    return W


def settled(a, B, w):
    """The minimum over the coordinates above zero; one that would fall below stops at zero, and the others go on."""
    w = w.copy()
    while (w > 0).any():
        F = np.flatnonzero(w > 0)
        step = np.linalg.solve(B[np.ix_(F, F)], (a - B @ w)[F])
        reach = np.where(step < 0, -w[F] / np.where(step < 0, step, -1.0), np.inf)
        w[F] += min(1.0, reach.min()) * step
        if reach.min() >= 1:
            break
        w[F[reach.argmin()]] = 0.0
    return w


def weighted_rows(X, M, H, W, l1, l2, sweeps):
    """The same on the normal equations of each row's observed entries, settled after every fourth sweep."""
    rows = []
    for x, m, w, a, b in zip(X, M, W, l1, l2, strict=True):
        Hm = H * m
        A, B = Hm @ np.where(m > 0, x, 0.0) - a, Hm @ H.T + b * np.eye(len(H))
        for sweep in range(sweeps):
            w = nonnegative_rows(A[None], B, w[None], 1)[0]
            w = settled(A, B, w) if sweep % 4 == 3 else w
        rows.append(w)
    return np.array(rows)


def kl_objective(x, m, w, H, l1, l2):
    """Σ m (z − x log z) + l1 Σ w + l2/2 Σ w²."""
    z = w @ H
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.where((x > 0) & (m > 0), x * np.log(z), 0.0)
    return float((m * (z - log)).sum() + l1 * w.sum() + 0.5 * l2 * w @ w)


def kl_newton_row(x, m, w, H, l1, l2):
    """One Newton step on w ≥ 0, halved until the objective falls."""
    z = np.maximum(w @ H, 1e-100)
    g = H @ (m - m * x / z) + l1 + l2 * w
    Q = (H * (m * x / z**2)) @ H.T + l2 * np.eye(len(w))
    u = w.copy()
    for _ in range(60):
        for c in range(len(u)):
            slope = g[c] + Q[c] @ (u - w)
            if Q[c, c] > 0:
                u[c] = max(0.0, u[c] - slope / Q[c, c])
            elif slope > 0:
                u[c] = 0.0
    now, t = kl_objective(x, m, w, H, l1, l2), 1.0
    while kl_objective(x, m, w + t * (u - w), H, l1, l2) > now and t > 1e-9:
        t /= 2
    return w + t * (u - w)
