"""The lasso's path on all columns, each segment solved anew, ties taken one after the other."""

import numpy as np


def homotopy(A, y, lam=0.0, radius=0.0, weights=None):
    """(lams, s, r, q): λ of the kinks and of the end, and code, residual and direction there, of
    argmin ½‖y − A s‖² + λ Σ vⱼ|sⱼ| for λ from the first kink down to ``lam`` or to where ‖r‖ = ``radius``.
    """
    v = np.ones(A.shape[1]) if weights is None else weights
    at = float((np.abs(A.T @ y) / v).max())
    first, lams, E, sign, asleep, left = at, [at], [], np.zeros(len(v)), np.zeros(len(v), bool), -1
    E, sign[:] = _joined(A, E, int((np.abs(A.T @ y) / v).argmax()), sign, A.T @ y)
    asleep[E] = True
    for _ in range(10 * min(A.shape) + 100):
        X, weight = A[:, E], v[E] * sign[E]
        d, u = np.linalg.solve(X.T @ X, np.column_stack([weight, X.T @ y])).T
        s, q = u - at * d, X @ d
        r = y - X @ s
        c, a = A.T @ r, A.T @ q
        joins = np.where(asleep, np.inf, np.minimum(_meets(at * v - c, v - a, v), _meets(at * v + c, v + a, v)))
        if left >= 0 and joins[left] <= 1e-12 * first:
            joins[left] = np.inf
        leaves = np.where(sign[E] * d < 0, -s / np.where(d == 0, 1.0, d), np.inf)
        delta = max(min(joins.min(), leaves.min()), 0.0)
        stop = min(at - lam, _to_radius(r, q, radius))
        if stop <= delta + 1e-12 * first:
            whole = np.zeros(len(v))
            whole[E] = s + stop * d
            return np.array([*lams, at - stop]), whole, r - stop * q, q
        at -= delta
        lams.append(at)
        if leaves.min() < joins.min():
            left = E.pop(int(leaves.argmin()))
            asleep[left], sign[left] = False, 0.0
        else:
            j, left = int(joins.argmin()), -1
            asleep[j] = True
            E, sign = _joined(A, E, j, sign, c - delta * a)
    raise AssertionError("the path does not end")


def _joined(A, E, j, sign, c):
    X, x, sign = A[:, E], A[:, j], sign.copy()
    rest = x - X @ np.linalg.lstsq(X, x, rcond=None)[0] if E else x
    if len(E) == len(x) or rest @ rest <= 1e-13 * (x @ x):
        return E, sign
    sign[j] = np.sign(c[j])
    return [*E, j], sign


def _meets(gap, rate, v):
    return np.where(rate > 1e-11 * v, gap / np.where(rate > 1e-11 * v, rate, 1.0), np.inf)


def _to_radius(r, q, radius):
    roots = np.roots([q @ q, -2 * (q @ r), r @ r - radius**2]) if radius > 0 else np.zeros(0)
    real = roots[(np.abs(roots.imag) == 0) & (roots.real >= 0)].real
    return float(real.min()) if len(real) else np.inf
