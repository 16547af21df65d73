"""The built pages in a real browser: nothing fails, all can be read, and everything works."""

import functools
import gzip
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from matplotlib.image import imread
from playwright.sync_api import expect

pytestmark = pytest.mark.site

AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
HEAVIEST = 160_000  # bytes, compressed, when a page is first opened
FOLDER = "/books/positions/"  # a host may keep the book in a folder of its own


class Handler(SimpleHTTPRequestHandler):
    """Serves the site below FOLDER and nothing else."""

    def translate_path(self, path):
        if not path.startswith(FOLDER):
            return "/nowhere"
        return super().translate_path("/" + path.removeprefix(FOLDER))

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(site):
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=site)
    ) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}{FOLDER}"
        server.shutdown()
        thread.join()


class Tab:
    """A browser tab that keeps what goes wrong in it."""

    def __init__(self, context, address):
        self.address = address
        self.faults = []
        self.loaded = set()
        self.page = context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("requestfailed", lambda request: self.faults.append(f"failed: {request.url}"))
        self.page.on("request", self._request)
        self.page.on("response", self._response)

    def _console(self, message):
        if message.type in {"error", "warning"}:
            self.faults.append(f"{message.type}: {message.text}")

    def _request(self, request):
        if request.url.startswith(self.address):
            self.loaded.add(urlsplit(request.url.removeprefix(self.address)).path)
        elif not request.url.startswith(("data:", "blob:")):
            self.faults.append(f"another host: {request.url}")

    def _response(self, response):
        if response.status >= 400:
            self.faults.append(f"{response.status}: {response.url}")

    def open(self, page):
        self.faults.clear()
        self.loaded.clear()
        self.page.goto(self.address + page)
        return self.page


@pytest.fixture(scope="module")
def tabs(browser, address):
    """One tab for each colour scheme, with no memory of earlier visits."""
    contexts = {}
    for scheme in ("light", "dark"):
        contexts[scheme] = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
    yield {scheme: Tab(context, address) for scheme, context in contexts.items()}
    for context in contexts.values():
        context.close()


@pytest.fixture
def visit(browser, address):
    """Return a function that opens a page in a window of its own."""
    contexts = []

    def open_page(page, **options):
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        tab = Tab(context, address)
        tab.open(page)
        return tab.page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def page_with(read, contents):
    """Return a function that finds a page of the book with a certain element."""

    def find(selector):
        found = next((page for page in contents if read(page).select_one(selector)), None)
        return found or pytest.fail(f"no page of the book has {selector}: what tests it?")

    return find


