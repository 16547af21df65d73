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
import lesson

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
    found = re.search(rf"{EXTENSION} v\S+ .*enabled.*OK", listed)
    yield "JupyterLab", [] if found else [f"{EXTENSION} is not enabled:\n{listed}"]

    def faults(source: Path) -> list[str]:
        try:
            return environment.differences(source)
        except lesson.LessonError as error:
            return [str(error)]

    installed = environment.packages()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        yield from zip((source.name for source in lessons), pool.map(faults, lessons), strict=True)
    added = environment.packages() - installed
    yield (
        "set-up cells",
        [f"one installed {sorted(added)}, though posenc was there"] if added else [],
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="binder-") as folder:
        sys.exit(not elsewhere.report("binder", outcomes(Path(folder))))
