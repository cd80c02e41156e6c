# Needs make, git and Python 3.11 or newer. `make PYTHON=/some/python` chooses the interpreter.

.DEFAULT_GOAL := help
.PHONY: help reproduce test update site proofs pins lower clean
.NOTPARALLEL:

PYTHON ?=
CANDIDATES := $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
WORKERS ?= 2
# the tests by which tests/mutants judges a formula, but for the one that reads a derived table;
# and those of sentences
JUDGES := tests/theory/papers tests/theory/lemmas tests/theory/test_derive_noise.py \
	tests/theory/test_sentences.py tests/theory/test_horizons.py tests/privrl/agents \
	tests/privrl/privacy tests/privrl/horizon tests/privrl/diagnose \
	--ignore=tests/privrl/privacy/audit/test_power.py
# with the surroundings before the plugins, which then import in less time; no test takes a
# twentieth of the seconds on two slow cores: one that hangs says where, and ends its worker instead
# of waiting for ever
PYTEST := $(BIN)/pytest -p reproduce.settled -o faulthandler_timeout=2000 \
	-o faulthandler_exit_on_timeout=true
INSTALL := $(BIN)/python -m pip install -qq --no-input --disable-pip-version-check
# how much of the long runs `make reproduce` makes again: nothing, quick, paper or full (resumable)
PROFILE ?=
# which tests `make test` runs: quick, or all of them as CI does; not those of minutes (`long`)
TESTS ?= quick
MARKED_quick := not slow and not long
MARKED_all := not long

# the environment is the one in requirements.txt, whatever the caller's shell has set
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONDONTWRITEBYTECODE MPLBACKEND
export PYTHONNOUSERSITE := 1

help:
	@echo "make reproduce   make notebooks, figures and ledger again, compare with what is committed"
	@echo "                 PROFILE=quick|paper|full: how much of the long runs (docs/cluster.md)"
	@echo "make test        style, types, layers, tests, notebooks: what one runs before a commit"
	@echo "                 TESTS=all: slow tests, too: what every change has to pass"
	@echo "make update      rewrite notebooks, figures, ledger and the README's derived sections,"
	@echo "                 once formulas are tested"
	@echo "make site        the static site, into build/site; no network needed"
	@echo "make proofs      compile the proofs in theory/proofs from nothing (needs Coq)"
	@echo "make pins        show that every pin installs on every promised system (needs uv, network)"
	@echo "make lower       sessions and snapshots with the oldest packages allowed (needs a network)"
	@echo "make clean       remove $(VENV) and every cache"

reproduce: $(STAMP)
	@$(BIN)/python -m reproduce $(if $(PROFILE),--profile $(PROFILE))

# What is derived would take a fault over: nothing is rewritten while a test of a formula or of a
# sentence fails.
update: $(STAMP)
	@$(PYTEST) $(JUDGES) -q -n $(WORKERS) --dist loadscope --no-loadscope-reorder
	@$(BIN)/python -m reproduce --update
	@$(BIN)/python -m theory.rigor.kernel --table

site: $(STAMP)
	@$(BIN)/python -m website.build

proofs: $(STAMP)
	@$(BIN)/python -m theory.rigor.kernel

# Kernels compile in less time, to the same numbers: `make reproduce` compares those of the highest
# level with the same tables.
test: export NUMBA_OPT := 1
test: $(STAMP)
	@$(if $(MARKED_$(TESTS)),:,echo "TESTS must be quick or all, got $(TESTS)" >&2; exit 2)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/lint-imports --no-logo --no-cache
	@echo "mypy, beside the tests"; $(BIN)/mypy >$(VENV)/types 2>&1 & types=$$!; \
	$(PYTEST) tests -m "$(MARKED_$(TESTS))" -q -n $(WORKERS) --dist loadscope \
		--no-loadscope-reorder; tests=$$?; \
	wait $$types; types=$$?; echo "mypy:"; cat $(VENV)/types; exit $$((tests || types))
	$(PYTEST) --nbval notebooks/ -q -n $(WORKERS) --dist loadscope

