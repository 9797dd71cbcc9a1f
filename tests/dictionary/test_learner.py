"""Learning: what never rises, what is found again, what comes in, and what goes wrong."""

import signal
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from dictionary.problems import planted, unit
from reference.codes import atom_descent, lasso_code
from tamis import KSVD, DictionaryLearner, InputError, OnlineDictionary, OrthogonalDictionary, SparseCoder
from tamis.dictionary import (
    CompleteUpdate,
    LassoCoder,
    OMPCoder,
    OnlineUpdate,
    ProjectedUpdate,
    ThresholdCoder,
    atom_coherence,
    dct_atoms,
    haar_atoms,
)
from tolerances import AGREE, ROUNDING

COMPOSITIONS = {
    "ksvd": KSVD(20, 3, max_iter=8, random_state=0),
    "ksvd-exact": KSVD(20, 3, exact=True, max_iter=4, random_state=0),
    "ksvd-positive": KSVD(20, 3, positive=True, max_iter=5, random_state=0),
    "online": OnlineDictionary(20, 0.05, batch_size=64, max_iter=5, random_state=0),
    "orthogonal": OrthogonalDictionary(3, max_iter=10, random_state=0),
    "mod": DictionaryLearner(20, OMPCoder(3), "mod", max_iter=6, random_state=0),
    "projected": DictionaryLearner(20, LassoCoder(0.05), "projected", max_iter=5, random_state=0),
    "batch-lasso": DictionaryLearner(20, "lasso", OnlineUpdate(batch_size=None), max_iter=5, random_state=0),
    "complete": DictionaryLearner(12, OMPCoder(3), CompleteUpdate(), max_iter=5, random_state=0),
}


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_what_a_composition_learns(name):
    X, _, _ = planted(0)
    learner = clone(COMPOSITIONS[name]).fit(X)
    D = learner.components_
    assert np.isfinite(D).all()
    assert (np.linalg.norm(D, axis=1) <= 1 + 1e-9).all()
    assert len(learner.objective_trace_) == learner.n_iter_ > 1
    Z = learner.transform(X)
    assert issparse(Z)
    assert Z.shape == (300, len(D))
    np.testing.assert_allclose(learner.inverse_transform(Z), Z.toarray() @ D, atol=ROUNDING)
    np.testing.assert_allclose(learner.inverse_transform(Z.toarray()), Z.toarray() @ D, atol=ROUNDING)
    coder = learner._coder()
    value = (0.5 * ((X - Z @ D) ** 2).sum(axis=1) + coder.penalties(Z)).mean()
    assert learner.score(X) == pytest.approx(-value, rel=1e-9)
    assert learner.objective_trace_[-1] < 0.9 * learner.objective_trace_[0] or name in ("orthogonal", "complete")