# Show what is folded, and what the browser leaves undrawn while it is far from the window.
UNFOLD = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const { style } of document.querySelectorAll("section, .cell"))
    style.contentVisibility = "visible";
}"""

OUT_OF_REACH = """async () => {
  for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame);
  return [...document.querySelectorAll("main *")]
    .filter((box) => /auto|scroll/.test(getComputedStyle(box).overflowX))
    .filter((box) => box.scrollWidth > box.clientWidth && box.tabIndex !== 0)
    .map((box) => box.outerHTML.slice(0, 200));
}"""

# Formulas whose comma or full stop stands at the beginning of the next line.
LEFT_BEHIND = """() => [...document.querySelectorAll("span.math")].filter((formula) => {
  const mark = formula.nextSibling;
  if (mark?.nodeType !== Node.TEXT_NODE || !/^[,.;:!?)]/.test(mark.data)) return false;
  const first = document.createRange();
  first.setStart(mark, 0);
  first.setEnd(mark, 1);
  const end = [...formula.querySelectorAll(".base")].at(-1).getBoundingClientRect().right;
  return first.getBoundingClientRect().left < end - 1;
}).map((formula) => formula.querySelector("annotation").textContent)"""

# axe takes seconds for what a page has thousands of: drawn formulas, which are hidden from those
# who listen, and coloured words of code, of which one of each colour is enough.
THIN_OUT = """() => {
  document.querySelectorAll(".katex-html").forEach((drawn) => drawn.replaceChildren());
  const seen = new Set();
  for (const word of document.querySelectorAll("pre span[class]")) {
    if (seen.has(word.className)) word.replaceWith(word.textContent);
    seen.add(word.className);
  }
}"""


# Contrast depends on the scheme and not on the width, all else on the width and not on the scheme.
READINGS = {
    "light": [(DESKTOP, {}), (PHONE, {"rules": {"color-contrast": {"enabled": False}}})],
    "dark": [(DESKTOP, {"runOnly": ["color-contrast"]})],
}


def faults_for_some_readers(window, options):
    """Return what axe-core finds in a page."""
    options = {"resultTypes": ["violations"], **options}
    found = window.evaluate("(options) => axe.run(options)", options)
    return [
        f"{fault['id']}: {node['html'][:200]} {node['failureSummary']}"
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("scheme", READINGS)
def test_page(page, scheme, tabs, site):
    tab = tabs[scheme]
    tab.page.set_viewport_size(DESKTOP)
    window = tab.open(page)
    weights = {path: len(gzip.compress((site / path).read_bytes())) for path in tab.loaded}
    assert sum(weights.values()) <= HEAVIEST, weights
    assert window.evaluate("document.documentElement.dataset.theme") == scheme
    window.evaluate(UNFOLD)
    for viewport in (DESKTOP, PHONE):
        window.set_viewport_size(viewport)
        assert window.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        assert window.evaluate(OUT_OF_REACH) == []
        assert window.evaluate(LEFT_BEHIND) == []
    window.add_script_tag(path=AXE)
    window.evaluate(THIN_OUT)
    for viewport, options in READINGS[scheme]:
        window.set_viewport_size(viewport)
        assert faults_for_some_readers(window, options) == []
    assert tab.faults == []


def test_pictures_have_the_ground_of_the_page_in_the_dark(page, tabs):
    window = tabs["dark"].open(page)
    window.set_viewport_size(DESKTOP)
    window.evaluate(UNFOLD)
    ground = window.evaluate("getComputedStyle(document.body).backgroundColor")
    for picture in window.locator("div.cell_output > img, img.ink").all():
        picture.scroll_into_view_if_needed()
        picture.evaluate("(image) => image.decode()")
        corner = imread(BytesIO(picture.screenshot()))[2, 2, :3]
        assert f"rgb({', '.join(f'{255 * part:.0f}' for part in corner)})" == ground


def test_claims_have_the_width_of_a_phone(visit, contents, read):
    pages = [page for page in contents if read(page).find("th", string="claim")]
    assert len(pages) > 1
    for page in pages:
        window = visit(page, viewport=PHONE)
        narrow = window.evaluate("""() => [...document.querySelectorAll("tr:has(> td)")]
          .filter((row) => row.closest("table").querySelector("th").innerText === "claim")
          .filter((row) => row.firstElementChild.offsetWidth < row.offsetWidth)
          .map((row) => row.innerText)""")
        assert narrow == []


def test_reads_without_scripts(visit, page_with):
    window = visit(page_with(".katex-display"), java_script_enabled=False)
    expect(window.locator("article h1")).to_be_visible()
    expect(window.locator(".katex-display .katex-html").first).to_be_visible()


def test_opens_from_a_folder_on_disk(browser, site, page_with):
    with browser.new_context(viewport=DESKTOP) as context:
        window = context.new_page()
        faults = []
        window.on("pageerror", lambda error: faults.append(str(error)))
        # The start page leads on before its icon has come: that is no fault.
        given_up = "net::ERR_ABORTED"
        window.on("requestfailed", lambda r: r.failure == given_up or faults.append(r.url))
        window.goto((site / "index.html").as_uri())
        window.wait_for_url("**/book/intro.html")
        window.wait_for_load_state()
        window.goto((site / page_with(".katex")).as_uri())
        assert window.evaluate(
            "document.fonts.ready.then(() => document.fonts.check('16px KaTeX_Main'))"
        )
        assert faults == []


def test_search_by_button_and_by_key(visit, contents):
    window = visit(contents[0])
    dialog = window.locator("#pst-search-dialog")
    window.locator(".search-button__button:visible").first.click()
    expect(dialog).to_be_visible()
    window.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    window.keyboard.press("Control+k")
    expect(dialog).to_be_visible()
    window.keyboard.type("attention")
    window.keyboard.press("Enter")
    window.wait_for_url("**/search.html?q=attention")
    window.locator("#search-results .search li a").first.click()
    expect(window.locator("article h1")).to_be_visible()
    expect(window.locator("article")).to_contain_text("attention", ignore_case=True)


def test_words_searched_for_are_marked(visit, contents):
    window = visit(f"{contents[1]}?highlight=attention")
    window.wait_for_selector("article .highlighted", state="attached")


def test_colour_modes(visit, contents):
    window = visit(contents[0], color_scheme="light")
    button = window.locator(".theme-switch-button:visible")
    seen = set()
    for _ in range(3):
        mode = window.evaluate("document.documentElement.dataset.mode")
        assert button.locator("svg:visible").get_attribute("data-mode") == mode
        seen.add((mode, window.evaluate("getComputedStyle(document.body).backgroundColor")))
        button.click()
    modes = dict(seen)
    assert set(modes) == {"auto", "light", "dark"}
    assert modes["auto"] == modes["light"] != modes["dark"]
    while window.evaluate("document.documentElement.dataset.mode") != "dark":
        button.click()
    window.reload()
    assert window.evaluate("getComputedStyle(document.body).backgroundColor") == modes["dark"]


def test_side_bar_folds_on_a_wide_screen(visit, contents):
    window = visit(contents[0])
    bar = window.locator("#pst-primary-sidebar")
    expect(bar).to_be_visible()
    window.locator(".primary-toggle").click()
    expect(bar).to_be_hidden()
    window.locator(".primary-toggle").click()
    expect(bar).to_be_visible()


@pytest.mark.parametrize(
    ("toggle", "drawer"),
    [
        (".primary-toggle", "#pst-primary-sidebar-modal"),
        (".secondary-toggle", "#pst-secondary-sidebar-modal"),
    ],
)
def test_drawers_on_a_phone(visit, page_with, toggle, drawer):
    window = visit(page_with("#pst-page-toc-nav a"), viewport=PHONE)
    expect(window.locator(drawer)).to_be_hidden()
    window.locator(toggle).click()
    expect(window.locator(f"{drawer} a").last).to_be_visible()
    window.keyboard.press("Escape")
    expect(window.locator(drawer)).to_be_hidden()


def test_contents_of_the_page_follow_the_reader(visit, page_with):
    window = visit(page_with("#pst-page-toc-nav li:nth-child(3) a"))
    entry = window.locator("#pst-page-toc-nav > ul > li:nth-child(3) > a")
    window.evaluate(
        "(id) => document.querySelector(id).scrollIntoView()", entry.get_attribute("href")
    )
    expect(entry).to_have_attribute("aria-current", "true")


def test_code_is_copied(visit, page_with):
    window = visit(
        page_with("div.cell_input pre"), permissions=["clipboard-read", "clipboard-write"]
    )
    cell = window.locator("div.cell_input:visible").first
    cell.hover()
    cell.locator("button.copybtn").click()
    expect(cell.locator("button.copybtn")).to_have_class("copybtn o-tooltip--left success")
    copied = window.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == cell.locator("pre").inner_text().strip()


def test_hidden_cells_unfold(visit, page_with):
    window = visit(page_with("div.cell details.hide"))
    fold = window.locator("div.cell details.hide").first
    code = fold.locator("pre").first
    expect(code).to_be_hidden()
    fold.locator("summary").click()
    expect(code).to_be_visible()
    fold.locator("summary").click()
    expect(code).to_be_hidden()


def test_full_screen(visit, contents):
    window = visit(contents[0])
    window.locator(".btn-fullscreen-button").click()
    window.wait_for_function("document.fullscreenElement !== null")


def test_download_menu(visit, contents):
    window = visit(contents[0])
    window.locator(".dropdown-download-buttons > button").click()
    source = window.locator(".btn-download-source-button")
    expect(source).to_be_visible()
    assert window.request.get(window.evaluate("(link) => link.href", source.element_handle())).ok
    window.locator("article h1").click()
    expect(source).to_be_hidden()


@pytest.mark.parametrize("by", ["button", "keys"])
def test_printing_waits_for_every_figure(visit, page_with, by):
    window = visit(page_with(".live-figure"))
    alive = window.locator(".live-figure .pf")
    figures = window.locator(".live-figure").count()
    assert alive.count() < figures, "all are near: what is waited for?"
    if by == "button":
        window.locator(".dropdown-download-buttons > button").click()
        window.locator(".btn-download-pdf-button").click()
    else:
        window.keyboard.press("Control+p")
    expect(alive).to_have_count(figures)


def test_paper_is_white(visit, contents):
    window = visit(contents[0], color_scheme="dark")
    theme = "document.documentElement.dataset.theme"
    assert window.evaluate(f"dispatchEvent(new Event('beforeprint')) && {theme}") == "light"
    assert window.evaluate(f"dispatchEvent(new Event('afterprint')) && {theme}") == "dark"


def test_tooltips(visit, contents):
    window = visit(contents[0])
    window.locator(".btn-fullscreen-button").hover()
    expect(window.locator(".tooltip")).to_be_visible()
    expect(window.locator(".tooltip")).to_have_text("Fullscreen mode")


@pytest.mark.parametrize(
    ("width", "place"), [(390, "by-parts-yarn-and-llama-3"), (1280, "flat-is-not-far-sighted")]
)
@pytest.mark.parametrize("way", ["address", "click"])
def test_a_link_into_a_page_leads_to_its_place(way, width, place, visit):
    """What is laid out before it, once it is near, must not push it away."""
    lesson, viewport = "notebooks/06_long_context.html", {"width": width, "height": 800}
    window = visit(lesson + f"#{place}" * (way == "address"), viewport=viewport)
    if way == "click":
        window.evaluate("(place) => document.querySelector(`a[href='#${place}']`).click()", place)
    window.wait_for_timeout(800)
    top = window.locator(f"#{place}").evaluate("(place) => place.getBoundingClientRect().top")
    assert 0 <= top < 140


@pytest.mark.parametrize("width", [390, 1280])
def test_the_end_of_a_page_stays_in_view(lesson, width, visit):
    """What is laid out once it is in view must not push the end away from who jumps there."""
    window = visit(lesson, viewport={"width": width, "height": 800})
    window.evaluate("document.querySelector('.prev-next-footer').scrollIntoView({ block: 'end' })")
    window.wait_for_timeout(300)
    bottom = "document.querySelector('.prev-next-footer').getBoundingClientRect().bottom"
    assert window.evaluate(bottom) <= 860


def test_previous_and_next(visit, contents):
    window = visit(contents[0])
    window.locator("a.right-next").click()
    window.wait_for_url(f"**/{contents[1]}")
    window.locator("a.left-prev").click()
    window.wait_for_url(f"**/{contents[0]}")


def test_back_to_top(visit, page_with):
    # The theme offers it where the side bars are away.
    narrow = {"width": 1000, "height": 700}
    window = visit(page_with("#pst-page-toc-nav li:nth-child(3) a"), viewport=narrow)
    button = window.locator("#pst-back-to-top")
    expect(button).to_be_hidden()
    window.mouse.move(600, 400)
    window.mouse.wheel(0, 1500)
    window.wait_for_function("scrollY > 1000")
    window.mouse.wheel(0, -200)
    expect(button).to_be_visible()
    button.click()
    window.wait_for_function("scrollY === 0")


def test_wide_formulas_can_be_scrolled_by_keyboard(visit, page_with):
    window = visit(page_with(".katex-display"), viewport={"width": 200, "height": 600})
    wide = window.locator(".katex-display[tabindex='0']").first
    wide.focus()
    window.keyboard.press("ArrowRight")
    window.wait_for_function("document.activeElement.scrollLeft > 0")
