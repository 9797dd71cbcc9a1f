"""``--set NAME.PARAMETER=VALUE``: the parameters of what was chosen by name."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from tamis._core.checks import suggestion
from tamis._core.errors import InputError

# These have options of their own, or come with the table.
OF_THE_QUESTION = frozenset(
    {"n_features", "keep", "feature_groups", "time_limit", "checkpoint", "discrete", "task", "estimator"}
)


def set_parameters(settings: Sequence[str], parts: Mapping[str, Any]) -> None:
    """Set the parameters of the parts, which are called by the names they were chosen by."""
    known = {name.replace("_", "-"): part for name, part in parts.items()}
    for setting in settings:
        name, parameter, value = _read(setting)
        if name not in known:
            used = " and ".join(known)
            raise InputError(
                f"--set {setting}: {name!r} is not in use here, {used} are{suggestion(name, known)}",
                argument="settings",
            )
        settable = [p for p in known[name].get_params(deep=False) if p not in OF_THE_QUESTION]
        if parameter not in settable:
            available = f"has {', '.join(settable)}{suggestion(parameter, settable)}" if settable else "has none to set"
            raise InputError(
                f"--set {setting}: {name} has no parameter {parameter!r}; it {available}", argument="settings"
            )
        known[name].set_params(**{parameter: value})


def _read(setting: str) -> tuple[str, str, Any]:
    path, equals, text = setting.partition("=")
    name, dot, parameter = path.strip().partition(".")
    if not (equals and dot and name and parameter and text):
        raise InputError(
            f"--set {setting} is not of the form NAME.PARAMETER=VALUE, such as beam.width=5", argument="settings"
        )
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    return name.replace("_", "-"), parameter.replace("-", "_"), value
