"""Saved estimators: what was saved is loaded, whatever the estimator, and no other file is opened."""

from __future__ import annotations

import io
import json
import sys
import zipfile

import numpy as np
import pytest
from sklearn.callback import ProgressBar
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tamis
from estimators import VARIANTS, public_estimators, shorter
from tamis import InputError
from tamis._core.optional import need
from tamis.base.saved import HEADER
from tamis.selection import TreeSelector

skops_io = pytest.importorskip("skops.io")

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(40, 4)))
NUMBERS = X[:, 0] - X[:, 1]
CLASSES = np.where(np.median(NUMBERS) < NUMBERS, "yes", "no")
METHODS = ("predict", "predict_proba", "decision_function", "transform", "get_support")


def fitted(model):
    kinds = CLASSES if model.__sklearn_tags__().estimator_type == "classifier" else NUMBERS
    try:
        return model.fit(X, kinds)
    except InputError:  # a selector that takes classes only
        return model.fit(X, CLASSES)


def answers(model):
    given = {name: getattr(model, name) for name in METHODS if hasattr(model, name)}
    return {name: method() if name == "get_support" else method(X) for name, method in given.items()}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "model", [*map(shorter, public_estimators()), *VARIANTS], ids=lambda model: repr(model)[:60].replace("\n", "")
)
def test_what_was_saved_is_loaded(model, tmp_path):
    fitted(model).save(tmp_path / "model.skops")
    loaded = tamis.load(tmp_path / "model.skops")
    assert type(loaded) is type(model)
    assert repr(loaded.get_params()) == repr(model.get_params())
    assert vars(loaded).keys() == vars(model).keys()
    known = answers(model)
    assert known
    for name, expected in known.items():
        found = answers(loaded)[name]
        assert type(found) is type(expected)
        dense = [value.toarray() if hasattr(value, "toarray") else value for value in (found, expected)]
        np.testing.assert_array_equal(*dense, err_msg=name)


def test_certificates_of_loaded_models_can_be_verified(tmp_path):
    model = tamis.Lasso(alpha=0.1).fit(X, NUMBERS)
    model.save(str(tmp_path / "model.skops"))
    proved = tamis.load(str(tmp_path / "model.skops")).certificate_.verify(X, NUMBERS)
    assert proved.gap <= max(1e-9 * proved.primal, 2 * model.certificate_.gap)
    assert proved.primal == pytest.approx(model.certificate_.primal, rel=1e-12)


def test_history_of_a_loaded_search_is_whole(tmp_path):
    model = tamis.SubsetSelector(n_features=2).fit(X, CLASSES)
    model.save(tmp_path / "model.skops")
    loaded = tamis.load(tmp_path / "model.skops")
    assert loaded.history_frame().equals(model.history_frame())


def test_unfitted_models_and_those_with_callbacks_are_saved(tmp_path):
    model = tamis.Lasso(alpha=0.3).set_callbacks(ProgressBar())
    model.save(tmp_path / "model.skops")
    assert tamis.load(tmp_path / "model.skops").alpha == 0.3
    assert model._skl_callbacks  # the model itself keeps them


def refused(path, match, **options):
    with pytest.raises(InputError, match=match) as caught:
        tamis.load(path, **options)
    assert "\n" not in str(caught.value)
    assert caught.value.argument == "path"


def saved(path, **header):
    """A file with another header."""
    data = io.BytesIO(skops_io.dumps(tamis.Lasso()))
    with zipfile.ZipFile(data, "a") as archive:
        archive.writestr(HEADER, json.dumps(header))
    path.write_bytes(data.getvalue())
    return path


def test_missing_damaged_and_foreign_files(tmp_path):
    refused(tmp_path / "none.skops", "there is no file")
    (tmp_path / "text").write_text("a,b\n1,2\n")
    refused(tmp_path / "text", "not a model saved by tamis, or is damaged")
    fitted(tamis.Lasso()).save(tmp_path / "model.skops")
    whole = (tmp_path / "model.skops").read_bytes()
    for part in (whole[: len(whole) // 2], whole[:-1], whole[100:], b""):
        (tmp_path / "part").write_bytes(part)
        refused(tmp_path / "part", "not a model saved by tamis, or is damaged")
    skops_io.dump(make_pipeline(StandardScaler()), tmp_path / "pipeline")
    refused(tmp_path / "pipeline", "holds a sklearn.Pipeline, not an estimator of tamis")
    skops_io.dump([1, 2], tmp_path / "list")
    refused(tmp_path / "list", "holds a list, not an estimator of tamis")


def test_newer_files_say_what_to_install(tmp_path):
    refused(saved(tmp_path / "a", format=2, version="9.0.1"), r"saved by tamis 9\.0\.1.*pip install --upgrade tamis")
    assert tamis.load(saved(tmp_path / "b", format=1, version="9.0.1")).alpha == 1.0
    refused(saved(tmp_path / "c", format="new"), "is damaged")


class Own:
    """A class that no file may bring unasked."""


def test_types_of_others_are_not_rebuilt_unless_trusted(tmp_path):
    model = tamis.Lasso()
    model.penalty_, model.function_ = Own(), json.dumps
    model.save(tmp_path / "model.skops")
    own = f"{__name__}.Own"
    refused(tmp_path / "model.skops", "holds objects that tamis does not save")
    refused(tmp_path / "model.skops", "json.dumps", trusted=[own])
    refused(tmp_path / "model.skops", "Own", trusted=["json.dumps"])
    loaded = tamis.load(tmp_path / "model.skops", trusted=[own, "json.dumps"])
    assert isinstance(loaded.penalty_, Own)
    assert loaded.function_ is json.dumps


@pytest.mark.parametrize("name", ["tamis._core.files.write_file", "tamis.cli.main", "tamis.__main__.main", "os.system"])
def test_functions_are_never_trusted(name):
    from tamis.base.saved import _is_trusted

    assert not _is_trusted(name)


def test_trees_that_lead_outside_themselves_are_refused(tmp_path):
    model = fitted(TreeSelector())
    tree = next(value for value in vars(model).values() if hasattr(value, "tree_")).tree_
    tree.children_left[0] = 10**6
    model.save(tmp_path / "model.skops")
    refused(tmp_path / "model.skops", "is damaged")


def test_without_skops_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    need.cache_clear()
    try:
        with pytest.raises(InputError, match=r"saving a model needs skops: pip install 'tamis\[app\]'"):
            tamis.Lasso().save(tmp_path / "model.skops")
    finally:
        need.cache_clear()
    assert not (tmp_path / "model.skops").exists()
