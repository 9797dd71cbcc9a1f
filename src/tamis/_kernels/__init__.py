"""The compiled kernels: arrays in, arrays out, nothing checked here.

The same sources are built for x86-64-v2, x86-64-v3 and x86-64-v4; the best one this CPU runs is imported.
``TAMIS_KERNELS=v2`` (or ``v3``) asks for a plainer one. Each kernel has its specification in NumPy
under ``tests/reference/``.
"""

import importlib
import os
import platform
from typing import Any


def _load() -> Any:
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return importlib.import_module("tamis._kernels._plain")
    base = importlib.import_module("tamis._kernels._x86_64_v2")
    highest = {"v2": 2, "v3": 3}.get(os.environ.get("TAMIS_KERNELS", ""), 4)
    level = min(highest, base.cpu_level())
    return base if level == 2 else importlib.import_module(f"tamis._kernels._x86_64_v{level}")


kernels = _load()
