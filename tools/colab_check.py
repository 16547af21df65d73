"""Run each lesson as Colab does: alone in a folder, with what Colab brings and nothing of the book.

The lessons are those of a published book, so that their set-up cell installs posenc from GitHub;
git is told to take a copy of this checkout for that address. The rest is as there: pip fetches the
repository, builds a wheel and installs it. Each lesson starts without posenc. Its set-up cell must
add what it names and change no other package, numpy among them.
"""

import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import elsewhere
import lesson
import nbformat
import setup_cell
from repository import ROOT, Repository

BOOK = Repository("someone", "book")
ADDED = {"anywidget", "posenc", "psygnal"}


def outcomes(requirements: Path, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each lesson and what went wrong in it."""
    environment = elsewhere.Environment(folder / "environment", requirements)
    snapshot = elsewhere.snapshot(folder)
    git = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{snapshot}.insteadOf",
        "GIT_CONFIG_VALUE_0": BOOK.address,
    }
    preloaded = environment.packages()
    (folder / "content").mkdir()
    for source in elsewhere.lessons_in(snapshot, folder / "checkout"):
        opened = folder / "content" / source.name
        notebook = lesson.read(source)
        setup_cell.put_into(notebook, BOOK)
        nbformat.write(notebook, opened)
        faults = environment.faults(opened, **git)
        packages = environment.packages()
        added = {package.split("==")[0].split(" @ ")[0] for package in packages - preloaded}
        if added != ADDED:
            faults.append(f"the set-up cell added {sorted(added)}, not {sorted(ADDED)}")
        if lost := preloaded - packages:
            faults.append(f"the set-up cell changed {sorted(lost)}, which were there")
        environment.remove(added)
        yield source.name, faults


def check(name: str) -> bool:
    """Report how the lessons fare with a folder's requirements."""
    with tempfile.TemporaryDirectory(prefix="colab-") as folder:
        return elsewhere.report(name, outcomes(ROOT / name / "requirements.txt", Path(folder)))


if __name__ == "__main__":
    with ThreadPoolExecutor() as pool:
        sys.exit(not all(pool.map(check, sys.argv[1:])))
