"""Sphinx extension: what other sites show of a page, once the book has an address.

The address is ``html.baseurl`` of _config.yml. With it each page gets Open Graph tags with a card
to show beside a link, and names the feed of changes. Without it there is nothing to point at.
"""

from html import escape
from typing import Any

import feeds
from sphinx.application import Sphinx

CARDS = {
    "line_color": "#4450b4",
    "font": "DejaVu Sans",  # has a bold face, which the default lacks
    "image_mini": "book/_static/card.png",
    "description_max_length": 150,  # what two lines hold
}


def name_feed(app: Sphinx, pagename: str, template: str, context: dict[str, Any], _: Any) -> None:
    """Let feed readers find the feed from every page."""
    address = escape(feeds.address_of(app.config.html_baseurl, feeds.FEED))
    link = f'<link rel="alternate" type="application/atom+xml" title="Changes" href="{address}">'
    context["metatags"] = f"{context.get('metatags', '')}{link}\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Set the tags up if the book has an address."""
    if app.config.html_baseurl:
        app.setup_extension("sphinxext.opengraph")
        app.config.ogp_site_url = feeds.address_of(app.config.html_baseurl, "")
        app.config.ogp_site_name = app.config.html_title
        app.config.ogp_social_cards = CARDS
        app.connect("html-page-context", name_feed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