# A name on the PATH may be a shim that does not run, or a Python without venv: only what really
# runs is taken. An environment that runs is kept, one that does not (its Python was removed) is
# made anew.
$(STAMP): requirements.txt pyproject.toml
	@set -e; usable='import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'; \
	if ! $(BIN)/python -c "$$usable" >/dev/null 2>&1; then \
		found=; \
		for candidate in $(CANDIDATES); do \
			if $$candidate -c "$$usable" >/dev/null 2>&1; then found=$$candidate; break; fi; \
		done; \
		if [ -z "$$found" ]; then \
			echo "Python 3.11 or newer with venv is needed, got none of: $(CANDIDATES)" >&2; exit 1; \
		fi; \
		echo "making $(VENV) with $$($$found -c 'import sys; print("Python", sys.version.split()[0])')"; \
		$$found -m venv --clear $(VENV); \
	fi
	@echo "installing requirements.txt"
	@# --no-compile: half of the time would go into modules that nothing here imports
	@$(INSTALL) --no-compile -r requirements.txt
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $(STAMP)

# From the index's metadata and wheels alone: each resolution must succeed, and need nothing that is
# not pinned. The page then gets the hash of requirements.txt as git has it, which a test holds
# against the file.
pins: NORMAL = awk -F== '{gsub(/[._]/, "-", $$1); print $$1 "==" $$2}'
pins:
	@set -e; mkdir -p build; sed 's/[ ;].*//' requirements.txt | $(NORMAL) > build/pinned; \
	for system in x86_64-manylinux_2_28 aarch64-manylinux_2_28 aarch64-apple-darwin \
		x86_64-pc-windows-msvc; do \
		for python in 3.11.0 3.12.0 3.13.0 3.14.0; do \
			MACOSX_DEPLOYMENT_TARGET=14.0 \
				uv pip compile --quiet --no-config --no-build --no-header --no-annotate \
				--python-platform $$system --python-version $$python requirements.txt > build/needed; \
			if $(NORMAL) build/needed | grep -vixFf build/pinned; then \
				echo "everything needed must be pinned, got for $$system, Python $$python: the above" >&2; \
				exit 1; \
			fi; \
			echo "$$system, Python $$python: $$(wc -l < build/needed) wheels"; \
		done; \
	done; \
	name=$$(git hash-object requirements.txt); \
	sed "s/\`[0-9a-f]\{40\}\`/\`$$name\`/" docs/pins.md > build/pins.md; \
	mv build/pins.md docs/pins.md

# The oldest direct dependencies that pyproject.toml allows, in an environment of their own: what
# outlives a process must be written and opened with them too. The page then gets a hash of what
# pyproject.toml depends on, of the pins and of what files look like, which a test holds against
# all three.
lower: OLDEST = build/lower/bin/python
lower: LAYOUT = tests/privrl/online/layout.txt
lower: BOUNDS = sed -n '/^dependencies = /,/^\[project.scripts\]/p' pyproject.toml
lower:
	@rm -rf build/lower; $(firstword $(wildcard $(BIN)/python) python3) -m venv build/lower
	@$(OLDEST) -m pip install -qq --no-input --disable-pip-version-check uv
	@$(OLDEST) -m uv pip install --quiet --no-config --python $(OLDEST) \
		--resolution lowest-direct ".[dev]"
	@$(OLDEST) -m uv pip list --python $(OLDEST) | grep -E "^(numpy|numba|scipy|opendp) "
	$(OLDEST) -m pytest -q -p no:cacheprovider tests/privrl/online/test_session.py \
		tests/privrl/privacy/test_snapshot.py tests/privrl/privacy/test_journal.py \
		tests/privrl/privacy/test_mechanism.py \
		tests/privrl/privacy/test_filtered.py tests/privrl/privacy/test_shares.py \
		tests/privrl/online/test_shared.py tests/privrl/online/test_http.py \
		tests/privrl/online/test_layout.py
	@name=$$( ($(BOUNDS); cat requirements.txt $(LAYOUT)) | git hash-object --stdin | cut -c1-16); \
	sed "s/\`[0-9a-f]\{16\}\`/\`$$name\`/" docs/pins.md > build/pins.md; mv build/pins.md docs/pins.md

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
