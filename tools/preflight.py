"""Says in one line what this machine lacks to build Tamis, before anything is installed. Runs on any Python 3."""

import os
import shutil
import sys
import sysconfig


def missing():
    if sys.version_info < (3, 11):
        return "Python 3.11 or newer is needed, this is %d.%d: use make PYTHON=python3.12" % sys.version_info[:2]
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        return "the venv module is incomplete: install the package python3-venv"
    compiler = os.environ.get("CXX", "").split(" ")[0]
    if not any(shutil.which(c) for c in (compiler, "c++", "g++", "clang++") if c):
        return "no C++ compiler found: install the package g++ (or set CXX)"
    header = os.path.join(sysconfig.get_path("include"), "Python.h")
    if not os.path.exists(header):
        return "Python's headers are missing (%s): install the package python3-dev" % header
    return None


problem = missing()
if problem:
    sys.exit("tamis: " + problem)
