"""Fitted estimators as skops files: ``model.save(path)`` and ``tamis.load(path)``.

skops rebuilds only objects of types that are trusted, and runs no code that a file brings. Trusted are what skops
trusts itself (NumPy, scikit-learn's estimators), the estimators of this package and their parts, whose constructors
only keep their arguments, and what their fits leave.
"""

from __future__ import annotations

import copy
import gc
import importlib
import io
import json
import os
import re
import types
import zipfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis._core.evidence import Certificate
from tamis._core.files import write_file
from tamis._core.optional import need

E = TypeVar("E")

FORMAT = 1  # of the file as a whole; raised when older versions could not read it
HEADER = "tamis.json"
TREE = "sklearn.tree._tree.Tree"
# What fits leave besides estimators and certificates: classes that hold values.
VALUES = {
    TREE,  # once its numbers are checked, for scikit-learn does not
    "scipy.sparse._csr.csr_array",
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "tamis._core.evidence.Diagnostics",
    "tamis.lowrank.separation.online.OnlineSubspace",
    "tamis.penalties.terms.Terms",
    "tamis.selection.history.History",
    "tamis.selection.history._Round",
    "tamis.selection.search.base.Additions",
    "tamis.selection.search.base.AdditionsWithPValues",
    "tamis.selection.search.base.RandomSubset",
    "tamis.selection.search.base.Removals",
    "tamis.selection.search.base.SubsetWithWeights",
    "tamis.selection.search.base.Subsets",
    "tamis.solvers.svd.Factors",
    "tamis.stats.code_statistics.CodeStatistics",
}


class SavedMixin:
    """Adds ``save`` to an estimator."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the estimator to a skops file, fitted or not; ``tamis.load`` opens it. Callbacks are not saved."""
        model = copy.copy(self)
        vars(model).pop("_skl_callbacks", None)
        write_saved(Path(path), model)


def load(path: str | os.PathLike[str], *, trusted: Iterable[str] = ()) -> Any:
    """The estimator that ``model.save(path)`` wrote, or the one in a file of ``tamis fit --out``.

    A file cannot run code: one that holds objects of other types than this package, NumPy and scikit-learn save is not
    opened. ``trusted`` names types of your own, such as ``"my_package.MyPenalty"``, that may be rebuilt as well.

    A model of ``tamis fit`` takes the columns that its ``feature_names_in_`` lists: numbers, and 0/1 for each label.
    """
    content = read_saved(Path(path), trusted=trusted)
    model = content.get("model") if isinstance(content, dict) else content
    if not isinstance(model, SavedMixin):
        kind = f"{type(model).__module__.partition('.')[0]}.{type(model).__name__}".removeprefix("builtins.")
        raise InputError(f"{path} holds a {kind}, not an estimator of tamis", argument="path")
    return model


def write_saved(path: Path, content: Any) -> None:
    """A skops file with the content, and a note of what wrote it."""
    skops = need("skops.io", extra="app", purpose="saving a model")
    try:
        file = io.BytesIO(skops.dumps(content))
    except Exception as error:  # whatever a part may raise that skops knows nothing about
        raise InputError(f"{type(content).__name__} holds something that skops cannot save: {error}") from None
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(HEADER, json.dumps({"format": FORMAT, "version": _version()}))
    write_file(path, file.getvalue())


def read_saved(path: Path, *, argument: str = "path", trusted: Iterable[str] = ()) -> Any:
    """The content of a file that ``write_saved`` wrote, or an InputError about ``argument``."""
    skops = need("skops.io", extra="app", purpose="opening a saved model")
    if not path.is_file():
        raise InputError(f"there is no file {path}: give a model saved by tamis", argument=argument)
    data = path.read_bytes()
    try:
        header = _header(data)
        newer = header is not None and header["format"] > FORMAT
        unknown = [] if newer else skops.get_untrusted_types(data=data)
    except Exception as error:  # no archive, or not one of skops
        raise _damaged(path, error, argument) from None
    others = [name for name in unknown if name not in set(trusted) and not _is_trusted(name)]
    if newer or (others and _is_newer(header)):
        raise InputError(
            f"{path} was saved by tamis {header and header['version']}, and this is {_version()}: "
            "pip install --upgrade tamis",
            argument=argument,
        )
    if others:
        raise InputError(
            f"{path} holds objects that tamis does not save ({shorten(others)}): it is not opened",
            argument=argument,
        )
    try:
        content = skops.loads(data, trusted=unknown)
        _check_trees(content)
    except Exception as error:
        raise _damaged(path, error, argument) from None
    return content


def _damaged(path: Path, error: Exception, argument: str) -> InputError:
    return InputError(
        f"{path} is not a model saved by tamis, or is damaged ({type(error).__name__})", argument=argument
    )


def _header(data: bytes) -> dict[str, Any] | None:
    """Format and version; None of a file that skops alone wrote."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if HEADER not in archive.namelist():
            return None
        found = json.loads(archive.read(HEADER))
    return {"format": int(found["format"]), "version": str(found["version"])}


def _is_newer(header: dict[str, Any] | None) -> bool:
    return header is not None and _parts(header["version"]) > _parts(_version())


def _parts(version: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", version)]


def _version() -> str:
    return metadata.version("tamis")


def _is_trusted(name: str) -> bool:
    """Whether rebuilding an object of that class keeps values and does nothing else."""
    if name in VALUES:
        return True
    if not re.fullmatch(r"tamis(\.\w+)+", name) or "__" in name:
        return False
    module, _, cls = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), cls)
    except (ImportError, AttributeError):
        return False
    return isinstance(found, type) and issubclass(found, (BaseEstimator, Certificate))


def _check_trees(content: Any) -> None:
    """ValueError where a decision tree leads outside itself: scikit-learn follows its numbers unchecked."""
    from sklearn.tree._tree import Tree

    for tree in _reachable(content, Tree):
        nodes, at = tree.node_count, np.arange(tree.node_count)
        leaf = tree.children_left == -1
        inside = [((child > at) & (child < nodes)) for child in (tree.children_left, tree.children_right)]
        split = inside[0] & inside[1] & (tree.feature >= 0) & (tree.feature < tree.n_features)
        if not (leaf | split).all():
            raise ValueError("a decision tree leads outside itself")


def _reachable(content: Any, kind: type[E]) -> list[E]:
    """Every object of that kind in the content."""
    seen: dict[int, Any] = {}
    waiting = [content]
    while waiting:
        there = waiting.pop()
        if id(there) in seen or isinstance(there, (type, types.ModuleType, types.FunctionType)):
            continue
        seen[id(there)] = there
        hidden = isinstance(there, np.ndarray) and there.dtype == object  # the one container that hides what it holds
        waiting += there.ravel().tolist() if hidden else gc.get_referents(there)
    return [there for there in seen.values() if isinstance(there, kind)]
