"""Build the website: run the lessons, check what they print, render the pages, make them small.

Each stage redoes what changed since the last build. Lessons print what the package computes, so
that a change in ``posenc`` runs them all again.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import feeds
import lesson
import pydata_sphinx_theme
import yaml
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from sphinxcontrib.katex import katex_version

ROOT = lesson.ROOT
SITE = ROOT / "_build" / "html"
WORK = ROOT / "_build" / "work"
CACHE = WORK / "_build" / ".jupyter_cache"
DOCTREES = WORK / "_build" / ".doctrees"
FINGERPRINT = WORK / "fingerprint"
RENDERED = WORK / "rendered"


def fingerprint() -> str:
    """Return a hash of what every page depends on besides its own source."""
    sources = [ROOT / name for name in ("_config.yml", "_toc.yml", "requirements.txt")]
    for folder in ("book/_static", "posenc", "tools"):
        sources += sorted(path for path in (ROOT / folder).rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in sources:
        if path.suffix != ".pyc":
            digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def start_afresh_if_shared_sources_changed() -> None:
    """Leave nothing of an earlier build that could be out of date."""
    current = fingerprint()
    if not FINGERPRINT.exists() or FINGERPRINT.read_text() != current:
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        FINGERPRINT.write_text(current)


@contextmanager
def run_so_far() -> Iterator[JupyterCacheAbstract]:
    """Open the cache of run lessons, and close its database at the end."""
    cache = get_cache(CACHE)
    try:
        yield cache
    finally:
        cache.db.dispose()


def run_lessons(cache: JupyterCacheAbstract) -> None:
    """Run every lesson that the cache lacks, one on each core, and compare what it prints."""

    def cached(path: Path) -> bool:
        try:
            cache.match_cache_notebook(lesson.read(path))
        except KeyError:
            return False
        return True

    def problem_in(path: Path) -> str | None:
        print(f"running {path.name}", flush=True)
        try:
            fresh = lesson.execute(path)
        except lesson.LessonError as error:
            return str(error)
        bundle = CacheBundleIn(fresh, str(path))
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        return None

    waiting = [path for path in lesson.all_lessons() if not cached(path)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        problems = list(filter(None, pool.map(problem_in, waiting)))
    if problems:
        sys.exit("\n\n".join(problems))
    for path in lesson.all_lessons():
        stored = lesson.read(path)
        _, fresh = cache.merge_match_into_notebook(stored)
        found = lesson.faults(stored) + lesson.differences(stored, fresh)
        problems += [f"{path.name}, {problem}" for problem in found]
    if problems:
        sys.exit("\n\n".join([*problems, "`make normalize` stores the new outputs."]))


def render(builder: str) -> None:
    """Render the pages with one of Jupyter Book's builders; a warning is an error."""
    if not RENDERED.exists():  # a page that warned last time must warn again
        shutil.rmtree(DOCTREES, ignore_errors=True)
    RENDERED.unlink(missing_ok=True)
    print("rendering the pages", flush=True)
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    options = ["-q", "-W", "-n", "--keep-going", "--builder", builder, "--path-output", WORK]
    # What Jupyter Book says on success names the folder of this stage, not the finished site.
    if subprocess.call([jupyter_book, "build", ROOT, *options], stdout=subprocess.DEVNULL):
        sys.exit("The pages could not be rendered: see the warnings above.")
    RENDERED.touch()


def slim_command(rendered: Path, site: Path) -> list[Path | str]:
    """Return the command that makes rendered pages a small site."""
    theme = Path(pydata_sphinx_theme.__file__).with_name("assets")
    return ["node", ROOT / "tools/slim.mjs", rendered, site, theme, katex_version]


def make_small() -> None:
    """Write the finished site from the rendered pages."""
    print("making the pages small", flush=True)
    if subprocess.call(slim_command(WORK / "_build/html", SITE)):
        sys.exit("The pages could not be made small: see the message above.")
    if subprocess.call(["node", ROOT / "tools/site_figures.mjs", SITE]):
        sys.exit("The live figures could not be put into the pages: see the message above.")


def write_feeds() -> None:
    """Write what programs read of the site, if it has an address."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    if address := config["html"]["baseurl"]:
        feeds.write(SITE, address, config["author"])


if __name__ == "__main__":
    start_afresh_if_shared_sources_changed()
    with run_so_far() as cache:
        run_lessons(cache)
    render("html")
    make_small()
    write_feeds()
