"""Installs the competitors one by one, so that one that cannot be had does not take the others with it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

LIST = Path(__file__).parent / "competitors.txt"
PIP = [
    sys.executable,
    "-m",
    "pip",
    "--disable-pip-version-check",
    "--quiet",
    "--no-input",
    "install",
    "--prefer-binary",
]
OURS = ("numpy", "scipy", "scikit-learn", "pyarrow")  # what everybody is measured with: no competitor may change it


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder, "pins.txt")
        pins.write_text("".join(f"{name}=={metadata.version(name)}\n" for name in OURS))
        missing = [what for what, extra in wanted(LIST.read_text()) if not _install(what, extra, pins)]
    for what in missing:
        print(f"benchmarks: {what} could not be installed here; the tables will say so", file=sys.stderr)


def wanted(text: str) -> list[tuple[str, list[str]]]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    parts = [line.partition(";;") for line in lines if line]
    return [(what.strip(), extra.split()) for what, _, extra in parts]


def _install(what: str, extra: list[str], pins: Path) -> bool:
    return subprocess.run([*PIP, "--constraint", str(pins), *extra, what], check=False).returncode == 0


if __name__ == "__main__":
    main()
