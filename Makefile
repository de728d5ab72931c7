# Every target works on a fresh machine that has only Python (3.11 or newer) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= auto
# Bytecode is kept, whatever the shell says: every worker, and every process a test starts, reads it.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check bench reproduce slow stubs gallery test-browser changelog test-machines test-machines-short clean

demo: $(READY)
	$(BIN)/labelfield demo

test: $(READY)
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell src lab scripts tests docs benchmarks README.md CONTRIBUTING.md
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir $(VENV)/site

bench: $(READY)
	$(BIN)/python -m benchmarks

reproduce: $(READY)
	$(BIN)/python -m lab reproduce $(or $(TABLE),--list)

slow: $(READY)
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m slow

# The review desk in a real browser, and its API against schema-driven requests; makes the pictures of the docs.
test-browser: $(READY)
	command -v chromium > /dev/null || apt-get install -y --no-install-recommends chromium
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[browser]'
	LABELFIELD_SCREENSHOTS=docs/images $(BIN)/python -m pytest -q -n 0 -m browser tests/browser tests/desk

# The unreleased part of CHANGELOG.md anew from the fragments; at a release, before this:
# .venv/bin/towncrier build --yes --version "X.Y.Z (date)"
changelog: $(READY)
	$(BIN)/towncrier build --draft --version Unreleased > $(VENV)/unreleased.md
	sed -e '/<!-- unreleased -->/,/<!-- towncrier/{//!d;}' \
	    -e '/<!-- unreleased -->/r $(VENV)/unreleased.md' CHANGELOG.md > $(VENV)/CHANGELOG.md
	mv $(VENV)/CHANGELOG.md CHANGELOG.md

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $(READY)

test-machines: $(READY)
	$(BIN)/python scripts/test_machines.py

test-machines-short: $(READY)
	$(BIN)/python scripts/test_machines.py --short

stubs: $(READY)
	$(BIN)/python scripts/write_stubs.py

gallery: $(READY)
	$(BIN)/python scripts/write_gallery.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
