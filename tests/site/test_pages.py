"""Every built page: complete, self-contained, well formed."""

import functools
import posixpath
import re
from collections import Counter
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

pytestmark = pytest.mark.site

# What a browser fetches by itself, as against what it follows.
LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "audio": "src",
    "video": "src",
    "source": "src",
    "track": "src",
    "embed": "src",
    "object": "data",
    "use": "href",
}
LOADING_RELATIONS = {
    "stylesheet",
    "icon",
    "preload",
    "modulepreload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
}

# Addresses that scripts mention but do not fetch: names of XML vocabularies, and manuals.
MENTIONED = (
    "http://www.w3.org/",
    "https://clipboardjs.com/",
    "https://developer.mozilla.org/",
    "https://popper.js.org",
    "https://pydata-sphinx-theme.readthedocs.io/",
)


def loaded_addresses(tree):
    for name, attribute in LOADED.items():
        for element in tree.find_all(name, attrs={attribute: True}):
            yield element[attribute]
    for element in tree.find_all(srcset=True):
        yield from (part.split()[0] for part in element["srcset"].split(","))
    for link in tree.find_all("link", href=True):
        if LOADING_RELATIONS & set(link["rel"]):
            yield link["href"]
    for element in tree.find_all(style=True):
        yield from styled_addresses(element["style"])
    for style in tree.find_all("style"):
        yield from styled_addresses(style.get_text())


def styled_addresses(css):
    for _, address in re.findall(r"""url\(\s*(["']?)(.*?)\1\s*\)""", css):
        yield address
    yield from re.findall(r"""@import\s+["']([^"']+)""", css)


def elsewhere(address):
    return bool(urlsplit(address).netloc)


def target(page, address):
    """Return the file of the site that a link on a page leads to, and the anchor in it."""
    path, anchor = urldefrag(address)
    path = urlsplit(path).path
    return (
        posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(path))) if path else page
    ), anchor


def text_of(tree):
    """Return the part of a page that is its own, without the copy of the contents for print."""
    return tree.find("article") or tree.find("main").find("div", class_="bd-content")


def test_the_pages_are_those_of_the_table_of_contents(site, contents):
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert built == {*contents, "index.html", "search.html"}


def test_the_front_page_leads_to_the_first_page(read, contents):
    assert read("index.html").find("a")["href"] == contents[0]


def test_loads_nothing_from_another_host(page, read):
    assert [address for address in loaded_addresses(read(page)) if elsewhere(address)] == []


def test_everything_it_loads_is_there(page, read, site):
    wanted = [
        address for address in loaded_addresses(read(page)) if not address.startswith("data:")
    ]
    assert [address for address in wanted if not (site / target(page, address)[0]).is_file()] == []


def test_styles_and_scripts_name_no_other_host(site):
    css = (site / "_static/site.css").read_text()
    assert [address for address in styled_addresses(css) if elsewhere(address)] == []
    for script in site.rglob("*.js"):
        addresses = re.findall(r"""https?://[^\s"'`)<>]+""", script.read_text())
        if script.name == "searchindex.js":  # titles and words of pages, which nothing fetches
            continue
        assert [address for address in addresses if not address.startswith(MENTIONED)] == []


@pytest.fixture(scope="module")
def anchors(read):
    return functools.cache(lambda page: {element["id"] for element in read(page).find_all(id=True)})


def test_links_lead_somewhere(page, read, site, anchors):
    broken = []
    for link in read(page).find_all("a", href=True):
        address = link["href"]
        if elsewhere(address) or urlsplit(address).scheme in {"mailto", "data"}:
            continue
        path, anchor = target(page, address)
        if path.endswith(".html") and (site / path).is_file():
            if anchor and unquote(anchor) not in anchors(path):
                broken.append(address)
        elif not (site / path).exists():
            broken.append(address)
    assert broken == []


def test_pictures_are_described_in_words(page, read):
    mute = [
        picture["src"]
        for picture in read(page).find_all("img")
        if not picture.get("alt") or re.search(r"\.(svg|png|jpe?g)$", picture["alt"])
    ]
    assert mute == [], "a code cell gives its picture words with the cell metadata mystnb.image.alt"


def test_pictures_keep_room_and_load_late(page, read):
    for picture in read(page).find_all("img"):
        assert picture["loading"] == "lazy"
        assert picture.get("width") or "width" in picture.get("style", "")


def test_headings_are_in_order(page, read):
    headings = text_of(read(page)).find_all(re.compile(r"^h[1-6]$"))
    levels = [int(heading.name[1]) for heading in headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    skipped = [
        heading.get_text()
        for heading, level, before in zip(headings[1:], levels[1:], levels, strict=False)
        if level > before + 1
    ]
    assert skipped == []


def test_title_and_language(page, read):
    tree = read(page)
    assert tree.html["lang"] == "en"
    assert text_of(tree).h1.find(string=True).strip() in tree.title.get_text()
    assert len(tree.find_all("meta", attrs={"name": "viewport"})) == 1


def test_titles_differ(read, contents):
    assert len({read(page).title.get_text() for page in contents}) == len(contents)


def test_description_is_plain_words_of_fitting_length(lesson, read):
    description = read(lesson).find("meta", attrs={"name": "description"})["content"]
    assert 60 <= len(description) <= 210, "it is taken from the beginning of the page"
    assert not re.search(r"[\\{}$]", description), "formulas at the beginning of a page end up here"


def test_descriptions_differ(read, contents):
    descriptions = Counter(
        read(page).find("meta", attrs={"name": "description"})["content"] for page in contents
    )
    assert max(descriptions.values()) == 1


def test_identifiers_are_unique(page, read):
    identifiers = Counter(element["id"] for element in read(page).find_all(id=True))
    assert [name for name, count in identifiers.items() if count > 1] == []


def test_what_a_cell_prints_is_one_piece(page, read):
    pieces = read(page).select(".output.stream + .output.stream")
    assert [piece.get_text() for piece in pieces] == []


def test_formulas_are_rendered_and_can_be_read_aloud(page, read):
    for formula in read(page).select(".math"):
        assert formula.find("math"), formula.get_text()
        assert formula.select_one(".katex-html[aria-hidden=true]"), formula.get_text()
    faulty = [formula["title"] for formula in read(page).select(".katex-error")]
    assert faulty == []
    words = " ".join(paragraph.get_text() for paragraph in text_of(read(page)).find_all("p"))
    assert not re.search(r"\\\(|\\\[|\$\$", words), "a formula is left as its source"
