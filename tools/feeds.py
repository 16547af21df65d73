"""What programs read of a published site: its pages in sitemap.xml, its changes in a feed.

An entry of the feed is a section of the page of changes; its heading is a version and a date.
"""

import re
from pathlib import Path
from urllib.parse import urljoin
from xml.etree import ElementTree as ET

from bs4 import BeautifulSoup, Tag

SITEMAP = "sitemap.xml"
FEED = "changes.xml"
CHANGES = "book/changes.html"
SITEMAP_NAMES = "http://www.sitemaps.org/schemas/sitemap/0.9"
ATOM_NAMES = "http://www.w3.org/2005/Atom"
HEADING = re.compile(r"(?P<version>\S+), (?P<date>\d{4}-\d\d-\d\d)")


def address_of(site: str, path: str) -> str:
    """Return the address of a file of a site, whether or not the site's ends in a slash."""
    return urljoin(site.rstrip("/") + "/", path)


def pages_of(site: Path) -> list[str]:
    """Return the pages that are worth finding: not the search, nor what only leads on."""
    paths = (path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return sorted(path for path in paths if path not in {"index.html", "search.html"})


def sitemap(site: Path, address: str) -> ET.Element:
    """Return the list of all pages."""
    root = ET.Element("urlset", xmlns=SITEMAP_NAMES)
    for page in pages_of(site):
        entry = ET.SubElement(root, "url")
        ET.SubElement(entry, "loc").text = address_of(address, page)
    return root


def content_of(section: Tag, page: str) -> str:
    """Return what a section holds below its heading, with links that work from anywhere."""
    for link in section.find_all("a", href=True):
        link["href"] = urljoin(page, link["href"])
    return "".join(str(part) for part in section.contents if part.name != "h2").strip()


def feed(site: Path, address: str, author: str) -> ET.Element:
    """Return the changes as an Atom feed, newest first."""
    page = address_of(address, CHANGES)
    tree = BeautifulSoup((site / CHANGES).read_text(), "html.parser")
    root = ET.Element("feed", xmlns=ATOM_NAMES)

    def add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> None:
        ET.SubElement(parent, name, attributes).text = text or None

    add(root, "title", tree.title.get_text())
    add(root, "id", page)
    add(root, "link", href=page)
    add(root, "link", rel="self", href=address_of(address, FEED))
    sections = tree.select("article section section")
    dates = []
    for section in sections:
        heading = section.h2.find(string=True).strip()
        found = HEADING.fullmatch(heading)
        if not found:
            raise ValueError(
                f"CHANGELOG.md: {heading!r} is not a version and a date, as 1.2.0, 2027-01-31"
            )
        dates.append(f"{found['date']}T00:00:00Z")
        entry = ET.SubElement(root, "entry")
        add(entry, "title", found["version"])
        # An entry keeps its name when the site moves within it; a new version is a new entry.
        add(entry, "id", f"{page}#{found['version']}")
        add(entry, "link", href=page)
        add(entry, "updated", dates[-1])
        add(entry, "content", content_of(section, page), type="html")
    add(root, "updated", max(dates))
    add(ET.SubElement(root, "author"), "name", author)
    return root


def write(site: Path, address: str, author: str) -> None:
    """Write both files into a site that is published under an address."""
    for name, root in ((SITEMAP, sitemap(site, address)), (FEED, feed(site, address, author))):
        ET.indent(root)
        ET.ElementTree(root).write(site / name, encoding="utf-8", xml_declaration=True)
