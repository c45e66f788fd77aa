# Everything that a newcomer needs: `make run` opens the application, `make test` shows that it works.
# Needs Python 3.11 or newer, make and git; all else is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Tests wait for terminals and processes: twice as many as there are processors keep these busy.
JOBS ?= $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))')
WORKSPACE ?=

.PHONY: run setup test test-all lint size attacks faults writing-eval bench snapshots schemas messages clean

run: setup  ## open the application: in WORKSPACE, or in a sample workspace
	@$(BIN)/dogent-tui $(if $(WORKSPACE),"$(WORKSPACE)",--sample)

setup: $(READY)  ## make .venv/bin/dogent-tui

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "dogent-tui needs Python 3.11 or newer: install it, or say which one with make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || .ci/debian python3-venv
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $(READY)

lint: setup  ## style, types, and who may import whom
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

size:  ## how large each room is, in tokens
	@$(PYTHON) .ci/size

test: WHICH := not thorough
test test-all: lint  ## `make test` in four minutes what a change is tried with, `make test-all` everything, as CI does; JOBS=1 for one process
	@.ci/printing $(BIN)/python || true  # the tests that print say so where there is no browser
	@.ci/faces || true  # the tests of the endpoint for pages say so where there is no npm
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m "$(WHICH)"  # what the tests of a file share is made once

attacks: setup  ## every attack, every row of the corpora and every everyday command behind the wall: a quarter of an hour
	@DOGENT_ATTACKS_EACH=1 $(BIN)/python -m pytest -q tests/wall/test_attacks.py tests/wall/test_everyday.py
	@$(BIN)/python -m tests.permissions.run_behind_wall

faults: setup  ## state × victim × fault at random moments: 500 rows, an hour or more; `make faults SEED=17` resumes and repeats
	@$(BIN)/python -m tests.faults $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

writing-eval: setup  ## have the model of PROFILE do the tasks of writing, and check them; resumes; `TASKS="report letter"` for some
	@$(BIN)/python -m tests.writing --profile "$(PROFILE)" $(TASKS)

bench: setup  ## measure, print a table, write .bench/*.json
	@$(BIN)/python -m tests.benchmarks

snapshots: setup  ## accept what the screens look like now
	@$(BIN)/python -m pytest -n $(JOBS) -m snapshot --snapshot-update

schemas: setup  ## rewrite dogent_tui/schemas after a change to the configuration models
	@$(BIN)/python -c 'import runpy; runpy.run_path(".ci/schemas", run_name="__main__")'

LOCALE := dogent_tui/locale
# Functions that translate one of their arguments; tests/test_language.py collects the same.
TRANSLATING := -k bound:3 -k hidden:3 -k command:2
messages: setup  ## collect the messages, merge the translations, and compile them
	@$(BIN)/pybabel -q extract --omit-header --no-location --sort-output -k tr -k ngettext:1,2 $(TRANSLATING) -o $(LOCALE)/dogent_tui.pot dogent_tui
	@for each in zh_CN; do \
		$(BIN)/pybabel -q update --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date -D dogent_tui -l $$each \
			-i $(LOCALE)/dogent_tui.pot -d $(LOCALE) && \
		$(BIN)/pybabel -q compile -D dogent_tui -l $$each -d $(LOCALE) || exit 1; done
	@rm $(LOCALE)/dogent_tui.pot

clean:
	@rm -rf $(VENV) .bench build dist
