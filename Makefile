SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory --no-builtin-rules

# What belongs to another Spark or another Python must not leak in.
unexport SPARK_HOME PYTHONHOME PYTHONPATH

PYTHON ?= python3
ARGS ?=
LOCKS := requirements/build.lock requirements/dev.lock
PY := .venv/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
PIP_OF_DBT := $(PY) -m pip --python .venv/dbt/bin/python install --quiet --disable-pip-version-check
COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header

.PHONY: help
help: ## What can be done here
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

.PHONY: demo
demo: spark ## The whole story on a small example (ARGS="…" goes to the command)
	@.venv/bin/muniment demo $(ARGS)

.PHONY: cdc
cdc: spark ## A PostgreSQL table's history through Debezium and Kafka (examples/cdc)
	@$(PY) -m examples.cdc

.PHONY: sp500
sp500: spark ## Twelve years of an index, captured from an API that only says how things are now (examples/sp500)
	@$(PY) -m examples.sp500 $(ARGS)

.PHONY: dimension
dimension: spark ## Casino players as a dimension, six types in one table (examples/dimension)
	@$(PY) -m examples.dimension

.PHONY: series
series: spark ## A bad day of a series, its discovery and its repair (examples/series)
	@$(PY) -m examples.series

.PHONY: test
test: spark ## All tests (ARGS="-k late tests/spark" chooses)
	@$(PY) -m pytest --quiet --numprocesses 2 --dist loadfile $(ARGS)

.PHONY: heavy
heavy: spark ## The tests that need minutes each: ten thousand histories, kills, two lakes
	@$(PY) -m pytest --quiet --numprocesses 2 --dist loadfile -m heavy $(ARGS)

.PHONY: chain
chain: spark ## PostgreSQL, Debezium and Kafka, killed on the way: is the history the table's? (downloads 150 MB once)
	@$(PY) -m pytest --quiet -m chain $(ARGS) tests/chain

.PHONY: mutants
mutants: spark ## Does a test notice each of a hundred small changes to the fold?
	@$(PY) -m tests.mutation $(ARGS)

.PHONY: lint
lint: .venv/.ready ## Style, types and the import rule
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --quiet --check .
	@$(PY) -m mypy --strict --no-error-summary src tests tools benchmarks examples
	@$(PY) tools/import_rule.py

.PHONY: format
format: .venv/.ready ## Bring the code into the house's form
	@$(PY) -m ruff check --quiet --fix .
	@$(PY) -m ruff format --quiet .

.PHONY: bench
bench: spark .venv/.bench .venv/.dbt ## Measure, and say what was measured (20 minutes; ARGS="--only late --scale 0.1")
	@$(PY) -m benchmarks $(ARGS)

.PHONY: bench-smoke
bench-smoke: spark .venv/.bench ## Figures once, on next to nothing, for two minutes (ARGS="--minutes 30": all of them)
	@$(PY) -m benchmarks --smoke $(ARGS)

.PHONY: lock
lock: ## Choose the versions of all dependencies anew (needs uv)
	@$(COMPILE) --upgrade --group build --output-file requirements/build.lock
	@$(COMPILE) --upgrade pyproject.toml --output-file requirements/runtime.lock
	@$(COMPILE) --upgrade --constraints requirements/runtime.lock --group dev pyproject.toml --output-file requirements/dev.lock
	@$(COMPILE) --upgrade --constraints requirements/dev.lock --group bench --output-file requirements/bench.lock
	@$(COMPILE) --upgrade --group dbt --output-file requirements/dbt.lock

.PHONY: clean
clean: ## Remove what make and the tools left here
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist spark-warehouse metastore_db derby.log src/*.egg-info
	@find src tests tools benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.ready: $(LOCKS) pyproject.toml
	@tools/need python "$(PYTHON)"
	@$(PY) -c '' 2>/dev/null || { echo "Setting up .venv, once; this takes a minute or two" >&2; "$(PYTHON)" -m venv --clear .venv; }
	@$(PIP) --require-hashes --only-binary :all: -r requirements/build.lock
	@$(PIP) --require-hashes --no-build-isolation -r requirements/dev.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.bench: .venv/.ready requirements/bench.lock
	@$(PIP) --require-hashes --only-binary :all: -r requirements/bench.lock
	@touch $@

# dbt brings more packages than all of ours are: it has an environment of its own, made anew where its lock changes. Where it cannot be had,
# the others are measured without it.
.venv/.dbt: requirements/dbt.lock | .venv/.ready
	@$(PY) -m venv --clear --without-pip .venv/dbt && \
	$(PIP_OF_DBT) --no-deps --require-hashes --only-binary :all: -r requirements/dbt.lock && \
	touch $@ || echo "dbt was not installed; the benchmark leaves it out" >&2

# Java is looked for before anything is installed; the jars are looked for each time, because the cache lives elsewhere.
.PHONY: java spark
java:
	@tools/need java

spark: java .venv/.ready
	@$(PY) tools/delta_jars.py 2>.venv/jars.log || { cat .venv/jars.log >&2; exit 1; }
