"""Run the lessons where they were not written: in fresh environments, from a copy of the checkout.

The kernel runs in the fresh environment, whose packages are those that its requirements name; what
starts it and compares what it prints runs in the book's own.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from uuid import uuid4

import lesson
import setup_cell
from repository import ROOT

JUPYTER_PATH_LOCK = Lock()  # environments may be made side by side, and each adds its kernels


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """Return what a command prints, or end with what it complains about."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def snapshot(folder: Path) -> Path:
    """Return a bare repository whose branch main holds the checkout as it is, committed or not."""
    index = {"GIT_INDEX_FILE": str(folder / "index")}
    run("git", "add", "--all", **index)
    tree = run("git", "write-tree", **index).strip()
    author = ("-c", "user.name=elsewhere", "-c", "user.email=")
    commit = run("git", *author, "commit-tree", tree, "-m", "The checkout as it is").strip()
    repository = folder / "repository.git"
    run("git", "init", "--quiet", "--bare", "--initial-branch=main", repository)
    run("git", "push", "--quiet", repository, f"{commit}:refs/heads/main")
    return repository


def lessons_in(repository: Path, folder: Path) -> list[Path]:
    """Copy a repository into a folder and return its lessons, which nobody edits meanwhile."""
    run("git", "clone", "--quiet", repository, folder)
    return sorted((folder / "notebooks").glob("*.ipynb"))


class Environment:
    """A virtual environment, made anew, with what a requirements file names."""

    def __init__(self, folder: Path, requirements: Path):
        self.python = folder / "bin" / "python"
        run(sys.executable, "-m", "venv", folder)
        self._uv("install", "--requirement", requirements)
        self._kernel = f"elsewhere-{uuid4()}"
        run(self.python, "-m", "ipykernel", "install", "--prefix", folder, "--name", self._kernel)
        with JUPYTER_PATH_LOCK:
            known = os.environ.get("JUPYTER_PATH", "")
            os.environ["JUPYTER_PATH"] = f"{folder / 'share' / 'jupyter'}{os.pathsep}{known}"

    def packages(self) -> set[str]:
        """Return all that is installed, each with its version."""
        return set(self._uv("freeze").splitlines())

    def remove(self, packages: set[str]) -> None:
        """Take packages out again, if there are any."""
        if packages:
            self._uv("uninstall", *packages)

    def faults(self, path: Path, **environment: str) -> list[str]:
        """Run a lesson and return what raises, or where it prints something else than is stored."""
        quiet = {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}  # no debugger that could miss a file
        try:
            fresh = lesson.execute(path, kernel=self._kernel, env=os.environ | quiet | environment)
        except lesson.LessonError as error:
            return [str(error)]
        setup = next(cell for cell in fresh.cells if cell.id == setup_cell.ID)
        setup.outputs = []  # what pip says
        return lesson.differences(lesson.read(path), fresh)

    def _uv(self, command: str, *arguments: str | Path) -> str:
        uv = Path(sys.executable).with_name("uv")
        return run(uv, "pip", command, "--python", self.python, *arguments)


def report(name: str, outcomes: Iterable[tuple[str, list[str]]]) -> bool:
    """Print how each lesson fared and return whether all did as they should."""
    well = True
    for lesson_name, faults in outcomes:
        print("\n  ".join([f"{name}: {lesson_name}", *(faults or ["as stored"])]), flush=True)
        well = well and not faults
    return well
