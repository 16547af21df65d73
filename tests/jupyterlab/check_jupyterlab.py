"""Live figures in JupyterLab with a running kernel: both sides move what both sides see.

`make jupyterlab` runs this. JUPYTERLAB names the folder of an environment made from
requirements.txt beside this file.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[2]
# How each figure is made, what Python sets, and what it reads after the reader's move.
FIGURES = {
    "Fingerprint": ("Fingerprint()", "position = 9", "position"),
    "Clocks": ("Clocks()", "dim = 4", "position"),
    "OrderProblem": ("OrderProblem()", "order = [0, 2, 1]", "position"),
    "Quiz": ("Quiz.of('02_sinusoids')", "answers = [1, 0, -1, -1]", "answers"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Start JupyterLab in an empty folder; yields its address and the folder."""
    folder = tmp_path_factory.mktemp("lab")
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


@pytest.fixture
def window():
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 1280, "height": 1400})
        browser.close()


def write(folder, name):
    """Store a notebook that shows a figure, sets it, and reads it."""
    make, setting, read = FIGURES[name]
    cells = [
        f"from posenc.figures import {name}\nfigure = {make}\nfigure",
        f"figure.{setting}",
        f"print('now', figure.{read})",
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = new_notebook(cells=[*map(new_code_cell, cells)], metadata={"kernelspec": kernel})
    nbformat.write(notebook, folder / f"{name}.ipynb")


def run(cell):
    """Run a cell and wait until it has a number; a kernel that still starts is asked again."""
    prompt = cell.locator(".jp-InputPrompt")
    for _ in range(6):
        cell.locator(".cm-content").click()
        cell.page.keyboard.press("Shift+Enter")
        try:
            expect(prompt).not_to_have_text("[ ]:", timeout=10_000)
            break
        except AssertionError:
            continue
    expect(prompt).to_have_text(re.compile(r"^\[\d+\]:$"), timeout=60_000)


@pytest.mark.parametrize("name", FIGURES)
def test_moves_from_both_sides(server, window, name):
    address, folder = server
    write(folder, name)
    window.goto(f"{address}lab/tree/{name}.ipynb?reset")
    cells = window.locator(".jp-Notebook .jp-CodeCell")
    expect(cells).to_have_count(3, timeout=60_000)
    window.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=60_000)
    run(cells.first)
    figure = window.locator(".pf")
    figure.wait_for(timeout=60_000)
    assert window.locator(".pf-failure").count() == 0

    before = figure.inner_text()
    run(cells.nth(1))  # Python sets
    window.wait_for_function(
        "(text) => document.querySelector('.pf').innerText !== text", arg=before
    )

    if name == "Quiz":  # the reader moves
        figure.locator(".pf-option").nth(2).click()
        expected = "now [2, 0, -1, -1]"
    elif name == "OrderProblem":
        figure.locator(".pf-toggle").click()
        expected = "now True"
    else:
        slider = figure.get_by_label("Position", exact=True)
        slider.focus()
        window.keyboard.press("Home")
        expected = "now 0"
    window.wait_for_timeout(500)
    run(cells.nth(2))  # Python reads
    expect(cells.nth(2).locator(".jp-OutputArea-output")).to_have_text(expected, timeout=30_000)

    assert (
        window.evaluate("getComputedStyle(document.querySelector('.pf')).borderTopWidth") == "1px"
    )
