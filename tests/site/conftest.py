"""What the tests of the built website share. `make book` builds it; `make test` does so first."""

from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup

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
def read(site):
    """Return a page as a tree, read once."""
    read_already = {}

    def read_page(page):
        if page not in read_already:
            read_already[page] = BeautifulSoup((site / page).read_text(), "html.parser")
        return read_already[page]

    return read_page