@pytest.mark.parametrize("name", [n for n in COMPOSITIONS if n not in ("complete", "online")])
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_never_rises(name, seed):
    X, _, _ = planted(seed, noise=0.1)
    learner = clone(COMPOSITIONS[name]).set_params(tol=0.0, random_state=seed).fit(X)
    assert (np.diff(learner.objective_trace_) <= 1e-12).all()


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_the_same_seed_gives_the_same_atoms(name):
    X, _, _ = planted(1)
    one, two = (clone(COMPOSITIONS[name]).fit(X).components_ for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", ["ksvd", "online", "orthogonal"])
def test_threads_change_nothing(name):
    X, _, _ = planted(1, n=2000)
    one, two = (clone(COMPOSITIONS[name]).set_params(n_jobs=j).fit(X).components_ for j in (1, 2))
    np.testing.assert_allclose(one, two, rtol=0, atol=AGREE)


def test_planted_atoms_are_found_again():
    """On average over starts: a start may end in a local minimum."""
    X, _, D = planted(2, n=1500, p=20, k=30, noise=0.001)
    found = [KSVD(30, 3, max_iter=60, tol=0.0, random_state=s).fit(X).components_ for s in range(3)]
    assert np.mean([(np.abs(D @ F.T).max(axis=1) > 0.99).mean() for F in found]) >= 0.9


def test_an_orthonormal_dictionary_is_found_again():
    rng = np.random.default_rng(3)
    Q = np.linalg.qr(rng.standard_normal((10, 10)))[0]
    Z = rng.standard_normal((2000, 10)) * (rng.random((2000, 10)) < 0.2)
    found = OrthogonalDictionary(4, init="samples", max_iter=200, tol=0, random_state=1).fit(Z @ Q).components_
    np.testing.assert_allclose(found @ found.T, np.eye(10), atol=1e-10)
    assert (np.abs(Q @ found.T).max(axis=1) > 0.99).mean() >= 0.9


def test_the_number_of_filters_is_learned():
    X, _, _ = planted(4, k=6, n=500)
    first = unit(np.random.default_rng(0).standard_normal((30, 12)))
    update = ProjectedUpdate(unused="drop")
    counts = []
    for alpha in (0.1, 1.0, 1.5, 10.0):
        few = DictionaryLearner(30, LassoCoder(alpha), update, init=first, max_iter=30, tol=0.0).fit(X)
        counts.append(few.n_atoms_used_)
        used = np.bincount(few.transform(X).indices, minlength=30) > 0
        assert not few.components_[np.linalg.norm(few.components_, axis=1) == 0].any()
        assert used.sum() <= (np.linalg.norm(few.components_, axis=1) > 0).sum() <= 30
    assert counts[0] > counts[1] > counts[2] > counts[3] == 0


@pytest.mark.parametrize("update", ["online", "mod", "projected"])
def test_sparse_rows_give_the_atoms_of_dense_ones(update):
    X, _, _ = planted(5)
    X = np.where(np.abs(X) > 0.3, X, 0)
    learner = DictionaryLearner(20, LassoCoder(0.05), update, max_iter=3, random_state=0)
    dense, sparse = clone(learner).fit(X), clone(learner).fit(csr_array(X))
    np.testing.assert_allclose(sparse.components_, dense.components_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(sparse.transform(csr_array(X)).toarray(), dense.transform(X).toarray(), atol=1e-8)


@pytest.mark.parametrize(
    "coder, update", [(LassoCoder(0.05), "mod"), (LassoCoder(0.05), "projected"), (ThresholdCoder(3), "mod")]
)
def test_a_file_gives_the_atoms_of_memory(tmp_path, coder, update):
    pd = pytest.importorskip("pandas")
    X, _, _ = planted(6, n=400)
    pd.DataFrame(X, columns=[f"c{j}" for j in range(12)]).to_parquet(tmp_path / "x.parquet", row_group_size=97)
    learner = DictionaryLearner(20, coder, update, max_iter=3, unused="keep", random_state=0)
    memory, file = clone(learner).fit(X), clone(learner).fit(tmp_path / "x.parquet")
    np.testing.assert_allclose(file.components_, memory.components_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(file.objective_trace_, memory.objective_trace_, rtol=1e-9)
    assert file.transform(tmp_path / "x.parquet").shape == (400, 20)


def test_online_learns_from_a_file(tmp_path):
    pd = pytest.importorskip("pandas")
    X, _, _ = planted(6, n=600)
    pd.DataFrame(X).rename(columns=str).to_parquet(tmp_path / "x.parquet", row_group_size=97)
    learner = OnlineDictionary(20, 0.05, batch_size=64, max_iter=6, random_state=0)
    memory, file = clone(learner).fit(X), clone(learner).fit(tmp_path / "x.parquet")
    assert file.score(tmp_path / "x.parquet") >= 1.1 * memory.score(X)  # scores are negative


def test_ksvd_says_that_it_needs_rows(tmp_path):
    pd = pytest.importorskip("pandas")
    X, _, _ = planted(6, n=50)
    pd.DataFrame(X).rename(columns=str).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"needs all rows in memory.* use OnlineDictionary"):
        KSVD(20, 3).fit(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="X is sparse"):
        KSVD(20, 3).fit(csr_array(X))
    with pytest.raises(AttributeError) as caught:
        KSVD(20, 3).partial_fit(X)
    assert "needs all rows: use OnlineDictionary" in str(caught.value.__cause__)
    assert hasattr(OnlineDictionary(20, 0.1), "partial_fit")


@pytest.mark.parametrize("forgetting", [1.0, 0.99])
@pytest.mark.parametrize("split", [(60,), (1, 59), (20, 20, 20), (13, 7, 40)])
def test_partial_fit_has_the_documented_statistics(split, forgetting):
    X, _, D = planted(7, n=60)
    learner = OnlineDictionary(20, 0.1, forgetting=forgetting, init=D, random_state=0)
    A, B, expected = np.zeros((20, 20)), np.zeros((20, 12)), D
    for part in np.split(X, np.cumsum(split)[:-1]):
        learner.partial_fit(part)
        Z = np.array([lasso_code(x, expected, 0.1) for x in part])
        A, B = forgetting ** len(part) * A + Z.T @ Z, forgetting ** len(part) * B + Z.T @ part
        expected = atom_descent(A, B, expected)
    np.testing.assert_allclose(learner.statistics_.A, A, rtol=0, atol=1e-7)
    np.testing.assert_allclose(learner.statistics_.B, B, rtol=0, atol=1e-7)
    np.testing.assert_allclose(learner.components_, expected, rtol=0, atol=1e-7)
    assert learner.n_iter_ == len(split)


@pytest.mark.parametrize("name", ["ksvd", "mod", "online", "projected"])
def test_rows_with_gaps(name):
    """A tenth of the entries missing: atoms fit the rows nearly as well as those learned from all."""
    X, _, _ = planted(8, n=600)
    holes = np.where(np.random.default_rng(8).random(X.shape) < 0.1, np.nan, X)
    learner = clone(COMPOSITIONS[name]).set_params(max_iter=15, tol=0.0)
    whole, gappy = clone(learner).fit(X), clone(learner).fit(holes)
    assert gappy.score(X) > 2 * whole.score(X) - 1e-3
    assert gappy.score(X) > 1.5 * np.square(X).sum(axis=1).mean() * -0.5
    if name == "projected":
        assert (np.diff(gappy.objective_trace_) <= 1e-9).all()


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_hard_rows(name):
    """Zero and constant rows, fewer rows than atoms, all rows equal."""
    learner = clone(COMPOSITIONS[name]).set_params(max_iter=3)
    few = np.random.default_rng(0).standard_normal((5, 12))
    constant = np.repeat(np.arange(30.0)[:, None], 12, axis=1)
    for X in (np.zeros((40, 12)), few, constant, np.ones((1, 12)), np.vstack([few, np.zeros((3, 12))])):
        learner.fit(X)
        assert np.isfinite(learner.components_).all()
        assert np.isfinite(learner.transform(X).data).all()
        nothing = 0.5 * np.square(X).sum(axis=1).mean()  # the objective of codes that are zero
        assert 0 <= learner.objective_trace_[-1] <= nothing * (1 + ROUNDING)


@pytest.mark.parametrize("init", ["samples", "dct", "svd", unit(np.random.default_rng(0).standard_normal((20, 12)))])
def test_initial_atoms(init):
    X, _, _ = planted(9)
    learner = KSVD(20, 3, init=init, max_iter=1, random_state=0).fit(X)
    assert learner.components_.shape == (20, 12)


def test_the_coherence_is_limited():
    X, _, _ = planted(10)
    learner = DictionaryLearner(20, OMPCoder(3), "mod", max_coherence=0.6, max_iter=5, random_state=0).fit(X)
    G = np.abs(learner.components_ @ learner.components_.T) - np.eye(20)
    assert G.max() <= 0.6 * (1 + 1e-6)
    with pytest.raises(InputError, match="Welch"):
        DictionaryLearner(200, OMPCoder(3), "mod", max_coherence=0.1).fit(X)


def test_atoms_that_nobody_uses_are_replaced():
    X, _, _ = planted(11)
    D = np.concatenate([unit(X[:19]), unit(X[:1] + 1e-7)])  # one twice
    learner = KSVD(20, 2, init=D, max_iter=10, tol=0.0, random_state=0).fit(X)
    usage = np.bincount(learner.transform(X).indices, minlength=20)
    assert (usage > 0).all()
    assert (np.diff(learner.objective_trace_) <= 1e-12).all()
    G = np.abs(learner.components_ @ learner.components_.T) - np.eye(20)
    assert G.max() < 0.99


def test_a_time_limit_and_convergence():
    X, _, _ = planted(12)
    assert KSVD(20, 3, max_iter=500, tol=0.0, time_limit=0.05, random_state=0).fit(X).status_ == "time_limit"
    assert KSVD(20, 3, max_iter=500, tol=0.01, random_state=0).fit(X).status_ == "converged"
    assert KSVD(20, 3, max_iter=2, tol=0.0, random_state=0).fit(X).status_ == "max_iter"


def test_an_interruption_leaves_the_last_whole_sweep():
    X, _, _ = planted(13, n=2000)
    learner = KSVD(40, 3, max_iter=100_000, tol=0.0, random_state=0)
    timer = threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    learner.fit(X)
    timer.cancel()
    assert learner.status_ == "interrupted"
    assert learner.n_iter_ == len(learner.objective_trace_) > 0


class _InterruptedCoder(LassoCoder):
    """Ctrl-C when the batch of this number is coded."""

    at = 8
    coded = 0

    def codes(self, X, D, start):
        self.coded += 1
        if self.coded == self.at:
            raise KeyboardInterrupt
        return super().codes(X, D, start)


def test_an_interruption_inside_an_epoch_leaves_statistics_of_the_atoms():
    X, _, _ = planted(13)
    settings = {"update": OnlineUpdate(batch_size=100), "max_iter": 10, "tol": 0.0, "random_state": 0}
    stopped = DictionaryLearner(20, _InterruptedCoder(0.05), **settings).fit(X)
    assert (stopped.status_, stopped.n_iter_) == ("interrupted", 2)
    whole = DictionaryLearner(20, LassoCoder(0.05), **{**settings, "max_iter": 2}).fit(X)
    np.testing.assert_array_equal(stopped.components_, whole.components_)
    np.testing.assert_array_equal(stopped.statistics_.A, whole.statistics_.A)
    np.testing.assert_array_equal(stopped.statistics_.B, whole.statistics_.B)


def test_an_objective_that_rises_has_not_converged():
    """Codes by an error bound make no sweep lower ‖X − ZD‖, and thresholds are exact on orthonormal atoms only."""
    X, _, _ = planted(13)
    for coder in (OMPCoder(noise=1.0), ThresholdCoder(3)):
        learner = DictionaryLearner(20, coder, "ksvd", max_iter=12, tol=1e-9, random_state=0).fit(X)
        assert (np.diff(learner.objective_trace_) > 0).any()
        assert (learner.status_, learner.n_iter_) == ("max_iter", 12)


@pytest.mark.parametrize("coder", [OMPCoder(3), LassoCoder(0.05), ThresholdCoder(3)], ids=str)
@pytest.mark.parametrize("update", ["mod", CompleteUpdate(), "online", "projected"], ids=str)
def test_the_objective_is_that_of_the_atoms_and_their_codes(coder, update, tmp_path):
    """In memory and from a file, for updates that scale codes too."""
    X, _, D = planted(14, p=12, k=12)
    D = unit(np.eye(12) + 0.3 * D)  # of a condition that CompleteUpdate leaves as it is
    update = OnlineUpdate(batch_size=None) if update == "online" else update
    learner = DictionaryLearner(12, coder, update, init=D, unused="keep", max_iter=1, tol=0.0).fit(X)
    Z = coder.encode(X, D)
    S, new = learner.statistics_, learner.components_
    A, B = (Z.T @ Z).toarray(), Z.T @ X
    factors = np.sqrt(np.diag(S.A) / np.diag(A))  # of the codes
    scaled = Z.toarray() * factors
    value = (0.5 * ((X - scaled @ new) ** 2).sum(axis=1) + coder.penalties(csr_array(scaled))).mean()
    assert learner.objective_trace_[0] == pytest.approx(value, rel=1e-8)
    np.testing.assert_allclose(S.B, B * factors[:, None], rtol=1e-8, atol=1e-10)
    if update == "mod":
        np.testing.assert_allclose(scaled @ new, fitted_by(Z, X), atol=1e-8)
    pq.write_table(pa.table({f"x{j}": X[:, j] for j in range(12)}), tmp_path / "x.parquet")
    from_file = clone(learner).fit(tmp_path / "x.parquet")
    assert from_file.objective_trace_[0] == pytest.approx(value, rel=1e-8)


def fitted_by(Z, X):
    """The least squares fit of X by Z times anything."""
    return Z @ np.linalg.lstsq(Z.toarray(), X, rcond=None)[0]


def test_partial_fit_keeps_atoms_apart():
    X, _, _ = planted(7)
    learner = DictionaryLearner(20, "lasso", "online", max_coherence=0.3, random_state=0).partial_fit(X).partial_fit(X)
    assert atom_coherence(learner) <= 0.3 * (1 + 1e-6)


def test_frames_come_out_where_asked_for():
    pd = pytest.importorskip("pandas")
    X, _, _ = planted(14)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    learner = KSVD(20, 3, max_iter=2, random_state=0).set_output(transform="pandas").fit(frame)
    codes = learner.transform(frame)
    assert list(codes.columns[:2]) == ["ksvd0", "ksvd1"]
    assert codes.shape == (300, 20)
    assert list(learner.feature_names_in_) == list(frame.columns)


@pytest.mark.parametrize("coder", ["omp", "lasso", "fista", "threshold"])
def test_codes_go_on_to_a_classifier(coder):
    X, Z, D = planted(15)
    y = Z[:, 0] > 0
    model = make_pipeline(SparseCoder(D, coder), LinearSVC())
    assert model.fit(X, y).score(X, y) > 0.6


def test_sparse_coder_takes_what_has_atoms():
    X, _, D = planted(15)
    learner = KSVD(20, 3, max_iter=2, random_state=0).fit(X)
    np.testing.assert_array_equal(
        SparseCoder(learner, n_nonzero=3).fit_transform(X).toarray(), learner.transform(X).toarray()
    )
    for coder, options in (("lasso", {"alpha": 0.1}), ("fista", {"alpha": 0.1}), ("threshold", {"n_nonzero": 2})):
        assert SparseCoder(D, coder, **options).fit(X).transform(X).shape == (300, 20)
    assert SparseCoder("haar", n_nonzero=2).fit(X).components_.shape == (12, 12)
    with pytest.raises(InputError, match="takes no alpha"):
        SparseCoder(D, "omp", alpha=0.1).fit(X)
    with pytest.raises(InputError, match="to the coder object itself"):
        SparseCoder(D, OMPCoder(2), n_nonzero=3).fit(X)
    with pytest.raises(InputError, match="atoms of dictionary have 12"):
        SparseCoder(D).fit(X[:, :5])
    with pytest.raises(InputError, match="dictionary must"):
        SparseCoder("cosine").fit(X)


def test_fixed_atoms():
    for D in (dct_atoms(64, (8, 8)), dct_atoms(12, 12), haar_atoms(8, 8), haar_atoms(64, (8, 8))):
        np.testing.assert_allclose(D @ D.T, np.eye(len(D)), atol=1e-12)
    for D in (dct_atoms(441, (8, 8)), haar_atoms(441, (8, 8)), dct_atoms(100, 12)):
        np.testing.assert_allclose(np.linalg.norm(D, axis=1), 1, rtol=1e-12)
        assert np.linalg.matrix_rank(D) == D.shape[1]
    with pytest.raises(InputError, match="different Haar atoms"):
        haar_atoms(10_000, 8)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"n_atoms": 0}, "n_atoms must be"),
        ({"n_atoms": 2.5}, "n_atoms must be"),
        ({"coder": "amp"}, "coder must be one of"),
        ({"coder": OMPCoder(0)}, "n_nonzero must be"),
        ({"update": 3}, "update must be one of"),
        ({"update": OnlineUpdate(batch_size=0)}, "batch_size must be"),
        ({"update": "procrustes", "n_atoms": 13}, "at most 12 atoms"),
        ({"update": "complete", "n_atoms": 13}, "as many atoms as columns"),
        ({"init": "best"}, "init must be"),
        ({"init": np.zeros((3, 3))}, "init must hold 20 atoms of 12"),
        ({"unused": "drop"}, "unused must be"),
        ({"max_coherence": 2.0}, "max_coherence must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"tol": -1}, "tol must be"),
        ({"time_limit": 0}, "time_limit must be"),
        ({"random_state": "seed"}, "random_state must be"),
    ],
)
def test_complaints(change, words):
    X, _, _ = planted(16)
    with pytest.raises(InputError, match=words):
        DictionaryLearner(**({"n_atoms": 20} | change)).fit(X)


