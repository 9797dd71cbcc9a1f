"""When a document was made, and by which versions: the footer of every page."""

from __future__ import annotations

import platform
from datetime import datetime
from importlib.metadata import version
from typing import Any

PACKAGES = ("tamis", "numpy", "scipy", "scikit-learn")


def made(**more: Any) -> dict[str, Any]:
    """``when`` and ``versions``, and what else there is to say between them."""
    versions = {name: version(name) for name in PACKAGES} | {"python": platform.python_version()}
    return {"when": datetime.now().strftime("%Y-%m-%d %H:%M"), **more, "versions": versions}
