"""What the tests of the built website share. `make book` builds it; `make test` does so first."""

import os
import shutil
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import Error, sync_playwright

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "html"


def listed(entry):
    """Yield the pages that an entry of _toc.yml names, in reading order."""
    for key in ("root", "file"):
        if key in entry:
            yield str(Path(entry[key]).with_suffix("")) + ".html"
    for key in ("parts", "chapters", "sections"):
        for part in entry.get(key, []):
            yield from listed(part)


CONTENTS = list(listed(yaml.safe_load((ROOT / "_toc.yml").read_text())))


def pytest_generate_tests(metafunc):
    if "page" in metafunc.fixturenames:
        metafunc.parametrize("page", [*CONTENTS, "search.html"])
    if "lesson" in metafunc.fixturenames:
        metafunc.parametrize("lesson", CONTENTS)


@pytest.fixture(scope="session")
def contents():
    return CONTENTS


@pytest.fixture(scope="session")
def site():
    if not SITE.is_dir():
        pytest.fail(f"no website in {SITE}: build it with `make book`", pytrace=False)
    return SITE


@pytest.fixture(scope="session")
def browser():
    """Start the browser that CHROMIUM names, else one on the PATH, else Playwright's own."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except Error as error:
            pytest.fail(
                f"no browser; install Chromium (apt-get install chromium)\n{error}", pytrace=False
            )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def read(site):
    """Return a page as a tree, read once."""
    read_already = {}

    def read_page(page):
        if page not in read_already:
            read_already[page] = BeautifulSoup((site / page).read_text(), "html.parser")
        return read_already[page]

    return read_page
