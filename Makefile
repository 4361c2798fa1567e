# Every target sets up what it needs. `make` alone lists the targets.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
LAB := $(BIN)/python -m lab
STACK_READY := .venv/.installed
LAB_READY := $(STACK_READY) .lab/emulator-venv/.installed

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | sort | column -t -s $$'\t'

.PHONY: demo demo-down lab-up lab-down
demo: $(LAB_READY) ## run the whole story in the lab: pods, nodes, and back to none
	@$(LAB) demo
demo-down: $(LAB_READY) ## destroy the lab's stack with pods still running, prove that nothing is left, stop the lab
	@$(LAB) demo-down
lab-up: $(LAB_READY) ## start the lab without deploying anything
	@$(LAB) up
lab-down: $(LAB_READY) ## stop the lab and forget what was in it
	@$(LAB) down

.PHONY: test test-fast test-covered test-lab lint bench
FAST := $(BIN)/pytest -n 2 -m "not engine and not lab" --disable-socket --allow-unix-socket
test: test-covered test-lab ## every test, the lab's story included
test-fast: $(STACK_READY) ## the tests without lab and network
	@$(FAST)
test-covered: $(STACK_READY) ## the same, and at least 95 % of the branches of settings and components
	@$(FAST) --cov --cov-report=term:skip-covered --cov-fail-under=95
test-lab: $(LAB_READY) tools ## the tests that run the real engine in a running lab
	@$(BIN)/pytest -m "engine or lab" -n 2 --dist loadfile --durations=10
lint: $(STACK_READY) ## ruff, mypy --strict, import-linter, the ledger of AMIs
	@$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy . && $(BIN)/mypy examples/app-stack/__main__.py && $(BIN)/lint-imports && $(BIN)/python -m ops ami check
bench: $(LAB_READY) tools ## previews with 1 to 500 NodePools beside their floor
	@$(LAB) bench

.PHONY: tools docs lock
tools: $(LAB_READY) ## build the lab's programs, where they are not built yet
	@$(LAB) tools
docs: $(STACK_READY) ## write again what is generated: tables, references, schema
	@$(BIN)/python -m tests.generated --write
lock: $(STACK_READY) ## pin the newest versions that the .in files allow
	@for f in requirements requirements-dev lab/emulator/requirements; do \
	  $(BIN)/uv pip compile -q --python-version 3.11 --universal --fork-strategy fewest --generate-hashes --no-strip-extras \
	    --no-emit-index-url --no-emit-find-links --no-header --no-config --no-annotate $$f.in -o $$f.txt; done

.venv/.installed: requirements-dev.txt
	@if [ -z "$(PYTHON)" ]; then echo "Python 3.11 or newer is needed and not on PATH: install it, or run make PYTHON=/path/to/python3" >&2; exit 1; fi
	@echo "setting up .venv ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@
.lab/emulator-venv/.installed: lab/emulator/requirements.txt
	@if [ -z "$(PYTHON)" ]; then echo "Python 3.11 or newer is needed and not on PATH: install it, or run make PYTHON=/path/to/python3" >&2; exit 1; fi
	@echo "setting up .lab/emulator-venv ..."
	@$(PYTHON) -m venv .lab/emulator-venv
	@.lab/emulator-venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r lab/emulator/requirements.txt
	@touch $@
