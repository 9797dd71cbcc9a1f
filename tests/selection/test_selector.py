"""The selector: searches on tables whose answer is known, history, doors and complaints."""

import pickle
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline

from tamis._core import memory
from tamis._core.errors import InputError
from tamis.selection import (
    Backward,
    Evaluation,
    Forward,
    InformationGain,
    Ranking,
    Stop,
    SubsetSelector,
    information_gain,
)
from tamis.sources import as_source

SEARCHES = ["ranking", "forward", "backward"]


def planted(n=400, p=8, seed=0):
    """Columns 2 and p − 3 tell y; the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, p))
    return X, (2 * X[:, 2] + X[:, p - 3]) % 5


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("seed", range(5))
def test_planted_columns_are_found(search, seed):
    X, y = planted(seed=seed)
    fitted = SubsetSelector(search, n_features=2).fit(X, y)
    assert sorted(fitted.selected_features_) == [2, 5]
    assert fitted.support_.nonzero()[0].tolist() == [2, 5]
    assert fitted.score_ == pytest.approx(-sum(c * np.log2(c) for c in np.bincount(y) / len(y)), abs=1e-12)
    np.testing.assert_array_equal(fitted.transform(X), X[:, [2, 5]])


def test_forward_stops_where_nothing_is_gained():
    X, y = planted()
    fitted = SubsetSelector(Forward()).fit(X, y)
    assert sorted(fitted.selected_features_) == [2, 5]
    assert len(fitted.history_) == 8 + 7 + 6
    assert "the search ends" in fitted.history_["reason"][fitted.history_["round"] == 2].max()


def test_backward_goes_on_while_nothing_is_lost():
    X, y = planted(n=2000, p=4)
    X[:, 0], X[:, 1] = X[:, 2], 0
    fitted = SubsetSelector(Backward()).fit(X, y % 3)
    assert fitted.support_[1] == np.False_  # a constant loses nothing
    assert fitted.support_[0] != fitted.support_[2]  # one of two equal columns goes, the lowest
    assert not fitted.support_[0]


def test_tolerance_is_what_a_column_must_bring():
    X, y = planted()
    assert len(SubsetSelector(Forward(tol=3.0)).fit(X, y).selected_features_) == 1
    assert len(SubsetSelector(Backward(tol=-3.0)).fit(X, y).selected_features_) == 1
    with pytest.raises(InputError, match="tol"):
        SubsetSelector(Forward(tol=-1.0)).fit(X, y)


def test_exclusive_or_is_seen_by_pairs_only():
    X = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 5)
    y = X[:, 0] ^ X[:, 1]
    fitted = SubsetSelector("forward").fit(X, y)
    np.testing.assert_array_equal(fitted.scores_, [0, 0])
    assert fitted.selected_features_ == [0, 1]  # the first is taken by the rule for ties, the second brings it all
    assert fitted.score_ == 1.0
    assert SubsetSelector("backward").fit(X, y).selected_features_ == [0, 1]
    assert SubsetSelector("ranking").fit(X, y).support_.sum() == 1


@pytest.mark.parametrize("search", SEARCHES)
def test_column_order_does_not_matter(search):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (300, 7))
    y = (X[:, 1] + X[:, 3] * X[:, 6] + rng.integers(0, 2, 300)) % 3
    order = rng.permutation(7)
    a = SubsetSelector(search, n_features=3).fit(X, y)
    b = SubsetSelector(search, n_features=3).fit(X[:, order], y)
    np.testing.assert_array_equal(a.support_[order], b.support_)


def test_ties_go_to_the_lowest_column_and_are_recorded():
    X, y = planted()
    X[:, 6] = 2 - X[:, 2]  # the same information under other names: equal to rounding
    for search in ("ranking", "forward"):
        fitted = SubsetSelector(search, n_features=1).fit(X, y)
        assert fitted.selected_features_ == [2]
        kept = fitted.history_["kept"].nonzero()[0][0]
        assert "tie of 2" in fitted.history_["reason"][kept]


def walk(search, answers, p=3, **stop):
    """Run a search against given answers; returns what it asked last and the result."""
    run = search.run(p, Stop(**stop), np.random.default_rng(0))
    batch = next(run)
    for answer in answers:
        try:
            batch = run.send(np.array(answer))
        except StopIteration as end:
            return batch, end.value
    raise AssertionError("the search goes on")


def test_rounding_decides_nothing():
    up = 0.1 + 0.2  # 0.30000000000000004
    assert walk(Forward(), [[0.3, 0.1, up]], n_features=1)[1] == (0,)
    assert walk(Ranking(), [[0.3, 0.1, up]], n_features=1)[1] == (0,)
    assert walk(Forward(), [[0.3, 0.1, 0.2], [0.3, up]])[1] == (0,)
    assert walk(Backward(), [[up], [0.1, 0.2, 0.3], [0.0, 0.0]])[1] == (0, 1)
    assert walk(Ranking(), [[1e-17, 0.1, 0.0]])[1] == (1,)


def test_a_class_without_weight_is_none():
    X, y = planted()
    fitted = SubsetSelector().fit(X, y, sample_weight=(y != 3).astype(float))
    assert fitted.classes_.tolist() == [0, 1, 2, 4]
    with pytest.raises(InputError, match="one class"):
        SubsetSelector().fit(X, y, sample_weight=(y == 3).astype(float))


# ---- history -----------------------------------------------------------------------------------------------------


def test_history_tells_the_search():
    X, y = planted(p=4)
    fitted = SubsetSelector("forward", n_features=2).fit(X, y)
    h = fitted.history_
    assert len(h) == 4 + 3
    assert h["round"].tolist() == [0] * 4 + [1] * 3
    assert h["added"].tolist()[:4] == [(0,), (1,), (2,), (3,)]
    assert h["removed"].tolist() == [()] * 7
    assert h["size"].tolist() == [1] * 4 + [2] * 3
    kept = h["kept"].nonzero()[0]
    assert len(kept) == 2
    assert h["parent"].tolist() == [-1] * 4 + [kept[0]] * 3
    np.testing.assert_array_equal(h["score"][:4], fitted.scores_)
    assert h["score"][kept[1]] == fitted.score_
    assert np.isnan(h["spread"]).all()
    assert set(dict(h)) == set(h.keys())
    with pytest.raises(KeyError):
        h["colour"]


def test_history_has_the_seconds_that_subsets_took():
    class Slow(Evaluation):
        def prepare(self, source, *, n_jobs=None, steps=None):
            return None

        def score(self, state, subset):
            time.sleep(0.02 if len(subset) == 2 else 0.0)
            return float(len(subset))

    began = time.perf_counter()
    history = SubsetSelector("forward", Slow(), n_features=2).fit(*planted(p=3)).history_
    last = history["seconds"][history["size"] == 2]
    assert last.min() >= 0.02
    assert history["seconds"].sum() <= time.perf_counter() - began


def test_backward_history_begins_with_all_columns():
    X, y = planted(p=4)
    h = SubsetSelector("backward", n_features=2).fit(X, y).history_
    assert len(h) == 1 + 4 + 3
    assert h["size"].tolist() == [4] + [3] * 4 + [2] * 3
    assert h["parent"].tolist()[:5] == [-1, 0, 0, 0, 0]
    assert [len(c) for c in h["removed"]] == [0] + [1] * 7


def test_ranking_scores_the_selection_as_a_whole():
    X, y = planted(p=4)
    fitted = SubsetSelector("ranking", n_features=2).fit(X, y)
    assert len(fitted.history_) == 4 + 1
    assert fitted.history_["score"][-1] == fitted.score_ > fitted.scores_.max()


@pytest.mark.parametrize("library", [pd, pl, pa])
def test_history_frame_comes_in_the_library_of_the_table(library):
    X, y = planted(p=3)
    columns = {name: X[:, j] for j, name in enumerate("abc")}
    table = pa.table(columns) if library is pa else library.DataFrame(columns)
    fitted = SubsetSelector("forward").fit(table, y)
    frame = fitted.history_frame()
    assert type(frame).__module__.startswith(library.__name__)
    assert len(frame) == len(fitted.history_)
    assert frame["added"].to_pylist()[0] == "a" if library is pa else frame["added"][0] == "a"
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    assert fitted.selected_features_[0] == "c"


# ---- doors -------------------------------------------------------------------------------------------------------


def mixed(n=300, seed=0):
    """Numbers, whole numbers, labels with gaps."""
    rng = np.random.default_rng(seed)
    size = rng.choice(["small", "large", None], n)
    grade = rng.integers(0, 4, n)
    width = rng.normal(size=n)
    width[rng.random(n) < 0.1] = np.nan
    y = np.where((size == "small") ^ (grade > 1) ^ (np.nan_to_num(width) > 0.3), "yes", "no")
    return pd.DataFrame({"size": size, "grade": grade, "width": width, "noise": rng.normal(size=n)}), y


@pytest.mark.parametrize("search", SEARCHES)
def test_every_storage_gives_the_same_selection(search, tmp_path):
    frame, y = mixed()
    whole = frame.assign(answer=y)
    whole.to_parquet(tmp_path / "t.parquet")
    whole.to_csv(tmp_path / "t.csv", index=False)
    storages = [
        (frame, y),
        (pl.from_pandas(frame), y),
        (pa.Table.from_pandas(frame), y),
        (whole, "answer"),
        (tmp_path / "t.parquet", "answer"),
        (str(tmp_path / "t.csv"), "answer"),
        (as_source(tmp_path / "t.parquet", target="answer"), None),
    ]
    fits = [SubsetSelector(search).fit(X, t) for X, t in storages]
    for fitted in fits:
        assert fitted.selected_features_ == fits[0].selected_features_
        np.testing.assert_allclose(fitted.scores_, fits[0].scores_, atol=1e-12, rtol=0)
        assert fitted.classes_.tolist() == ["no", "yes"]


@pytest.mark.parametrize("weighted", [False, True])
def test_files_are_counted_as_the_table_is(tmp_path, weighted):
    frame, y = mixed()
    frame.assign(answer=y).to_parquet(tmp_path / "t.parquet", row_group_size=64)
    weight = np.random.default_rng(0).integers(0, 3, len(frame)) if weighted else None
    in_memory = information_gain(frame, y, sample_weight=weight)
    streamed = information_gain(tmp_path / "t.parquet", "answer", sample_weight=weight)
    np.testing.assert_allclose(streamed, in_memory, atol=1e-12, rtol=0)
    selected = SubsetSelector("ranking").fit(tmp_path / "t.parquet", "answer", sample_weight=weight)
    np.testing.assert_allclose(selected.scores_, in_memory, atol=1e-12, rtol=0)


def test_sparse_is_dense():
    X = sp.random_array((200, 6), density=0.4, rng=np.random.default_rng(0), format="csr")
    y = (X.toarray()[:, 3] > 0).astype(int)
    a, b = (SubsetSelector("ranking", n_features=2).fit(x, y) for x in (X, X.toarray()))
    np.testing.assert_allclose(a.scores_, b.scores_, atol=1e-12, rtol=0)
    assert a.selected_features_ == b.selected_features_
    assert a.transform(X).shape == (200, 2)


def test_discrete_columns_can_be_named():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (500, 3)).astype(float)
    y = X[:, 1].astype(int) % 2
    by_rule = SubsetSelector("ranking").fit(X, y).scores_
    assert by_rule[1] < 0.2
    for discrete in (True, "all", [1], [False, True, False]):
        assert SubsetSelector("ranking", discrete=discrete).fit(X, y).scores_[1] == pytest.approx(1.0, abs=0.01)
    np.testing.assert_array_equal(SubsetSelector("ranking", discrete=False).fit(X, y).scores_, by_rule)


@pytest.mark.parametrize(
    "labels", [np.array(["a", "b"]), np.array([True, False]), np.array([-1, 7], np.int8), np.array([0.0, 2.0])]
)
def test_classes_are_the_labels_as_given(labels):
    X, y = planted()
    given = labels[y % 2]
    fitted = SubsetSelector().fit(X, given)
    assert fitted.classes_.tolist() == sorted(labels.tolist())
    assert not hasattr(SubsetSelector().fit(X, y + 0.5 * X[:, 2]), "classes_")


def test_one_column_one_row():
    assert SubsetSelector().fit([[0], [1]], [0, 1]).selected_features_ == [0]
    with pytest.raises(InputError, match="one class"):
        SubsetSelector().fit([[0]], [1])


# ---- complaints --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"n_features": 9}, "n_features must be at most the number of columns, 8; got 9"),
        ({"n_features": 0}, "n_features must be ≥ 1"),
        ({"n_features": 0.5}, "n_features must be a whole number"),
        ({"search": "forwrad"}, "did you mean 'forward'"),
        ({"evaluation": "gain"}, "evaluation must be one of"),
        ({"evaluation": Ranking()}, "evaluation must be one of"),
        ({"discrete": ["x9"]}, "discrete names column 'x9'"),
        ({"evaluation": InformationGain(task="clustering")}, "task must be one of"),
        ({"evaluation": InformationGain(n_bins=1)}, "n_bins must be ≥ 2"),
    ],
)
def test_complaints_name_the_argument(parameters, message):
    X, y = planted()
    with pytest.raises(InputError, match=message):
        SubsetSelector(**parameters).fit(X, y)


def test_complaints_about_the_table():
    X, y = planted()
    with pytest.raises(InputError, match="one class"):
        SubsetSelector().fit(X, np.zeros(len(X)))
    with pytest.raises(InputError, match="infinity in 'x3'"):
        SubsetSelector().fit(np.where(np.arange(8) == 3, np.inf, X), y)
    with pytest.raises(InputError, match="discrete"):
        SubsetSelector(discrete=True).fit(as_source(X, y))
    with pytest.raises(InputError, match="requires y"):
        SubsetSelector().fit(X)


def test_a_file_that_will_not_fit_says_so_before_it_is_coded(tmp_path, monkeypatch):
    frame, y = mixed()
    frame.assign(answer=y).to_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    with pytest.raises(InputError, match=r"needs 8.4 kB; 1 kB are available"):
        SubsetSelector().fit(tmp_path / "t.parquet", "answer")


# ---- scikit-learn ------------------------------------------------------------------------------------------------


def test_works_inside_scikit_learn():
    X, y = planted()
    grid = GridSearchCV(
        make_pipeline(SubsetSelector(Forward(), n_features=1), BernoulliNB()),
        {"subsetselector__n_features": [1, 2], "subsetselector__search__tol": [0.0, 0.1]},
        cv=3,
    ).fit(X, y)
    assert grid.best_params_["subsetselector__n_features"] == 2
    fitted = SubsetSelector().fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.selected_features_ == fitted.selected_features_
    assert len(again.history_) == len(fitted.history_)
    assert clone(fitted).get_params()["search"] == "forward"


def test_a_frame_in_gives_the_same_frame_out():
    frame, y = mixed()
    fitted = SubsetSelector("ranking", n_features=2).set_output(transform="pandas").fit(frame, y)
    assert list(fitted.get_feature_names_out()) == [n for n in frame.columns if n in fitted.selected_features_]
    pd.testing.assert_frame_equal(fitted.transform(frame), frame[list(fitted.get_feature_names_out())])


def test_progress_is_reported(capsys):
    X, y = planted()
    fitted = SubsetSelector("forward").set_callbacks(ProgressBar()).fit(X, y)
    assert fitted.selected_features_ == SubsetSelector("forward").fit(X, y).selected_features_
    assert "searching" in capsys.readouterr().out


def test_bins_and_choices_are_made_inside_the_folds():
    """Of pure noise nothing can be told in rows left out, unless somebody looked at them before."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 400)), np.tile([0, 1], 50)
    selector = SubsetSelector("ranking", InformationGain(), n_features=10)
    inside = cross_val_score(make_pipeline(selector, GaussianNB()), X, y, cv=10).mean()
    looked = cross_val_score(GaussianNB(), selector.fit_transform(X, y), y, cv=10).mean()
    assert inside < 0.6 < 0.65 < looked


def test_categories_nobody_has_seen_pass_through():
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y"] * 10, ["x", "y", "never"]), "b": np.arange(20.0)})
    selector = SubsetSelector(n_features=1).set_output(transform="pandas").fit(frame, ["p", "q"] * 10)
    assert selector.selected_features_ == ["a"]
    new = pd.DataFrame({"a": ["never", "new"], "b": [0.0, 1.0]})
    assert selector.transform(new)["a"].tolist() == ["never", "new"]
