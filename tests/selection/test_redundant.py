"""Columns that follow from others: each kind by a planted truth, none in noise, and what is dropped can be rebuilt."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

from tamis import InputError, find_redundant
from tamis.selection import Relation, ScoreLoss


def boxes(seed=0, n=300):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.uniform(1, 3, (n, 3)), columns=["length", "width", "height"])
    table["base_area"] = table["length"] * table["width"]
    return table


def mixed(seed=0, n=400):
    """One column of every kind after its sources."""
    rng = np.random.default_rng(seed)
    f = pd.DataFrame({"a": rng.integers(0, 3, n), "b": rng.integers(0, 3, n), "month": rng.integers(1, 13, n)})
    f["u"], f["v"], f["w"] = rng.normal(size=(3, n))
    f["p"], f["q"] = rng.lognormal(size=(2, n))
    f["mod"] = (f["a"] + f["b"]) % 3
    f["quarter"] = np.array(["spring", "summer", "autumn", "winter"])[(f["month"] - 1) // 3]
    f["name"] = f["month"].map("m{:02d}".format)
    f["twice"] = 2 * f["u"] + 1
    f["exp"] = np.exp(f["v"])
    f["sum"] = f["u"] + f["v"] - 2 * f["w"]
    f["ratio"] = 3 * f["p"] / f["q"] ** 2
    f["cross"] = f["u"] * f["w"]
    f["square"] = -3 * f["v"] ** 2
    f["class"] = np.array(["low", "middle", "high"])[np.digitize(f["w"], [-0.5, 1.0])]
    f["same"] = f["w"]
    f["one"] = 7
    return f


@pytest.mark.parametrize("seed", range(5))
def test_every_kind_is_found_with_its_sources(seed):
    found = find_redundant(mixed(seed))
    kinds = {name: (r.kind, set(r.sources)) for name, r in found.relations.items()}
    assert kinds["mod"] == ("function", {"a", "b"})
    assert kinds["quarter"][0] == "function"
    assert kinds["quarter"][1] in ({"month"}, {"name"})
    assert kinds["name"] == ("copy", {"month"})
    assert kinds["twice"] == ("linear", {"u"})
    assert kinds["exp"] == ("monotone", {"v"})
    assert kinds["ratio"] == ("product", {"p", "q"})
    assert kinds["cross"] == ("product", {"u", "w"})
    assert kinds["square"] == ("product", {"v"})
    assert kinds["class"] == ("steps", {"w"})
    assert kinds["same"] == ("copy", {"w"})
    assert kinds["one"] == ("constant", set())
    assert all(r.exact and r.explained > (0.97 if r.kind == "steps" else 1 - 1e-9) for r in found.relations.values())
    relations = found.relations
    assert relations["twice"].formula == "2 u + 1"
    assert relations["ratio"].formula == "3 × p / q²"
    assert relations["square"].formula == "−3 × v²"
    assert relations["cross"].formula == "u × w"
    assert relations["exp"].formula == "rises with v"
    assert len(found.dropped) == 12  # one for each relation that was planted
    assert not {"p", "q"} <= set(found.dropped)


def rebuilt(found, X):
    """Every dropped column worked out from those that are there, the last dropped first."""
    there = {name: X[name].to_numpy() for name in found.kept}
    for name in reversed(found.dropped):
        r = found.relations[name]
        assert set(r.sources) <= set(there), f"{name} goes before {r.sources}"
        S = [there[s] for s in r.sources]
        if r.kind == "linear":
            there[name] = r.intercept + sum(c * x for c, x in zip(r.coefficients, S, strict=True))
        elif r.kind == "product":
            there[name] = r.intercept * np.prod([x**c for c, x in zip(r.coefficients, S, strict=True)], axis=0)
        elif r.kind == "monotone":
            order = np.argsort(S[0] * r.coefficients[0])
            there[name] = np.empty(len(order))
            there[name][order] = np.sort(X[name])
        elif r.kind == "steps":
            at, values = np.argsort(S[0]), X[name].to_numpy()
            runs = int((values[at][1:] != values[at][:-1]).sum())
            assert runs < 10
            there[name] = values
        else:
            keys = pd.Series(list(zip(*S, strict=True))) if S else pd.Series(["all"] * len(X))
            there[name] = keys.map(dict(zip(keys, X[name], strict=True))).to_numpy()
    return there


@pytest.mark.parametrize("seed", range(3))
def test_what_is_dropped_can_be_rebuilt_from_what_is_kept(seed):
    rng = np.random.default_rng(seed)
    X = mixed(seed)
    X = X[rng.permutation(X.columns)]
    found = find_redundant(X)
    assert sorted(map(str, found.dropped + found.kept)) == sorted(X.columns)
    for name, values in rebuilt(found, X).items():
        if X[name].dtype.kind == "f":
            np.testing.assert_allclose(values, X[name], rtol=1e-6, atol=1e-6)
        else:
            assert (values == X[name]).all()


TABLES = {
    "tall": lambda rng: rng.normal(size=(200, 10)),
    "square": lambda rng: rng.normal(size=(30, 28)),
    "wide": lambda rng: rng.normal(size=(12, 40)),
    "tiny": lambda rng: rng.normal(size=(5, 6)),
    "skewed": lambda rng: rng.lognormal(size=(40, 20)),
    "heavy tails": lambda rng: rng.standard_cauchy((50, 20)),
    "coins": lambda rng: rng.integers(0, 2, (40, 12)),
    "dice": lambda rng: rng.integers(0, 6, (60, 15)),
    "counts": lambda rng: rng.integers(0, 30, (80, 8)),
    "correlated": lambda rng: rng.normal(size=(60, 1)) + 0.5 * rng.normal(size=(60, 12)),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("seed", range(3))
def test_noise_follows_from_nothing(kind, seed):
    assert not find_redundant(TABLES[kind](np.random.default_rng(seed))).relations


@pytest.mark.parametrize("noise", [0.01, 0.03, 0.08])
def test_the_noise_of_a_near_sum_is_told(noise):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 6))
    X[:, 5] = X[:, 0] + X[:, 2] + noise * rng.normal(size=2000)
    relation = find_redundant(X, keep=[0, 2]).relations[5]
    assert relation.sources == (0, 2)
    assert not relation.exact
    assert relation.residual == pytest.approx(noise / np.sqrt(2 + noise**2), rel=0.05)
    assert 1 - relation.explained == pytest.approx(noise**2 / (2 + noise**2), rel=0.1)
    assert not find_redundant(X, threshold=0.99999).relations


def test_a_sum_of_many_is_found_where_it_is_exact():
    rng = np.random.default_rng(0)
    dummies = np.eye(7)[rng.integers(0, 7, 300)]
    found = find_redundant(dummies)
    assert found.dropped == [6]
    assert found.relations[6].sources == (0, 1, 2, 3, 4, 5)
    np.testing.assert_allclose(found.relations[6].coefficients, -1.0)


def test_very_large_and_very_small_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    X[:, 3] = X[:, 0] + X[:, 2]
    scale = np.array([1e200, 1.0, 1e200, 1e-100])
    relation = find_redundant(X * scale).relations[3]
    assert relation.exact
    np.testing.assert_allclose(np.array(relation.coefficients) * 1e200 * 1e100, 1.0)


def test_two_near_copies_do_not_send_each_other_away():
    rng = np.random.default_rng(0)
    chain = np.cumsum(rng.normal(size=(500, 8)) * np.array([1.0, *[0.06] * 7]), axis=1)
    found = find_redundant(chain)
    assert found.dropped
    for j in found.dropped:  # each follows from kept columns directly: what is lost does not add up
        assert set(found.relations[j].sources) <= set(found.kept)


@pytest.mark.parametrize("seed", range(3))
def test_the_base_area_is_redundant_and_helps_a_tree(seed):
    table = boxes(seed)
    volume = table["base_area"] * table["height"]
    found = find_redundant(table, volume)
    assert found.relations["base_area"].formula == "length × width"
    assert found.verdicts["base_area"] == "helpful"
    assert found.losses["base_area"].pvalue < 0.05
    linear = find_redundant(table, 2 * table["length"] + table["width"] + table["height"], learner=LinearRegression())
    assert linear.verdicts["base_area"] == "drop"
    assert linear.dropped == ["base_area"]
    assert linear.together.mean == pytest.approx(0.0, abs=1e-9)
    assert linear.score == pytest.approx(1.0)
    assert find_redundant(table, keep=["base_area"]).verdicts["base_area"] == "keep"


def test_classes_labels_and_files(tmp_path):
    X = mixed()
    y = np.where(X["quarter"] == "summer", "warm", "cold")
    found = find_redundant(X, y, n_repeats=2)
    assert found.score == pytest.approx(1.0)
    assert found.together.mean <= 0.01
    assert find_redundant(pl.from_pandas(X), y, n_repeats=2).dropped == found.dropped
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    there = find_redundant(tmp_path / "t.csv", "y", n_repeats=2)
    assert there.dropped == found.dropped
    assert there.losses == found.losses
    frame = found.frame()
    assert frame["column"].tolist() == list(found.relations)
    assert frame.loc[frame["column"] == "twice", "formula"].item() == "2 u + 1"
    assert isinstance(find_redundant(pl.from_pandas(X)).frame(), pl.DataFrame)
    assert pickle.loads(pickle.dumps(found)).verdicts == found.verdicts
    assert "twice = 2 u + 1 (exactly)" in str(found)


@pytest.mark.parametrize("seed", range(4))
def test_order_scale_and_weights_change_nothing(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 8))
    X[:, 6] = X[:, 1] + X[:, 3] + X[:, 4] + 0.02 * rng.normal(size=200)
    X[:, 7] = np.exp(X[:, 2])
    whole = {j: set(r.sources) for j, r in find_redundant(X).relations.items()}
    order = rng.permutation(8)
    other = find_redundant(X[:, order]).relations
    assert {order[j]: {order[s] for s in r.sources} for j, r in other.items()} == whole
    scaled = find_redundant(X * rng.uniform(-100, 100, 8)).relations
    assert {j: set(r.sources) for j, r in scaled.items()} == whole
    weight = rng.integers(0, 3, 200)
    a = find_redundant(X, sample_weight=weight).relations
    b = find_redundant(np.repeat(X, weight, axis=0)).relations
    assert {j: set(r.sources) for j, r in a.items()} == {j: set(r.sources) for j, r in b.items()} == whole
    for j in a:
        np.testing.assert_allclose(a[j].coefficients, b[j].coefficients, rtol=1e-6)
        assert a[j].residual == pytest.approx(b[j].residual, rel=1e-6, abs=1e-12)


def test_sparse_and_single_precision_tables():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 8)) < 0.3, rng.normal(size=(300, 8)), 0.0)
    X[:, 7] = X[:, 2] - X[:, 5]
    assert find_redundant(sp.csr_array(X)).relations.keys() == find_redundant(X).relations.keys() == {2, 5, 7}
    single = boxes().astype(np.float32)
    assert find_redundant(single).relations["base_area"].exact


def test_gaps_are_values_of_functions_and_leave_rows_out_elsewhere():
    rng = np.random.default_rng(0)
    X = mixed()
    X.loc[rng.random(len(X)) < 0.1, "twice"] = np.nan
    X["same"] = X["w"] = X["w"].where(rng.random(len(X)) > 0.1)
    X["flag"] = X["w"].isna()
    X["empty"] = np.nan
    X["seldom"] = X["u"].where(rng.random(len(X)) < 0.1)
    found = find_redundant(X)
    assert found.relations["twice"].formula == "2 u + 1"
    assert found.relations["same"].kind == "copy"
    assert found.relations["empty"].kind == "constant"
    assert "seldom" not in found.relations  # it would leave one row in ten
    X["quarter"] = X["quarter"].where(X["month"] != 3)
    assert find_redundant(X).relations["quarter"].kind == "function"


def test_the_correction_of_nadeau_and_bengio():
    d = np.random.default_rng(0).normal(0.1, 0.3, 15)
    loss = ScoreLoss.of(d, 0.2)
    error = np.sqrt(np.var(d, ddof=1) * (1 / 15 + 0.25))
    assert loss.error == pytest.approx(error)
    assert loss.pvalue == pytest.approx(stats.t.sf(d.mean() / error, 14))
    assert ScoreLoss.of(np.zeros(5), 0.2) == ScoreLoss(0.0, 0.0, 1.0)


@pytest.mark.deep
def test_useless_columns_are_rarely_called_helpful():
    """Dropping a copy changes nothing but ties: the test at 5 % must not fire more often than that, by far."""
    calls = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 4))
        X[:, 3] = X[:, 0] + 0.02 * rng.normal(size=120)
        y = X[:, 1] + X[:, 2] + rng.normal(size=120)
        calls += "helpful" in find_redundant(X, y, n_repeats=2).verdicts.values()
    assert calls <= stats.binom.ppf(0.999, 40, 0.05)


def test_real_data():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    found = find_redundant(X, y, n_repeats=1)
    area = found.relations["mean area"]
    assert (area.kind, area.sources) == ("product", ("mean radius",))
    assert area.coefficients[0] == pytest.approx(2.0, abs=0.05)
    assert {"mean perimeter", "mean area", "worst area"} <= set(found.dropped)


def test_formulas():
    assert Relation("d", ("a", "b"), "linear", 1.0, 0.0, (-1.0, 2.5), -3.0).formula == "−a + 2.5 b − 3"
    assert Relation("d", ("a", "b"), "product", 1.0, 0.0, (1.0, -1.0), 1.0).formula == "a / b"
    assert Relation("d", ("a", "b"), "product", 1.0, 0.0, (-1.0, -2.0), 0.5).formula == "0.5 / (a × b²)"
    assert Relation("d", ("a",), "product", 1.0, 0.0, (1.5,), 2.0).formula == "2 × a^1.5"
    assert str(Relation("d", ("a", "b"), "function", 0.995, 0.01)) == "d is a function of a, b (0.995 explained)"
    assert str(Relation("d", ("a",), "steps", 0.98, 0.0)) == "d goes by steps of a (exactly)"
    assert str(Relation("d", (), "constant", 1.0, 0.0)) == "d is constant (exactly)"
    assert str(Relation("d", ("a",), "monotone", 1.0, 0.0, (-1.0,))) == "d falls with a (exactly)"


@pytest.mark.parametrize(
    "given, message",
    [
        ({"threshold": 0.0}, "threshold must be > 0 and ≤ 1"),
        ({"threshold": 1.1}, "threshold must be > 0 and ≤ 1"),
        ({"max_sources": 0}, "max_sources must be ≥ 1"),
        ({"keep": ["hight"]}, "did you mean 'height'"),
        ({"cv": 1}, "cv must be ≥ 2"),
        ({"cv": 400}, "cannot split n_samples=300"),
        ({"n_repeats": 0}, "n_repeats must be ≥ 1"),
        ({"learner": "tree"}, "learner must be a scikit-learn estimator"),
        ({"learner": KNeighborsRegressor(), "sample_weight": np.arange(300.0)}, "KNeighborsRegressor fits all rows"),
        ({"learner": GaussianNB(var_smoothing="x")}, "y|learner"),
        ({"scoring": "nonsense"}, "learner"),
        ({"random_state": -1}, "random_state must be ≥ 0"),
    ],
)
def test_bad_arguments_are_named(given, message):
    table = boxes()
    with pytest.raises(InputError, match=message):
        find_redundant(table, table["base_area"] * table["height"], **given)


def test_bad_tables_are_named():
    with pytest.raises(InputError, match="infinity in 'x1'"):
        find_redundant([[1.0, np.inf], [2.0, 1.0], [3.0, 2.0]])
    with pytest.raises(InputError, match="one has 1"):
        find_redundant(
            np.random.default_rng(0).normal(size=(20, 3)), ["a"] * 19 + ["b"], learner=DecisionTreeClassifier()
        )
    with pytest.raises(InputError, match="0 sample"):
        find_redundant(np.empty((0, 3)))


@pytest.mark.parametrize("X", [np.ones((1, 3)), np.ones((4, 1)), np.array([[1.0, 2.0], [3.0, 4.0]])])
def test_next_to_nothing_gives_an_answer(X):
    found = find_redundant(X)
    assert found.kept
    assert len(found.kept) + len(found.dropped) == X.shape[1]
