# Every target makes the virtual environment it needs, from Python 3.11 to 3.14 and make alone.
PYTHON ?= python3
VENV := .venv
INSTALLED := $(VENV)/.installed
PEERS := $(VENV)/.peers

.DEFAULT_GOAL := help
.PHONY: help train test test-peers lint bench clean

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

train: $(INSTALLED) ## Train an agent by self-play and report its strength
	$(VENV)/bin/python -m experiments.train

test: $(INSTALLED) ## Run the tests
	$(VENV)/bin/python -m pytest -n auto --maxprocesses 8

test-peers: $(PEERS) ## Run the tests against public engines, which this installs
	$(VENV)/bin/python -m pytest tests/peers

lint: $(INSTALLED) ## Check style, types and the direction of imports
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/pyright
	$(VENV)/bin/lint-imports --no-logo

bench: $(INSTALLED) ## Measure the environment's speed
	$(VENV)/bin/python -m experiments.benchmark core
	$(VENV)/bin/python -m experiments.benchmark presets

clean: ## Remove the virtual environment and every cache, compiled kernels included
	rm -rf $(VENV) .hypothesis .import_linter_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' || { \
	    echo "Python 3.11 to 3.14 is needed, but '$(PYTHON)' is:" \
	        "$$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; \
	    exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --disable-pip-version-check \
	    --constraint constraints.txt --editable '.[train,dev]'
	@touch $@

$(PEERS): $(INSTALLED)
	$(VENV)/bin/python -m pip install --disable-pip-version-check \
	    --constraint constraints.txt --editable '.[peers]'
	@touch $@
