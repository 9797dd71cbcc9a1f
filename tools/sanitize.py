"""The kernel tests on a build with the address and undefined-behaviour sanitizers: ``make sanitize``.

The sanitized modules are built beside the normal ones and put in their place before Tamis is imported. Paths of tests
as arguments run these alone.
"""

import glob
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "sanitize"
TESTS = [
    *("tests/stats", "tests/solvers", "tests/kernels", "tests/operators", "tests/components", "tests/dictionary"),
    *("tests/lowrank", "tests/sensing", "tests/datafits", "tests/penalties", "tests/selection/comparison"),
    *("tests/selection/test_information_gain.py", "tests/selection/test_relief.py"),
]

RUN = """
import importlib.util, sys
level = 2  # of instructions: loading kernels that this machine cannot run would end it
for path in sys.argv[1].split(":"):
    name = "tamis._kernels." + path.rpartition("/")[2].partition(".")[0]
    if name[-2:] > f"v{level}":
        continue
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    level = sys.modules[name].cpu_level()
from tamis._kernels import kernels
assert kernels.__file__ in sys.argv[1].split(":"), f"not the sanitized kernels: {kernels.__file__}"
import pytest

class WithoutDeadlines:  # every call is slower here; pytest wants to be the first to import hypothesis
    def pytest_configure(self, config):
        from hypothesis import settings
        settings.register_profile("sanitized", deadline=None)
        settings.load_profile("sanitized")

sys.exit(pytest.main(sys.argv[2:], plugins=[WithoutDeadlines()]))
"""


def build():
    """The paths of the sanitized modules."""
    cmake = [sys.executable, "-m", "cmake"]
    options = [f"-DPython_EXECUTABLE={sys.executable}", "-DTAMIS_SANITIZE=ON", "-DCMAKE_BUILD_TYPE=Debug"]
    subprocess.run([*cmake, "-S", str(ROOT), "-B", str(BUILD), *options], check=True)
    subprocess.run([*cmake, "--build", str(BUILD), "--parallel", "2"], check=True)
    return sorted(glob.glob(str(BUILD / "_*.so")))


def runtime(name):
    """The sanitizers' runtime has to be there before Python's own allocations."""
    compiler = os.environ.get("CXX", "c++")
    found = subprocess.run([compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def main():
    modules = build()
    environment = os.environ | {
        "LD_PRELOAD": f"{runtime('libasan.so')} {runtime('libubsan.so')}",
        "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps what it allocates
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    tests = sys.argv[1:] or TESTS
    command = [sys.executable, "-c", RUN, ":".join(modules), "-p", "no:cacheprovider", *tests]
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment).returncode)


if __name__ == "__main__":
    main()
