"""Builds the kernels with the address and undefined-behaviour sanitizers and runs the tests that reach them."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

SITE = Path("build/sanitized")
TESTS = ["tests/core", "tests/stats", "tests/solvers", "tests/selection"]

subprocess.check_call(
    [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--no-deps",
     "--upgrade", "--target", str(SITE), "-C", "build-dir=build/sanitize", "-C", "cmake.define.TAMIS_SANITIZE=ON", "."]
)  # fmt: skip

compiler = os.environ.get("CXX", "g++")
runtime = subprocess.check_output([compiler, "-print-file-name=libasan.so"], text=True).strip()
# -S with an explicit path: the editable install of .venv must not come before the sanitized one.
path = [SITE, Path(sysconfig.get_path("purelib")), Path("tests")]
environment = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(str(p.absolute()) for p in path),
    "LD_PRELOAD": runtime,
    "ASAN_OPTIONS": "detect_leaks=0,halt_on_error=1",  # CPython keeps memory until it exits
    "UBSAN_OPTIONS": "halt_on_error=1,print_stacktrace=1",
}
quick = [
    "-k",
    "not contract and not import_is_light and not ctrl_c and not fork and not joblib",
    "-o",
    "testpaths=tests",
]
plain = ["-q", "-p", "no:cacheprovider", "-o", "filterwarnings=default"]
sys.exit(subprocess.call([sys.executable, "-S", "-m", "pytest", *plain, *quick, *TESTS], env=environment))
