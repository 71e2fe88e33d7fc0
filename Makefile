# Everything a newcomer or a contributor types. Needs Python 3.11 and a C/C++ compiler; the rest
# (cmake and ninja too) comes from PyPI into .venv.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ENGINE_SOURCES := $(shell find engine -type f 2>/dev/null) CMakeLists.txt pyproject.toml
SHOW_PROGRESS := match($$0, /\[[0-9]+\/[0-9]+\]/) && shown++ % 5 == 0 { \
  printf "\r  engine %s", substr($$0, RSTART, RLENGTH); fflush() } END { if (shown) print "" }
SHELL := /bin/bash
CXX_SOURCES := $(shell find engine tests/native -name '*.[ch]pp' -o -name '*.h' 2>/dev/null)

.PHONY: demo test lint format sanitize bench bench-certificates bench-python bench-liveness bench-start bench-memory bench-swarm bench-abstraction bench-c bench-c-programs bench-cluster bench-cluster-scale spin c-packages clean

demo: $(VENV)/.ready
	@$(BIN)/assay demo

test: $(VENV)/.ready-to-develop spin c-packages lint
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.ready-to-develop
	$(BIN)/clang-format --dry-run --Werror $(CXX_SOURCES)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest assay._engine --ignore-disjoint-bases \
	  --allowlist tests/architecture/stubtest-allowlist.txt

format: $(VENV)/.ready-to-develop
	$(BIN)/clang-format -i $(CXX_SOURCES)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The part of the sanitized build that CI has no time for.
sanitize: $(VENV)/.ready-to-develop
	$(BIN)/python -m pytest -n 0 tests/native/sanitized_engine.py

bench: $(VENV)/.ready-to-develop spin
	$(BIN)/python -m benchmarks

bench-certificates: $(VENV)/.ready-to-develop
	$(BIN)/python -m benchmarks.certificates --commands --repetitions 3
	$(BIN)/python -m benchmarks.certificates

bench-python: $(VENV)/.ready-to-develop
	$(BIN)/python -m benchmarks.python

bench-liveness: $(VENV)/.ready-to-develop spin
	$(BIN)/python -m benchmarks.liveness

bench-start: $(VENV)/.ready-to-develop spin
	$(BIN)/python -m benchmarks.start

bench-swarm: $(VENV)/.ready-to-develop spin
	$(BIN)/python -m benchmarks.swarm
	$(BIN)/python -m benchmarks.swarm --kill

# On paper, from costs that were measured: see docs/cluster-scale.md.
bench-cluster-scale: $(VENV)/.ready-to-develop
	$(BIN)/python -m benchmarks.cluster_scale

bench-c: $(VENV)/.ready-to-develop spin
	$(BIN)/python -m benchmarks.embedded_c

bench-c-programs: $(VENV)/.ready-to-develop
	$(BIN)/python -m benchmarks.c_programs

bench-abstraction: $(VENV)/.ready-to-develop
	$(BIN)/python -m benchmarks.abstraction
	$(BIN)/python -m benchmarks.infinite

bench-cluster: $(VENV)/.ready-to-develop
	$(BIN)/python -m benchmarks.cluster

bench-memory: $(VENV)/.ready-to-develop
	$(BIN)/python -m benchmarks.caching
	$(BIN)/python -m benchmarks.coverage
	$(BIN)/python -m benchmarks.spilling
	$(BIN)/python -m benchmarks.memory --quick

# The differential tests compare with SPIN. Root installs Debian's package; others are told.
spin:
	@command -v spin >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    apt-get install -y -q spin >/dev/null || { apt-get update -q && apt-get install -y -q spin; }; \
	  else \
	    echo "spin is not installed: tests that compare with it are skipped (Debian: apt-get install spin)"; \
	  fi; }

# C that nobody here wrote, for the tests of embedded C.
c-packages:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && \
	    ! { [ -e /usr/include/uthash.h ] && [ -e /usr/include/bsd/sys/tree.h ]; }; then \
	  apt-get install -y -q uthash-dev libbsd-dev >/dev/null \
	    || { apt-get update -q && apt-get install -y -q uthash-dev libbsd-dev; }; fi

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# What a user gets: the package, built and installed. Rebuilt when the engine changes. Whoever develops has
# warnings about the engine as errors, from the first build on (what .ready-to-develop sets is set for what it
# needs, too), and the sources in their place. The finder that does the latter is told not to be rewritten by
# pytest, which else warns in every project, and where bytecode may not be written, it is made here: every start
# would compile all sources. That of the finder, too: it is changed in the second in which it was compiled.
$(VENV)/.ready-to-develop: STRICT := ON
STRICT := $(if $(wildcard $(VENV)/.ready-to-develop),ON,OFF)
$(VENV)/.ready: $(BIN)/python $(ENGINE_SOURCES)
	@echo "Building Assay into $(VENV), once: some five minutes with two processors, ten with one"
	@set -o pipefail; $(BIN)/python -m pip install --verbose --disable-pip-version-check \
	  --config-settings=cmake.define.ASSAY_STRICT=$(STRICT) $(if $(filter ON,$(STRICT)),--editable) . 2>&1 \
	  | tee $(VENV)/build.log | awk '$(SHOW_PROGRESS)' || { cat $(VENV)/build.log; exit 1; }
	@for finder in $(VENV)/lib/python*/site-packages/_editable_*_assay_mc.py; do \
	  [ ! -e "$$finder" ] || { sed -i '1s/^from __future__/"""PYTEST_DONT_REWRITE"""\n\n&/' "$$finder" && \
	  $(BIN)/python -m compileall -q -f "$$finder"; }; done
	@$(BIN)/python -m compileall -q src/assay
	@touch $@

$(VENV)/.ready-to-develop: $(VENV)/.ready
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --group dev
	@touch $@

clean:
	rm -rf build dist $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
