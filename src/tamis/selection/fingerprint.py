"""What a checkpoint must agree in: the table, the arguments, and the user's own code."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import sys
import sysconfig
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.sources import Source
from tamis.sources.base import original_of

# Code of these is known by its name; that of anybody else is read.
LIBRARIES = frozenset({"tamis", "sklearn", "numpy", "scipy", "joblib", *sys.stdlib_module_names}) - {"__main__"}
INSTALLED = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
MOST_WORDS = 2000
PLAIN = (str, bytes, int, float, complex, bool, type(None))


def fingerprint(source: Source) -> str:
    """Of the numbers, the target, the weights, the names and the kinds of the columns of a table."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(json.dumps(_columns(source)).encode())
    for block in source.blocks():
        X = block.X.tocsr() if sp.issparse(block.X) else block.X
        parts = (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)
        for part in (*parts, block.y, block.weight):
            if part is not None:
                digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _columns(source: Source) -> list[Any]:
    """Name, kind and labels of every column, target included: blocks hold labels as numbers."""
    schema = source.schema
    columns = [*schema.columns, *(() if schema.target is None else (schema.target,))]
    original = original_of(source)
    types_of_frame = getattr(original, "dtypes", getattr(getattr(original, "schema", None), "types", ()))
    described_columns = [
        [c.name, str(c.kind), None if c.levels is None else [repr(v) for v in c.levels]] for c in columns
    ]
    return [
        *described_columns,
        *(str(kind) for kind in types_of_frame),
    ]  # of a frame also its types: a learner may be handed the frame


def described(value: Any) -> str:
    """What an argument is, the same in every process: all parameters of an estimator, all numbers of an array, and the
    source code of functions and classes that come from none of the libraries used here.
    """
    words = _Description().of(value)
    return words if len(words) <= MOST_WORDS else f"{words[:60]}… {_digest(words.encode())}"


class _Description:
    """One description; each function and class is read once, whoever refers to it."""

    def __init__(self) -> None:
        self.read: set[Any] = set()
        self.open: set[int] = set()  # objects being described, which may refer to each other

    def of(self, value: Any) -> str:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, PLAIN):
            return repr(value)
        if id(value) in self.open:
            return "…"
        self.open.add(id(value))
        try:
            return self._of_object(value)
        finally:
            self.open.discard(id(value))

    def _of_object(self, value: Any) -> str:
        if isinstance(value, dict):
            return f"{{{', '.join(f'{k!r}: {self.of(v)}' for k, v in value.items())}}}"
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(self.of(v) for v in value)}]"
        if isinstance(value, (set, frozenset)):
            return f"{{{', '.join(sorted(self.of(v) for v in value))}}}"
        if isinstance(value, np.ndarray):
            return f"{value.dtype}{value.shape} {_digest(self._bytes(value))}"
        if isinstance(value, (np.random.Generator, np.random.RandomState)):
            return type(value).__name__  # its seed was drawn and is in the file
        if isinstance(value, type):
            return self.code(value)
        if isinstance(value, functools.partial):
            return f"partial({self.of(value.func)}, {self.of(value.args)}, {self.of(value.keywords)})"
        if isinstance(value, types.MethodType):
            return f"{self.of(value.__func__)} of {self.of(value.__self__)}"
        if isinstance(value, types.FunctionType):
            return self.code(value)
        if hasattr(value, "get_params"):
            return f"{self.code(type(value))} {self.of(value.get_params(deep=False))}"
        if hasattr(value, "to_list"):  # a series of any library
            return self.of(value.to_list())
        return self._of_other(value)

    def _bytes(self, value: np.ndarray) -> bytes:
        return self.of(value.tolist()).encode() if value.dtype.hasobject else value.tobytes()

    def _of_other(self, value: Any) -> str:
        """Scorers, splitters and whatever else: their class and what they hold; one without is its ``repr``."""
        attributes = getattr(value, "__dict__", None)
        if attributes is None or isinstance(value, types.ModuleType):
            words = repr(value)
            return named(type(value)) if hex(id(value)) in words else words
        return f"{self.code(type(value))} {self.of({k: v for k, v in attributes.items() if not k.endswith('_')})}"

    def code(self, thing: Any) -> str:
        """The name of a function or class; for the user's own also a digest of its code and of what it refers to."""
        if not is_users(thing) or thing in self.read:
            return named(thing)
        self.read.add(thing)
        return f"{named(thing)} {_digest(' '.join(self._read(thing)).encode())}"

    def _read(self, thing: Any) -> Iterator[str]:
        source = _source(thing)
        if source is not None:
            yield source
        if isinstance(thing, type):
            for base in thing.__bases__:
                yield self.code(base)
        if is_installed(thing):  # its own code is enough: what it calls comes with it
            return
        if isinstance(thing, type):
            for name, part in sorted(vars(thing).items()):
                function = getattr(part, "__func__", getattr(part, "fget", part))
                if isinstance(function, types.FunctionType):
                    yield from (name, *self._read_function(function, source is None))
        else:
            yield from self._read_function(thing, source is None or thing.__name__ == "<lambda>")

    def _read_function(self, function: types.FunctionType, bytecode: bool) -> Iterator[str]:
        """Defaults, what it encloses, the functions of its own module that it calls; its bytecode where asked, for
        there may be no source, and two lambdas may stand on one line.
        """
        yield self.of([function.__defaults__, function.__kwdefaults__])
        code = function.__code__
        for cell in function.__closure__ or ():
            yield from self._enclosed(cell)
        for name in sorted(_names(code)):
            other = function.__globals__.get(name)
            if isinstance(other, (type, types.FunctionType)) and other.__module__ == function.__module__:
                yield self.code(other)
        if bytecode:
            yield from _bytecode(code)

    def _enclosed(self, cell: Any) -> Iterator[str]:
        """What changes while it runs, such as a list that counts calls, is left out."""
        try:
            content = cell.cell_contents
        except ValueError:  # not bound yet
            return
        if isinstance(content, (*PLAIN, tuple, frozenset, np.generic, np.ndarray, type, types.FunctionType)):
            yield self.of(content)


def named(thing: Any) -> str:
    """Module and name of a function or class."""
    return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', type(thing).__qualname__)}"


def is_users(thing: Any) -> bool:
    """Whether it comes from none of the libraries whose code is known by its name."""
    module = getattr(thing, "__module__", None) or "builtins"
    return module.partition(".")[0] not in LIBRARIES


def is_installed(thing: Any) -> bool:
    """Whether its module lies where packages are installed."""
    file = getattr(sys.modules.get(thing.__module__), "__file__", None) or ""
    return any(file.startswith(folder) for folder in INSTALLED)


def _names(code: types.CodeType) -> set[str]:
    """What it refers to, with the functions inside it."""
    inside = (_names(part) for part in code.co_consts if isinstance(part, types.CodeType))
    return set(code.co_names).union(*inside)


def _source(thing: Any) -> str | None:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # typed at a prompt, or made by exec
        return None


def _bytecode(code: types.CodeType) -> Iterator[str]:
    yield f"{code.co_code.hex()} {code.co_names}"
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _bytecode(constant)
        else:
            yield repr(constant)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
