"""What the homotopy kernel computes where no two events coincide: every segment solved anew."""

import numpy as np


def lars(G, q, alpha_min=0.0):
    """(alphas, coefs) at the kinks of argmin ½ wᵀGw − qᵀw + α‖w‖₁, from α_max down to alpha_min."""
    A, s = [int(np.abs(q).argmax())], [float(np.sign(q[np.abs(q).argmax()]))]
    alpha = np.abs(q).max()
    alphas, coefs = [alpha], [np.zeros(len(q))]
    while alpha > alpha_min:
        u, d = np.linalg.solve(G[np.ix_(A, A)], np.column_stack([q[A], s])).T
        b, a = q - G[:, A] @ u, G[:, A] @ d
        leave = {i: u[i] / d[i] for i in range(len(A)) if s[i] * d[i] < 0}
        join = {
            (j, t): t * b[j] / (1 - t * a[j]) for j in range(len(q)) for t in (1.0, -1.0) if j not in A and t * a[j] < 1
        }
        low = max(leave.values(), default=0.0), max(join.values(), default=0.0)
        alpha = max(alpha_min, *low)
        w = np.zeros(len(q))
        w[A] = u - alpha * d
        if alpha == low[0] > alpha_min:
            i = max(leave, key=leave.get)
            w[A[i]] = 0.0
            del A[i], s[i]
        elif alpha == low[1] > alpha_min:
            j, t = max(join, key=join.get)
            A, s = [*A, j], [*s, t]
        alphas.append(alpha)
        coefs.append(w)
    return np.array(alphas), np.array(coefs)
