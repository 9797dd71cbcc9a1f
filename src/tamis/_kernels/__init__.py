"""The compiled kernels: arrays in, arrays out, nothing checked here.

The same sources are built for x86-64-v2 and x86-64-v3; the better one this CPU runs is imported. ``TAMIS_KERNELS=v2``
asks for the plainer one. Each kernel has its specification in NumPy under ``tests/reference/``.
"""

import importlib
import os
import platform
from typing import Any


def _load() -> Any:
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return importlib.import_module("tamis._kernels._plain")
    base = importlib.import_module("tamis._kernels._x86_64_v2")
    if os.environ.get("TAMIS_KERNELS", "") == "v2" or base.cpu_level() < 3:
        return base
    return importlib.import_module("tamis._kernels._x86_64_v3")


kernels = _load()