@pytest.mark.parametrize("Z", [np.full((2, 20), np.nan), [["a"] * 20], csr_array(np.full((2, 20), np.inf))])
def test_codes_that_are_no_numbers_are_refused(Z):
    learner = KSVD(20, 3, max_iter=1, random_state=0).fit(planted(0)[0])
    with pytest.raises(InputError, match="Z must hold finite numbers"):
        learner.inverse_transform(Z)


def test_infinity_is_refused_and_a_failed_fit_changes_nothing():
    X, _, _ = planted(17)
    learner = KSVD(20, 3, max_iter=2, random_state=0).fit(X)
    before = learner.components_
    X[3, 4] = np.inf
    with pytest.raises(InputError, match="infinity"):
        learner.fit(X)
    assert learner.components_ is before
    with pytest.raises(InputError, match="infinity"):
        learner.transform(X)
    with pytest.raises(InputError, match="a column for each atom"):
        learner.inverse_transform(np.zeros((2, 3)))


@pytest.mark.parametrize("stored", ["memory", "file"])
def test_dropped_atoms_stay_dropped_whatever_the_learner_does_with_unused_ones(stored, tmp_path):
    """The number of atoms is learned: it falls as α grows, and what fell out is zero."""
    X, _, _ = planted(0, n=400, k=6, p=10)
    given = X
    if stored == "file":
        given = tmp_path / "x.parquet"
        pq.write_table(pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])}), given)
    used = []
    for alpha in (0.05, 2.5):
        learner = DictionaryLearner(
            25, LassoCoder(alpha), ProjectedUpdate(unused="drop"), max_iter=15, random_state=0
        ).fit(given)
        zero = np.linalg.norm(learner.components_, axis=1) == 0
        assert learner.n_atoms_used_ == (~zero).sum()
        used.append(learner.n_atoms_used_)
    assert used[1] < used[0]
    assert used[1] < 25


@pytest.mark.parametrize("fitted", [np.float32, np.float64])
@pytest.mark.parametrize("given", [np.float32, np.float64])
def test_codes_have_the_type_of_the_rows_not_of_the_fit(fitted, given):
    X, _, _ = planted(0, n=80)
    learner = KSVD(20, 3, max_iter=2, random_state=0).fit(X.astype(fitted))
    assert learner.components_.dtype == fitted
    for rows in (X.astype(given), csr_array(X.astype(given))):
        Z = learner.transform(rows)
        assert Z.dtype == given
        assert learner.inverse_transform(Z).dtype == given
