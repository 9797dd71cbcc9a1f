"""The library's complaints in the words of the command line."""

from __future__ import annotations

import re

from tamis.selection.evaluation import EVALUATIONS
from tamis.selection.search import SEARCHES

ARGUMENTS = {
    "n_features": "--n-features",
    "feature_groups": "--feature-groups",
    "time_limit": "--time-limit",
    "checkpoint": "--resume",
}
CLASSES = {kind.__name__: name.replace("_", "-") for name, kind in [*SEARCHES.items(), *EVALUATIONS.items()]}
_UNQUOTED = r"(?<![\w'‘.-])"  # a column of the table may have any name


def in_options(words: str) -> str:
    """``n_features=(3, 2)`` becomes ``--n-features 3-2``, ``Forward`` becomes ``forward``."""
    known = ARGUMENTS | CLASSES
    words = re.sub(rf"{_UNQUOTED}({'|'.join(known)})(?![\w'’])", lambda m: known[m[1]], words)
    words = re.sub(rf"{_UNQUOTED}keep(?= (asks|holds|names|must|as)\b)", "--keep", words)
    words = re.sub(r"(--[a-z-]+)=(?=\S)", r"\1 ", words)
    words = re.sub(r"(--n-features |got )\((\d+), (\d+)\)", r"\1\2-\3", words)
    return re.sub(r"\b([a-z-]+)\((\w+)='(\w+)'\)", r"\1 with --set \1.\2=\3", words)
