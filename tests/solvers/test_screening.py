"""Nothing that was screened is ever in the solution, and nothing that was left unread could have mattered."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import screening as twin
from tamis import Lasso, SparseClassifier, SparseRegressor, as_source
from tamis.datafits import Logistic, Multinomial, Squared
from tamis.operators import as_operator
from tamis.penalties import L1, L1L2, L2, Group, SparseGroup
from tamis.solvers.duality import best_scale, penalty_conjugate
from tamis.solvers.multi_output_working_set import MultiOutputWorkingSet
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.screening import Screen, proved_zero, screens
from tamis.solvers.working_set import WorkingSet
from tamis.solvers.working_set_state import WorkingSetState
from tolerances import AGREE
from turns import in_turns

P = 60
GROUPS = np.arange(P) // 4
SOME = np.r_[0.0, np.full(P - 2, 1.0), 3.0]
PENALTIES = {
    "l1": L1(),
    "weights": L1(weights=SOME),
    "positive": L1(positive=True),
    "elastic": L1L2(0.6),
    "group": Group(GROUPS),
    "group weights": Group(GROUPS, np.r_[0.0, np.ones(13), 2.0]),
    "sparse group": SparseGroup(GROUPS, 0.4),
    "rows": Group(),
}
TARGETS = {"squared": Squared(), "logistic": Logistic(), "squares": Squared(), "multinomial": Multinomial()}
PAIRS = [
    (kind, name) for kind in TARGETS for name in PENALTIES if kind != "squares" or "group" in name or name == "rows"
]

STORAGES = ["F", "csc", "C", "standardised"]
SCREENED = in_turns(TARGETS, PENALTIES, STORAGES, where=lambda kind, name, storage: (kind, name) in PAIRS)


def problem(kind, name, seed=0, weighted=False, intercept=True, n=30):
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, P)) * rng.uniform(0.5, 2, P) + rng.standard_normal(P))
    Z = X[:, :4] @ rng.standard_normal((4, 3)) + rng.standard_normal((n, 3))
    y = {
        "squared": Z[:, 0],
        "logistic": np.where(Z[:, 0] > np.median(Z[:, 0]), 1.0, -1.0),
        "squares": Z,
        "multinomial": np.eye(3)[Z.argmax(axis=1)],
    }[kind]
    s = rng.uniform(0.2, 2.0, n) * (rng.random(n) < 0.9) if weighted else None
    return OperatorProblem(as_operator(X), y, TARGETS[kind], PENALTIES[name], 0.0, s, intercept)


def solver(kind, **options):
    return (MultiOutputWorkingSet if kind in ("squares", "multinomial") else WorkingSet)(max_iter=5000, **options)


def alphas_of(prob, least=0.1, m=7):
    return prob.alpha_max() * np.geomspace(1, least, m)


class RecordedPath:
    """Every call of ``correlations``: what it gave for the columns, and what was proved of them."""

    def __init__(self, monkeypatch):
        self.proofs, self.calls = [], []
        prove, correlations, read_some = Screen.prove, WorkingSetState.correlations, WorkingSetState._correlate_at

        def recorded_prove(screen, c, t, alpha, gap, keep):
            count = prove(screen, c, t, alpha, gap, True)
            zero = screen.proofs[alpha][0]
            assert count == zero.sum()
            self.proofs.append((alpha, gap, zero))
            if not keep:
                del screen.proofs[alpha]
            return count

        def recorded_correlations(state, V, alphas):
            proved = {a: zero for a, (zero, _) in state.screen.proofs.items()}
            self.read = np.arange(P)
            C = correlations(state, V, alphas)
            unread = np.setdiff1d(np.arange(P), self.read)
            self.calls.append((state, np.array(C), state.correlate(V), np.array(alphas), unread, proved))
            return C

        def recorded_read(state, V, S):
            self.read = S
            return read_some(state, V, S)

        monkeypatch.setattr(Screen, "prove", recorded_prove)
        monkeypatch.setattr(WorkingSetState, "correlations", recorded_correlations)
        monkeypatch.setattr(WorkingSetState, "_correlate_at", recorded_read)


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_nothing_screened_is_in_the_solution(kind, name, monkeypatch):
    @settings(max_examples=2 if kind == "multinomial" else 4, deadline=None, derandomize=True)
    @given(seed=st.integers(0, 99), weighted=st.booleans(), intercept=st.booleans())
    def law(seed, weighted, intercept):
        prob = problem(kind, name, seed, weighted, intercept)
        alphas = alphas_of(prob)
        with monkeypatch.context() as patch:
            recorded = RecordedPath(patch)
            for tol in (3e-2, 1e-4, 1e-8):  # large gaps are the hard ones: balls that are too small would show
                solver(kind, tol=tol, screening=True).path(prob, alphas)
        best = solver(kind, tol=1e-11, screening=False).path(prob, alphas)
        assert recorded.proofs
        for alpha, _, zero in recorded.proofs:
            w = best.coefs[int(np.argmin(np.abs(alphas - alpha)))]
            # the solution at hand is itself known to √gap only
            assert np.abs(w[..., zero]).max(initial=0.0) <= 1e-4 * max(1.0, np.abs(w).max())

    law()


@pytest.mark.parametrize("name", ["l1", "positive", "elastic", "group", "sparse group"])
def test_balls_around_rough_points(name):
    @settings(max_examples=25, deadline=None)
    @given(seed=st.integers(0, 99), weighted=st.booleans(), part=st.floats(0, 0.999), least=st.floats(0.05, 0.9))
    def law(seed, weighted, part, least):
        prob = problem("squared", name, seed, weighted, n=100)
        alpha = least * prob.alpha_max()
        best = WorkingSet(tol=1e-11, screening=False).solve(prob.at(alpha)).w
        state = WorkingSetState(prob, 10, screening=True)
        share = np.broadcast_to(state.share, 100)
        w = part * best  # far from the solution, and its residual far from the best dual point
        r = prob.y - prob.prediction(w)
        r = r - share @ r
        c = state.correlate(share * r)
        terms, value = state.terms.times(alpha), prob.at(alpha).value(w, share @ (prob.y - prob.prediction(w)))
        yr, rr = share @ (r * (prob.y - share @ prob.y)), share @ r**2
        t = best_scale(yr, rr, terms, c)
        gap = value - (t * yr - t**2 / 2 * rr - penalty_conjugate(terms, t * c))
        state.screen.prove(c, t, alpha, gap, keep=True)
        assert np.abs(best[state.screen.proofs[alpha][0]]).max(initial=0.0) <= 1e-5
        counted.append(state.screen.proofs[alpha][0].sum())

    counted = []
    law()
    assert max(counted) > 0  # or the law has said nothing


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_a_column_left_unread_is_within_its_bounds(kind, name, monkeypatch):
    recorded = RecordedPath(monkeypatch)
    prob = problem(kind, name, 5, weighted=True)
    solver(kind, tol=1e-8, screening=True).path(prob, alphas_of(prob, 0.2, 40))
    unread = 0
    for state, C, exact, alphas, S, proved in recorded.calls:
        for c, true, alpha in zip(C, exact, alphas, strict=True):
            left = np.setdiff1d(S, np.flatnonzero(proved.get(alpha, np.zeros(P, bool))))
            read = np.setdiff1d(np.arange(P), S)
            np.testing.assert_allclose(c[..., read], true[..., read], rtol=0, atol=1e-12)
            units = left if state.terms.labels is None else np.unique(state.terms.labels[left])
            assert (state.terms.violation(-true.T, alpha)[units] <= 0).all()
            unread += len(left)
    assert unread


@pytest.mark.parametrize("kind, name, storage", SCREENED)
def test_screening_changes_no_coefficient(kind, name, storage):
    prob = problem(kind, name, 2, weighted=True)
    X = prob.A.X
    if storage == "standardised":
        from tamis.operators import Standardised

        prob = replace(prob, A=Standardised(as_operator(X), np.zeros(P), np.linspace(1, 2, P)))
    elif storage != "F":
        prob = replace(prob, A=as_operator(sp.csc_array(X) if storage == "csc" else np.ascontiguousarray(X)))
    alphas = alphas_of(prob)
    off, on = (solver(kind, tol=1e-12, screening=chosen).path(prob, alphas) for chosen in (False, True))
    assert off.screened is None
    assert on.converged.all()
    exact = kind == "squared" and "group" not in name and name != "rows"
    np.testing.assert_allclose(on.coefs, off.coefs, rtol=0, atol=AGREE if exact else 1e-5)  # others know w to √gap


@pytest.mark.parametrize("name", ["l1", "elastic", "sparse group"])
def test_a_smaller_gap_proves_more(name):
    prob = problem("squared", name, 7)
    alpha = 0.3 * prob.alpha_max()
    counts = [
        WorkingSet(tol=tol, screening=True).path(prob, alphas_of(prob, 0.3)).screened[-1] for tol in (1e-1, 1e-4, 1e-12)
    ]
    state = WorkingSetState(prob, 10, screening=True)
    c = state.correlate((prob.y - prob.y.mean()) / len(prob.y))
    t = alpha / prob.alpha_max()
    falling = [state.screen.prove(c, t, alpha, gap, keep=False) for gap in np.geomspace(1e-12, 1, 20)]
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > falling[-1] == 0
    assert counts == sorted(counts)
    support = WorkingSet(tol=1e-12).path(prob, alphas_of(prob, 0.3)).coefs[-1] != 0
    assert counts[-1] == P - support.sum()  # no ties here: all but the support is proved to be zero


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 99), positive=st.booleans(), radius=st.sampled_from([0.0, 0.05, 0.5]))
def test_the_ball_is_as_large_as_its_twin_says(seed, positive, radius):
    rng = np.random.default_rng(seed)
    c, norms, l1 = rng.standard_normal(30), rng.uniform(0, 2, 30), rng.uniform(0, 2, 30)
    screen = Screen(L1(weights=l1, positive=positive).terms(30), norms, np.ones(1), 1.0, 1)
    zero = twin.proved_zero_columns(c, 0.7, radius, norms, l1, 0.9, 0.9e-12, positive)
    assert screen.prove(c, 0.7, 0.9, radius**2 / 2, keep=True) == zero.sum()
    np.testing.assert_array_equal(screen.proofs[0.9][0], zero)
    if not positive:
        terms = SparseGroup(np.arange(30) // 3, 0.5).terms(30)
        groups = twin.groups_beyond_reach(c, radius, norms, terms.l1, terms.group, terms.labels, 0.9)
        single = np.abs(c) + radius * norms < 0.9 * terms.l1
        np.testing.assert_array_equal(proved_zero(terms, c, 0.9, radius * norms), single | groups[terms.labels])


def test_where_it_pays(tmp_path):
    rng = np.random.default_rng(0)
    wide, n = rng.standard_normal((120, 600)), 120
    assert screens(as_operator(np.asfortranarray(wide)))[0]
    assert not screens(as_operator(wide))[0]
    assert not screens(as_operator(np.asfortranarray(wide[:, : 2 * n])))[0]
    assert not screens(as_operator(sp.csc_array(wide * (rng.random(wide.shape) < 0.1))))[0]
    assert screens(as_operator(wide), True) == (True, "screening=True was asked for")
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({f"x{j}": wide[:, j] for j in range(20)}), tmp_path / "rows.parquet")
    assert screens(as_operator(as_source(tmp_path / "rows.parquet")))[0]
    np.savetxt(tmp_path / "rows.csv", wide[:, :3], delimiter=",", header="a,b,c", comments="")
    assert not screens(as_operator(as_source(tmp_path / "rows.csv")))[0]


def test_the_model_tells_of_it():
    rng = np.random.default_rng(1)
    X = np.asfortranarray(rng.standard_normal((110, 600)))
    y = X[:, :3] @ [2.0, -1.0, 1.0] + rng.standard_normal(110)
    for model, target in ((Lasso(0.2), y), (SparseClassifier(alpha=0.05), y > 0)):
        model.fit(X, target)
        assert "left unread" in model.strategy_
        assert model.diagnostics_["screened"] == 600 - np.count_nonzero(model.coef_)
    two = Lasso(0.2).fit(X, np.column_stack([y, -y]))
    assert two.diagnostics_["screened"] == 1200 - np.count_nonzero(two.coef_)
    for model in (Lasso(0.2).fit(np.ascontiguousarray(X), y), SparseRegressor(penalty=L2()).fit(X, y)):
        assert "screened" not in model.diagnostics_.measured
    assert "every column is read" in Lasso(0.2).fit(np.ascontiguousarray(X), y).strategy_
