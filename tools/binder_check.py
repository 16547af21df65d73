"""Do what Binder does with .binder/, in a fresh environment, and run each lesson there.

The lessons run in a copy of the checkout with nothing done by hand; their set-up cell must find
posenc and install nothing. JupyterLab must have the extension that renders directives.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import elsewhere

EXTENSION = "jupyterlab-myst"


def outcomes(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each thing that is tried and what went wrong in it."""
    checkout = folder / "checkout"
    lessons = elsewhere.lessons_in(elsewhere.snapshot(folder), checkout)
    binder = checkout / ".binder"
    environment = elsewhere.Environment(folder / "environment", binder / "requirements.txt")
    programs = environment.python.parent
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    elsewhere.run(binder / "postBuild", cwd=checkout, PATH=path)
    listed = elsewhere.run(programs / "jupyter-labextension", "list", cwd=folder)
    enabled = re.search(rf"{EXTENSION} v\S+ .*enabled.*OK", listed)
    yield "JupyterLab", [] if enabled else [f"{EXTENSION} is not enabled:\n{listed}"]
    installed = environment.packages()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        names = (source.name for source in lessons)
        yield from zip(names, pool.map(environment.faults, lessons), strict=True)
    changed = environment.packages() ^ installed
    found = [f"one changed {sorted(changed)}, though posenc was there"] if changed else []
    yield "set-up cells", found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="binder-") as folder:
        sys.exit(not elsewhere.report("binder", outcomes(Path(folder))))
