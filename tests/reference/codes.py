"""What the kernels of dictionary learning compute, one signal and one atom at a time."""

import itertools

import numpy as np


def lasso_code(x, D, alpha, positive=False, sweeps=1500):
    """argmin ½‖x − zD‖² + α‖z‖₁ by coordinate descent on the rows, until nothing moves."""
    z, r = np.zeros(len(D)), x.astype(float).copy()
    for _ in range(sweeps):
        moved = 0.0
        for j, d in enumerate(D):
            if not d @ d > 0:
                continue
            v = z[j] * (d @ d) + d @ r
            new = (max(v - alpha, 0) if positive else np.sign(v) * max(abs(v) - alpha, 0)) / (d @ d)
            r -= (new - z[j]) * d
            moved, z[j] = max(moved, abs(new - z[j])), new
        if moved < 1e-13:
            break
    return z


def lasso_value(x, z, D, alpha):
    return 0.5 * np.sum((x - z @ D) ** 2) + alpha * np.abs(z).sum()


def largest(q, n, positive=False):
    """The n largest |q| (largest q > 0), equal ones by lowest index; zeros left out."""
    size = np.maximum(q, 0) if positive else np.abs(q)
    kept = [j for j in sorted(range(len(q)), key=lambda j: (-size[j], j))[:n] if size[j] > 0]
    z = np.zeros(len(q))
    z[kept] = q[kept]
    return z


def residual_square(x, z, D):
    """‖x − zD‖² over the entries of x that are not NaN."""
    r = x - z @ D
    return float(np.sum(r[~np.isnan(x)] ** 2))


def refitted(x, support, D):
    """argmin ‖x − zD‖ over z with this support, by NumPy's least squares."""
    z = np.zeros(len(D))
    z[support] = np.linalg.lstsq(D[support].T, x, rcond=None)[0]
    return z


def ksvd_sweep(X, Z, D, positive=False):
    """Approximate K-SVD: d ← Eᵀz/‖Eᵀz‖, z ← E d, for one atom after the other, with the signals that use it."""
    Z, D = Z.copy(), D.copy()
    for j in range(len(D)):
        use = np.flatnonzero(Z[:, j])
        if not len(use):
            continue
        E = X[use] - Z[use] @ D + np.outer(Z[use, j], D[j])
        d = E.T @ Z[use, j]
        d /= np.linalg.norm(d)
        z = E @ d
        Z[use, j], D[j] = (np.maximum(z, 0) if positive else z), d
    return Z, D


def atom_descent(A, B, D):
    """d_j ← Π(d_j + (B_j − A_j D)/A_jj) for one atom after the other."""
    D = D.copy()
    for j in range(len(D)):
        if A[j, j] > 0:
            d = D[j] + (B[j] - A[j] @ D) / A[j, j]
            D[j] = d / max(1.0, np.linalg.norm(d))
    return D


def positive_omp(x, D, n_nonzero):
    """The atom of the largest positive correlation joins, z is the non-negative least squares fit: by all supports."""
    chosen = []
    z = np.zeros(len(D))
    while len(chosen) < n_nonzero:
        c = D @ (x - z @ D)
        c[chosen] = -np.inf
        if c.max() <= 1e-10 * np.linalg.norm(x):
            break
        chosen.append(int(c.argmax()))
        z = nonnegative_fit(x, D, chosen)
        chosen = [j for j in chosen if z[j] > 0]
    return z


def nonnegative_fit(x, D, support):
    """argmin ‖x − zD‖ over z ≥ 0 with this support: the best of the least squares fits that are ≥ 0."""
    best, best_value = np.zeros(len(D)), float(x @ x)
    for m in range(1, len(support) + 1):
        for some in itertools.combinations(support, m):
            fit = np.linalg.lstsq(D[list(some)].T, x, rcond=None)[0]
            z = np.zeros(len(D))
            z[list(some)] = fit
            value = np.sum((x - z @ D) ** 2)
            if fit.min() >= 0 and value < best_value:
                best, best_value = z, value
    return best
