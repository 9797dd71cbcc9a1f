# Every verb sets itself up in .venv with nothing but python3 -m venv and pip, and rebuilds only what changed.
PYTHON ?= python3
PY := .venv/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet --no-input
KERNELS := CMakeLists.txt pyproject.toml $(wildcard src/tamis/_kernels/*.cpp src/tamis/_kernels/*.hpp)
# Built in the tree, so that only what changed is built again. A plain pip install builds in a folder of its own, for two
# at once would otherwise build in one.
EDITABLE := install --no-build-isolation --config-settings=build-dir=build/{wheel_tag} --editable
ONLY ?=
# A file is run by one process, which makes what its tests share once; in the order of names the short doctests come last.
BY_FILE := -n 2 --dist loadfile --no-loadscope-reorder
# What is tested once more on the kernels that older machines run.
PLAINLY := tests/kernels tests/stats $(patsubst %,tests/solvers/test_%.py,descent_kernel block_descent multi_output_working_set lars omp orthogonal_pursuit)

.PHONY: demo test test-all lint bench docs clean sanitize
.DELETE_ON_ERROR:

demo: .venv/.app
	$(PY) -m tamis demo

# Compiled modules are kept, whatever the shell says: hundreds of processes that tests start would compile them again.
test test-all: export PYTHONDONTWRITEBYTECODE =

test: .venv/.dev lint
	@command -v chromium chromium-browser google-chrome >/dev/null || echo "No browser: tests of the pages are skipped (apt install chromium)"
	$(PY) -m pytest $(BY_FILE)
	TAMIS_KERNELS=v2 $(PY) -m pytest $(BY_FILE) $(PLAINLY)

# Everything: also what is marked deep, and ten thousand cases and more of the generators in tests/attack. Takes hours.
test-all: .venv/.dev lint
	TAMIS_ATTACK=long $(PY) -m pytest -n 2 -m "deep or not deep"
	TAMIS_KERNELS=v2 $(PY) -m pytest $(BY_FILE) $(PLAINLY)

lint: .venv/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -c "from importlinter.cli import lint_imports_command as lint; lint()"

bench: .venv/.bench
	$(PY) -m benchmarks $(ONLY)

docs: .venv/.docs
	$(PY) -m sphinx -q -W --keep-going docs docs/_build/html
	@echo "docs/_build/html/index.html"

sanitize: .venv/.dev
	$(PY) tools/sanitize.py

clean:
	rm -rf .venv build docs/_build .pytest_cache .mypy_cache .ruff_cache

.venv/.base: | preflight
	$(PYTHON) -m venv .venv
	$(PIP) install "scikit-build-core>=0.11" "nanobind>=2.7" cmake ninja
	@touch $@

# The kernels and what every verb needs to run the command line.
.venv/.app: .venv/.base $(KERNELS)
	$(PIP) $(EDITABLE) ".[app]"
	@touch $@

.venv/.dev .venv/.docs: .venv/.%: .venv/.app
	$(PIP) $(EDITABLE) ".[$*]"
	@touch $@

# The competitors are installed one by one: one that cannot be had here is reported and does not stop the others.
.venv/.bench: .venv/.app benchmarks/competitors.txt
	$(PIP) $(EDITABLE) ".[bench]"
	$(PY) -m benchmarks.install
	@touch $@

.PHONY: preflight
preflight:
	@$(PYTHON) tools/preflight.py
