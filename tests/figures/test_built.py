"""What is made from sources and committed is up to date; JavaScript's own tests pass."""

import json
import subprocess
from pathlib import Path

import make_js_data
import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("path", make_js_data.made(), ids=lambda path: path.name)
def test_data_for_javascript(path):
    made = make_js_data.made()[path]
    if path.suffix == ".json":  # another processor may round the last digit otherwise
        assert close(json.loads(path.read_text()), json.loads(made)), "run tools/make_js_data.py"
    else:
        assert path.read_text() == made, "run tools/make_js_data.py"


def close(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(close, a, b))
    return a == b if isinstance(a, str) else abs(a - b) <= 1e-12 * max(1, abs(b))


def run(*command):
    done = subprocess.run(["node", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_bundles():
    run("tools/build_figures.mjs", "--check")


def test_javascript():
    run("--test", "--test-reporter=spec", "js/tests/*.test.js")


def test_every_figure_has_room():
    rooms = json.loads((ROOT / "js/src/rooms.json").read_text())
    built = {path.stem for path in (ROOT / "js/src/figures").glob("*.js")}
    assert set(rooms) == built
