# Edit, `make check`, commit. The programs are those of .venv, where there is one (`make install` makes it).
PYTHON ?= $(or $(wildcard .venv/bin/python .venv/Scripts/python.exe),python)
WORKERS ?= 2
FOLDERS = docspec training benchmarks tests samples docs examples integrations methods
PYTEST = $(PYTHON) -m pytest -q -n $(WORKERS)
COVERAGE = --cov --cov-report= -p tests.coverage_children # one report of all data, at the end

.DEFAULT_GOAL := help
.PHONY: help install format lint types test test-all docs check all coverage bench dist

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

install: ## .venv with what a change needs, and the check before each commit
	python3 -m venv .venv
	.venv/bin/pip install -q -c constraints.txt -e '.[dev]'
	.venv/bin/pre-commit install

format: ## sources formatted, and mended where ruff can
	$(PYTHON) -m ruff check --fix $(FOLDERS)
	$(PYTHON) -m ruff format $(FOLDERS)

lint: ## ruff's rules and format
	$(PYTHON) -m ruff check $(FOLDERS)
	$(PYTHON) -m ruff format --check $(FOLDERS)

types: ## mypy
	$(PYTHON) -m mypy

test: ## the fast tests
	$(PYTEST)

test-all: ## every test
	$(PYTEST) --all

docs: ## the documentation, in build/site
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build -q

check: lint types test docs ## what must hold before a commit

all: lint types test-all docs ## the same with every test

coverage: ## lines that the fast tests run, and that all run, by package
	COVERAGE_FILE=build/coverage/fast $(PYTEST) $(COVERAGE)
	COVERAGE_FILE=build/coverage/all $(PYTEST) --all $(COVERAGE)
	$(PYTHON) -m tests.coverage_table build/coverage/fast build/coverage/all

bench: ## plain decoding against the ways of drafting, on one sample page (minutes)
	$(PYTHON) -m docspec bench speed samples/journal-article.pdf --mode page --mode hierarchical --mode window

dist: ## sdist and wheel in dist/, checked
	rm -rf build/lib dist
	$(PYTHON) -m build
	$(PYTHON) -m twine check --strict dist/*
