"""What search engines, feed readers and other sites are told of the book."""

from pathlib import Path
from xml.etree import ElementTree as ET

import citation
import feeds
import pytest
import yaml
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

ROOT = Path(__file__).parents[1]
ADDRESS = "https://somebody.example/positions"
ATOM = {"atom": feeds.ATOM_NAMES}
CHANGES = """<title>Changelog</title><article><section><h1>Changelog</h1>
<section id="newer"><h2>1.1.0, 2027-02-03<a href="#newer">#</a></h2>
<p>See <a href="intro.html">the start</a> &amp; more.</p></section>
<section id="older"><h2>1.0.0, 2027-01-02</h2><p>First.</p></section></section></article>"""


@pytest.fixture
def site(tmp_path):
    for page in ("index.html", "search.html", "book/intro.html", "notebooks/01.html"):
        path = tmp_path / page
        path.parent.mkdir(exist_ok=True)
        path.write_text("<title>A page</title>")
    (tmp_path / "book/changes.html").write_text(CHANGES)
    return tmp_path


@pytest.mark.parametrize("address", [ADDRESS, ADDRESS + "/"])
def test_sitemap_has_every_page_that_is_read(site, address):
    feeds.write(site, address, "An author")
    root = ET.parse(site / feeds.SITEMAP).getroot()
    places = [place.text for place in root.iter(f"{{{feeds.SITEMAP_NAMES}}}loc")]
    pages = ("book/changes.html", "book/intro.html", "notebooks/01.html")
    assert places == [f"{ADDRESS}/{page}" for page in pages]


def test_feed_has_every_version(site):
    feeds.write(site, ADDRESS, "An author")
    root = ET.parse(site / feeds.FEED).getroot()
    assert root.findtext("atom:updated", namespaces=ATOM) == "2027-02-03T00:00:00Z"
    assert root.findtext("atom:author/atom:name", namespaces=ATOM) == "An author"
    newer, older = root.findall("atom:entry", ATOM)
    assert newer.findtext("atom:title", namespaces=ATOM) == "1.1.0"
    assert newer.find("atom:link", ATOM).get("href") == f"{ADDRESS}/book/changes.html"
    content = newer.findtext("atom:content", namespaces=ATOM)
    start = f'<a href="{ADDRESS}/book/intro.html">the start</a>'
    assert content == f"<p>See {start} &amp; more.</p>"
    assert older.findtext("atom:updated", namespaces=ATOM) == "2027-01-02T00:00:00Z"
    identifiers = [element.text for element in root.iter(f"{{{feeds.ATOM_NAMES}}}id")]
    assert len(set(identifiers)) == len(identifiers) == 3


def test_writing_twice_changes_nothing(site):
    feeds.write(site, ADDRESS, "An author")
    once = [(site / name).read_bytes() for name in (feeds.SITEMAP, feeds.FEED)]
    feeds.write(site, ADDRESS, "An author")
    assert once == [(site / name).read_bytes() for name in (feeds.SITEMAP, feeds.FEED)]


def test_a_version_without_a_date_is_refused(site):
    (site / feeds.CHANGES).write_text(CHANGES.replace("1.0.0, 2027-01-02", "1.0.0, soon"))
    with pytest.raises(
        ValueError, match=r"CHANGELOG.md: '1.0.0, soon' is not a version and a date"
    ):
        feeds.write(site, ADDRESS, "An author")


def test_the_page_of_changes_makes_a_feed():
    headings = [
        line.removeprefix("## ")
        for line in (ROOT / "CHANGELOG.md").read_text().splitlines()
        if line.startswith("## ")
    ]
    assert headings
    assert all(map(feeds.HEADING.fullmatch, headings)), headings


@pytest.fixture
def head_of_a_page(tmp_path):
    """Return a function that builds a page with the extension; returns its head."""

    def build(address):
        source = tmp_path / "source"
        (source / "book/_static").mkdir(parents=True)
        (source / "index.rst").write_text("A title\n=======\n\nWhat the page is about.\n")
        card = "book/_static/card.png"
        (source / card).write_bytes((ROOT / card).read_bytes())
        settings = {"extensions": ["sharing"], "html_baseurl": address, "html_title": "The book"}
        output = tmp_path / "output"
        trees = tmp_path / "trees"
        with docutils_namespace():  # what a Sphinx registers would be there for the next one
            app = Sphinx(source, None, output, trees, "html", confoverrides=settings, status=None)
            app.build()
        return output, BeautifulSoup((output / "index.html").read_text(), "html.parser").head

    return build


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_a_published_page_has_an_address_and_a_card(head_of_a_page):
    output, head = head_of_a_page(ADDRESS)
    tags = {tag["property"]: tag["content"] for tag in head.find_all("meta", property=True)}
    assert head.find("link", rel="canonical")["href"] == f"{ADDRESS}/index.html"
    assert tags["og:url"] == f"{ADDRESS}/index.html"
    assert tags["og:title"] == "A title"
    assert tags["og:site_name"] == "The book"
    assert tags["og:image"].startswith(f"{ADDRESS}/")
    card = output / tags["og:image"].removeprefix(f"{ADDRESS}/")
    assert card.read_bytes().startswith(b"\x89PNG")
    feed = head.find("link", rel="alternate", type="application/atom+xml")
    assert feed["href"] == f"{ADDRESS}/{feeds.FEED}"


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_a_page_without_an_address_names_none(head_of_a_page):
    _, head = head_of_a_page("")
    assert head.find_all("meta", property=True) == []
    assert head.find_all("link", rel=["canonical", "alternate"]) == []


def test_bibtex_says_what_the_citation_file_says():
    entry = citation.bibtex(
        {
            "authors": [{"name": "The authors"}, {"name": "A friend"}],
            "title": "A Book",
            "date-released": "2027-01-02",
            "version": "1.0.0",
            "url": ADDRESS,
        }
    )
    assert entry == (
        "@misc{posenc,\n"
        "  author = {{The authors} and {A friend}},\n"
        "  title = {{A Book}},\n"
        "  year = {2027},\n"
        "  version = {1.0.0},\n"
        f"  url = {{{ADDRESS}}},\n"
        "}"
    )


def test_the_book_can_be_cited():
    source = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation.bibtex(source).count("\n") >= 4
    assert "{cite-this-book}" in (ROOT / "book/intro.md").read_text()
