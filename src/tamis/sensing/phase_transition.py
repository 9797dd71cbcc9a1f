"""How many non-zeros are found: the share of random problems a recovery solves, over (δ, ρ) = (m/n, k/m)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize
import scipy.special
from sklearn.base import clone

from tamis._core.checks import as_object, check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Status
from tamis._core.random import as_rng
from tamis._core.threads import blas_threads, free_thread, thread_count
from tamis._kernels.interruption import InterruptibleThreads
from tamis.sensing.l1_transition import l1_transition
from tamis.sensing.measurements import Measurement, as_measurement
from tamis.sensing.recoveries import RECOVERIES, RecoveryMethod
from tamis.solvers.iteration_limits import IterationLimits


@dataclass(frozen=True)
class PhaseTransition:
    """The share of problems solved at each δ and ρ.

    Attributes
    ----------
    n : int
        Length of the codes.
    delta : (d,)
        m/n as it was, of whole numbers.
    rho : (d, r)
        k/m as it was, of whole numbers.
    success : (d, r)
        Share of the trials with ‖ŝ − s‖ ≤ error · ‖s‖; NaN where none was run in time.
    trials : (d, r)
        How many were run.
    line : (d,)
        ρ at which half of the problems are solved, by a logistic curve through each row; NaN where all or none are.
    theory : (d,)
        Donoho and Tanner's ρ for ℓ₁ as n grows.
    status : Status
    """

    n: int
    delta: np.ndarray
    rho: np.ndarray
    success: np.ndarray
    trials: np.ndarray
    line: np.ndarray
    theory: np.ndarray
    status: Status


def phase_transition(
    n: int = 200,
    delta: Any = None,
    rho: Any = None,
    *,
    recovery: Any = "basis_pursuit",
    measurement: Any = "gaussian",
    n_trials: int = 20,
    amplitudes: str = "gaussian",
    error: float = 1e-3,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> PhaseTransition:
    """Measure which share of random problems a recovery solves, for several δ = m/n and ρ = k/m.

    For ℓ₁ and Gaussian measurements the share falls from 1 to 0 along the curve of `donoho_tanner`, the more sharply
    the larger n is.

    Parameters
    ----------
    n : int
        Length of the codes.
    delta, rho : array or None
        Values in (0, 1]; None: 0.1, 0.2, …, 0.9 and 0.05, 0.1, …, 0.95.
    recovery : str or RecoveryMethod
        As for `CompressedSensor`; those that ask for the number of non-zeros are told it.
    measurement : str or Measurement
        Drawn anew for every problem.
    n_trials : int
        Problems at each (δ, ρ).
    amplitudes : {"gaussian", "signs"}
        The non-zeros: standard normal, or ±1.
    error : float
        A problem is solved where ‖ŝ − s‖ ≤ error · ‖s‖.
    time_limit : float or None
        Seconds; what was not tried by then is NaN, and the status says so.
    n_jobs : int or None
        Threads. The result does not depend on them.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    result : PhaseTransition

    Examples
    --------
    >>> from tamis.sensing import phase_transition
    >>> found = phase_transition(50, [0.5], [0.1, 0.9], n_trials=5, recovery="omp", random_state=0)
    >>> found.success
    array([[1., 0.]])
    """
    n, n_trials = check_count("n", n, at_least=2), check_count("n_trials", n_trials)
    delta = _grid("delta", np.arange(1, 10) / 10 if delta is None else delta)
    rho = _grid("rho", np.arange(1, 20) / 20 if rho is None else rho)
    check_choice("amplitudes", amplitudes, ["gaussian", "signs"])
    check_number("error", error, above=0.0)
    m = np.maximum(1, np.round(delta * n).astype(int))
    k = np.maximum(1, np.round(np.outer(m, rho)).astype(int))
    method = as_object("recovery", recovery, RECOVERIES, RecoveryMethod)
    seed = int(as_rng(random_state).integers(2**63))
    limits = IterationLimits.of_time(time_limit)
    trial = _Trial(n, as_measurement(measurement), method, amplitudes, error, limits, seed)
    cells = [(i, j, t) for t in range(n_trials) for i in range(len(m)) for j in range(len(rho))]
    with limits.until_interrupted():
        solved = _on_threads(lambda cell: trial(m[cell[0]], k[cell[0], cell[1]], cell), cells, n_jobs)
    return _result(n, m, k, cells, solved, Status.CONVERGED if None not in solved else limits.reason)


def donoho_tanner(delta: Any) -> Any:
    """ρ(δ) below which ℓ₁ finds almost all codes of k = ρ m non-zeros from m = δ n Gaussian measurements, as n grows.

    ρ(δ) = max_z [1 − (2/δ) h(z)] / [1 + z² − 2 h(z)] with h(z) = (1 + z²) Φ(−z) − z φ(z) [donoho2009]_.

    References
    ----------
    .. [donoho2009] Donoho, Maleki & Montanari, Message-passing algorithms for compressed sensing, PNAS 106, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import donoho_tanner
    >>> donoho_tanner([0.25, 0.5, 0.75]).round(3)
    array([0.267, 0.386, 0.534])
    """
    values = _grid("delta", delta, one_ok=np.ndim(delta) == 0)
    rho = np.array([l1_transition(d)[0] for d in values])
    return float(rho[0]) if np.ndim(delta) == 0 else rho


@dataclass(frozen=True)
class _Trial:
    """One random problem of m measurements and k non-zeros; None where the time was over."""

    n: int
    measurement: Measurement
    recovery: RecoveryMethod
    amplitudes: str
    error: float
    limits: IterationLimits
    seed: int

    def __call__(self, m: int, k: int, cell: tuple[int, int, int]) -> bool | None:
        if self.limits.late:
            return None
        rng = np.random.default_rng([self.seed, *cell])  # the same whichever thread draws it
        A = clone(self.measurement).set_params(n_measurements=int(m), random_state=rng).operator(self.n)
        s = np.zeros(self.n)
        support = rng.permutation(self.n)[:k]
        s[support] = rng.standard_normal(k) if self.amplitudes == "gaussian" else rng.choice([-1.0, 1.0], k)
        options = {"n_nonzero": int(k)} if "n_nonzero" in self.recovery.get_params(deep=False) else {}
        found = self.recovery.recover(A, A @ s, **options).code
        return bool(np.linalg.norm(found - s) <= self.error * np.linalg.norm(s))


def _on_threads(work: Callable[[Any], Any], cells: list[Any], n_jobs: int | None) -> list[Any]:
    with InterruptibleThreads(thread_count(n_jobs), free_thread) as pool, blas_threads(1):
        return list(pool.map(work, cells))


def _result(
    n: int, m: np.ndarray, k: np.ndarray, cells: list[Any], solved: list[bool | None], status: Status
) -> PhaseTransition:
    won, trials = np.zeros(k.shape), np.zeros(k.shape, dtype=int)
    for (i, j, _), outcome in zip(cells, solved, strict=True):
        if outcome is not None:
            won[i, j] += outcome
            trials[i, j] += 1
    rho = k / m[:, None]
    success = np.divide(won, trials, out=np.full(k.shape, np.nan), where=trials > 0)
    line = np.array([half_line(r, w, t) for r, w, t in zip(rho, won, trials, strict=True)])
    return PhaseTransition(n, m / n, rho, success, trials, line, donoho_tanner(m / n), status)


def half_line(rho: np.ndarray, won: np.ndarray, trials: np.ndarray) -> float:
    """ρ at which the logistic curve of largest likelihood through won/trials is ½; NaN where nothing crosses it.

    A success below the least ρ and a failure above the largest are added: a row which falls at once has a curve too.
    """
    ran = trials > 0
    rho, won, trials = rho[ran], won[ran].astype(float), trials[ran].astype(float)
    share = won / np.maximum(trials, 1)
    if not len(rho) or share.max(initial=0.0) < 0.5 or share.min(initial=1.0) > 0.5:
        return float("nan")
    ends = np.array([rho.min() - 0.05, rho.max() + 0.05])
    rho, won, trials = np.append(rho, ends), np.append(won, [1.0, 0.0]), np.append(trials, [1.0, 1.0])
    middle, spread = rho.mean(), max(rho.std(), 1e-12)
    z = (rho - middle) / spread

    def loss(w: np.ndarray) -> float:
        eta = w[0] - np.exp(w[1]) * z  # falls in ρ
        likelihood = won * scipy.special.log_expit(eta) + (trials - won) * scipy.special.log_expit(-eta)
        return float(-likelihood.sum() + 1e-4 * w[1] ** 2)  # a row that falls at once has no largest slope

    options = {"xatol": 1e-8, "fatol": 1e-10, "maxiter": 2000}
    w = scipy.optimize.minimize(loss, np.array([0.0, 1.0]), method="Nelder-Mead", options=options).x
    return float(middle + spread * w[0] / np.exp(w[1]))


def _grid(name: str, values: Any, one_ok: bool = False) -> np.ndarray:
    values = np.asarray(values)
    ok = values.ndim == 1 or (one_ok and values.ndim == 0)
    if not ok or not values.size or values.dtype.kind not in "fiu" or not ((values > 0) & (values <= 1)).all():
        raise InputError(f"{name} must be numbers above 0 and at most 1, got {values!r}", argument=name)
    return np.atleast_1d(values.astype(float))
