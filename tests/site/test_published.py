"""What the pages gain once the book is published, shown on a book of three small pages.

It is built with the settings, extensions and steps of the whole book, so that a change of the theme
that breaks a button is seen before anybody publishes.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import build_site
import nbformat
import publish
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from repository import ROOT, Repository

ADDRESS = "https://github.com/someone/a-book"
SITE = "https://someone.github.io/a-book/"
PAGES = ("book/start.html", "notebooks/01_small.html")
TABLE_OF_CONTENTS = """\
format: jb-book
root: book/start.md
chapters:
  - file: notebooks/01_small.ipynb
"""


@pytest.fixture(scope="module", params=[None, ADDRESS], ids=["before", "published"])
def small_book(request, tmp_path_factory):
    """Return the address, or None before it is set, and the pages that are built with it."""
    root = tmp_path_factory.mktemp("book")
    for path, write in publish.places().items():
        if path.parent == ROOT:
            (root / path.name).write_text(write(path.read_text(), None))
    (root / "_toc.yml").write_text(TABLE_OF_CONTENTS)
    (root / "tools").symlink_to(ROOT / "tools")
    shutil.copytree(ROOT / "book/_static", root / "book/_static")
    (root / "book/start.md").write_text("# A start\n\nWords with $x$.\n")
    (root / "notebooks").mkdir()
    cells = [new_markdown_cell("# A lesson\n\nWords."), new_code_cell("print(1)")]
    nbformat.write(new_notebook(cells=cells), root / "notebooks/01_small.ipynb")
    if request.param:
        publish.publish(request.param, root)
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    for command in (
        [jupyter_book, "build", root, "-q", "-W", "-n"],
        build_site.slim_command(root / "_build/html", root / "site"),
    ):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return request.param, root / "site"


@pytest.fixture(params=PAGES)
def small_page(request, small_book):
    """Return the address, the page's path and the page."""
    address, site = small_book
    return address, site / request.param, tree(site / request.param)


def tree(path):
    return BeautifulSoup(path.read_text(), "html.parser")


def buttons(page):
    """Return what stands on each button and link of the header that leads away from the site."""
    links = page.select(".article-header-buttons a[href^=https]")
    return {link.get_text().strip(): link["href"] for link in links}


def test_buttons_lead_to_the_repository(small_page):
    address, path, content = small_page
    source = {".html": ".md"}.get(path.suffix) if path.parent.name == "book" else ".ipynb"
    name = f"{path.parent.name}/{path.stem}"
    expected = {}
    if address:
        expected = {
            "Repository": address,
            "Suggest edit": f"{address}/edit/main/{name}{source}",
            "Open issue": f"{address}/issues/new?title=Issue%20on%20page%20%2F{name}.html"
            "&body=Your%20issue%20content%20here.",
        }
    if address and source == ".ipynb":
        book = Repository.at(address)
        expected |= {
            "Binder": book.binder(f"{name}.ipynb"),
            "Colab": book.colab(f"{name}.ipynb"),
        }
    assert buttons(content) == expected


def test_every_button_has_a_picture(small_page):
    _, path, content = small_page
    found = content.select(".article-header-buttons .btn__icon-container")
    assert len(found) >= 3
    for icon in found:
        drawn = icon.select_one("svg path, img")
        assert drawn, icon
        if drawn.name == "img":
            assert (path.parent / drawn["src"]).stat().st_size > 0
        else:
            assert drawn["d"].startswith("M")


def test_the_page_names_its_canonical_address(small_page):
    address, path, content = small_page
    name = path.relative_to(path.parents[1]).as_posix()
    canonical = [link["href"] for link in content.select("link[rel=canonical]")]
    shared = [tag["content"] for tag in content.select("meta[property='og:url']")]
    assert canonical == shared == ([f"{SITE}{name}"] if address else [])


def test_before_it_no_page_mentions_a_host_of_it(small_book):
    address, site = small_book
    hosts = re.compile(r"mybinder\.org|colab\.research|github\.io|github\.com/someone")
    text = "".join(path.read_text() for path in site.rglob("*.html"))
    assert bool(hosts.search(text)) == bool(address)
