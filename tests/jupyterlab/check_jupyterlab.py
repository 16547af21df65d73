"""Live figures in JupyterLab with a running kernel: both sides move what both sides see.

`make jupyterlab` runs this. JUPYTERLAB names the folder of an environment made from
.binder/requirements.txt, CHROMIUM the browser.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect, sync_playwright

from posenc import figures

ROOT = Path(__file__).parents[2]
LAB = "ExtrapolationLab.of(trained, rescues=['stretch'])"
# For each figure: how it is made if not by its name alone, what Python sets, the control that the
# reader moves (a slider to its lower end, anything else by a click), and what Python then reads.
FIGURES = {
    "OrderProblem": ("", "order = [0, 2, 1]", ".pf-toggle", "position", "True"),
    "Fingerprint": ("", "position = 9", "Position", "position", "0"),
    "Clocks": ("", "dim = 4", "Position", "position", "0"),
    "ScoreTerms": ("", "norm = 1.5", "input[value=random]", "weights", "random"),
    "CompareSchemes": ("", "scheme = 'rope'", "Anchor 3", "third", "0"),
    "RopePair": ("", "theta = 90", "Query at m", "query", "0"),
    "AlibiMatrix": ("", "head = 3", "Query", "row", "0"),
    "NopeLeak": ("", "causal = False", "Token read", "token", "1"),
    "FrequencySpectrum": ("", "method = 'linear'", "Pair", "pair", "0"),
    "ExtrapolationLab": (LAB, "at = 64", "input[value=tail]", "measure", "tail"),
    "Quiz": (
        "Quiz.of('02_sinusoids')", "answers = [1, 0, -1, -1]",
        ".pf-option >> nth=2", "answers", "[2, 0, -1, -1]",
    ),
}  # fmt: skip
ALL_CELLS = {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}}
EVERY = [name for name in figures.__all__ if getattr(getattr(figures, name), "specs", dict)()]


def test_every_figure_is_here():
    assert set(FIGURES) == set(EVERY)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Start JupyterLab in an empty folder; yields its address and the folder."""
    folder = tmp_path_factory.mktemp("lab")
    overrides = folder / "config/labconfig/default_setting_overrides.json"
    overrides.parent.mkdir(parents=True)
    overrides.write_text(json.dumps(ALL_CELLS))
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
    }
    program = Path(os.environ["JUPYTERLAB"]).resolve() / "bin/jupyter-lab"
    command = [
        program, "--no-browser", "--allow-root",
        "--ServerApp.port=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}",
    ]  # fmt: skip
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        lines = []
        for line in process.stderr:
            lines.append(line)
            if found := re.search(r"http://(?:localhost|127\.0\.0\.1):\d+/", line):
                break
        else:
            pytest.fail("JupyterLab did not start:\n" + "".join(lines))
        yield found[0], folder
        process.terminate()


@pytest.fixture(scope="module")
def window(server):
    """Open a notebook with a setting and a reading of every figure; yields its page."""
    address, folder = server
    cells = ["from posenc import trained\nfrom posenc.figures import *"]
    for name, (make, setting, _, read, _) in FIGURES.items():
        cells += [
            f"figure = {make or name + '()'}\nfigure",
            f"figure.{setting}",
            f"print('now', figure.{read})",
        ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = new_notebook(cells=[*map(new_code_cell, cells)], metadata={"kernelspec": kernel})
    nbformat.write(notebook, folder / "figures.ipynb")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 1400})
        page.goto(f"{address}lab/tree/figures.ipynb?reset")
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=60_000)
        run(page, 0)
        yield page
        browser.close()


def cell(window, number):
    """Return a cell by its place."""
    return window.locator(".jp-Notebook .jp-Cell").nth(number)


def run(window, number):
    """Run a cell and wait until it has a number; a kernel that still starts is asked again."""
    asked = cell(window, number)
    prompt = asked.locator(".jp-InputPrompt")
    for _ in range(6):
        asked.locator(".cm-content").click()
        window.keyboard.press("Control+Enter")
        try:
            expect(prompt).not_to_have_text("[ ]:", timeout=10_000)
            break
        except AssertionError:
            continue
    expect(prompt).to_have_text(re.compile(r"^\[\d+\]:$"), timeout=60_000)
    return asked


@pytest.mark.parametrize("name", FIGURES)
def test_moves_from_both_sides(window, name):
    *_, control, _, expected = FIGURES[name]
    first = 1 + 3 * list(FIGURES).index(name)
    figure = run(window, first).locator(".pf")
    figure.wait_for(timeout=60_000)
    assert window.locator(".pf-failure").count() == 0
    assert figure.evaluate("(figure) => getComputedStyle(figure).borderTopWidth") == "1px"

    before = figure.inner_text()
    run(window, first + 1)  # Python sets
    window.wait_for_function(
        "([figure, text]) => figure.innerText !== text", arg=[figure.element_handle(), before]
    )

    slider = figure.get_by_label(control, exact=True)
    if slider.count():  # the reader moves
        slider.press("Home")
    else:
        figure.locator(control).click()
    read = cell(window, first + 2)
    output = read.locator(".jp-OutputArea-output")
    for _ in range(5):  # the move is on its way to the kernel
        run(window, first + 2)
        expect(output).to_have_count(1, timeout=30_000)
        if output.inner_text().strip() == f"now {expected}":
            break
    expect(output).to_have_text(f"now {expected}")
