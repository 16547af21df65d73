"""The step that makes the website small: what it does, and that a change of the theme stops it."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from sphinxcontrib import katex

ROOT = Path(__file__).parents[2]
SLIM = ROOT / "tools" / "slim.mjs"
PACKAGES = json.loads((ROOT / "package.json").read_text())["devDependencies"]

STYLES = [
    "styles/theme.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "togglebutton.css",
    "copybutton.css",
    "mystnb.0123.css",
    "sphinx-thebe.css",
    "sphinx-design.min.css",
    "katex.min.css",
    "katex-math.css",
    "book.css",
]
HEAD_SCRIPTS = [
    "documentation_options.js",
    "doctools.js",
    "sphinx_highlight.js",
    "clipboard.min.js",
    "copybutton.js",
    "scripts/sphinx-book-theme.js",
    "togglebutton.js",
    "design-tabs.js",
    "sphinx-thebe.js",
    "book.js",
    "scripts/fontawesome.js",
]
THEME = "scripts/pydata-sphinx-theme.js"
BODY_SCRIPTS = ["scripts/bootstrap.js", THEME]
MEASURING = (
    ',"complete"===document.readyState?measureAll():window.addEventListener("load",measureAll)'
)
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"></svg>'


class Site:
    """A site of one page with all that the theme loads, each file a line long."""

    def __init__(self, folder):
        self.source = folder / "raw"
        self.theme = folder / "theme"
        self.result = folder / "html"
        self.styles = list(STYLES)
        self.head_scripts = list(HEAD_SCRIPTS)
        self.inline = ["let toggleHintShow = 'Click to show';"]
        self.body = "<p>Words.</p>"
        for name in [*STYLES, "new.css"]:
            self.write(f"_static/{name}", "")
        for number, name in enumerate([*HEAD_SCRIPTS, *BODY_SCRIPTS, "searchtools.js", "new.js"]):
            self.write(f"_static/{name}", f"order.push({number});")
        self.write(f"_static/{THEME}", f"order.push({len(HEAD_SCRIPTS) + 1}){MEASURING}")
        self.write_bootstrap(f"order.push({len(HEAD_SCRIPTS)});")
        self.write_versions()
        self.write("_images/picture.svg", PICTURE)

    def write(self, path, text):
        path = self.source / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write_bootstrap(self, code):
        """Write the theme's source of the script for Bootstrap."""
        (self.theme / "scripts").mkdir(parents=True, exist_ok=True)
        source = f'import * as bootstrap from "bootstrap"; window.bootstrap = bootstrap; {code}'
        (self.theme / "scripts/bootstrap.js").write_text(source)

    def write_versions(
        self, icons=PACKAGES["@fortawesome/fontawesome-free"], bootstrap=PACKAGES["bootstrap"]
    ):
        scripts = "_static/scripts"
        self.write(f"{scripts}/fontawesome.js.LICENSE.txt", f"Font Awesome Free {icons} by")
        self.write(f"{scripts}/bootstrap.js.LICENSE.txt", f"Bootstrap v{bootstrap} (of)")

    def page(self, up="../"):
        def sources(names, attribute=""):
            return "".join(
                f'<script{attribute} src="{up}_static/{name}"></script>' for name in names
            )

        return (
            '<!DOCTYPE html><html lang="en"><head><title>A page</title>'
            '<meta name="description" content="">'
            + "".join(f'<link rel="stylesheet" href="{up}_static/{name}">' for name in self.styles)
            + sources(self.head_scripts)
            + "".join(f"<script>{code}</script>" for code in self.inline)
            + f"</head><body><article><section>{self.body}</section></article>"
            + sources(BODY_SCRIPTS, " defer")
            + "</body></html>"
        )

    def run(self, version=katex.katex_version):
        self.write("book/page.html", self.page())
        command = ["node", SLIM, self.source, self.result, self.theme, version]
        return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)

    def slim(self):
        done = self.run()
        assert done.returncode == 0, done.stderr
        return BeautifulSoup((self.result / "book/page.html").read_text(), "html.parser")

    def complaint(self, **options):
        done = self.run(**options)
        assert done.returncode == 1, done.stderr
        return done.stderr

    @property
    def css(self):
        return (self.result / "_static/site.css").read_text()

    @property
    def script(self):
        return (self.result / "_static/site.js").read_text()


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


RULES = {  # style rules, and whether something asks for them
    ".used{top:1px}": True,
    ".unused{top:2px}": False,
    "html[data-theme=dark] .used{top:3px}": True,
    ".by-script{top:4px}": True,
    ".bs-tooltip-auto .used{top:5px}": True,
    "blink{top:6px}": False,
}
CODE = "def f():\n\n\n    return 1\n"
BODY = f"""
<p>Let <span class="math">x</span>, and <span class="math">y</span> be.</p>
<p>What do words mean?\nMuch. {"And so on without an end " * 9} it goes.</p>
<button><i class="theme-switch fa-solid fa-sun fa-lg" data-mode="light"></i></button>
<img src="../_images/picture.svg" alt="A picture">
<pre class="used">{CODE}</pre>
<table><tr><td><code>
<span class="pre">np.max(a</span> <span class="pre">&lt;</span> <span class="pre">0.5)</span>
</code></td></tr></table>


<div class="katex"><span class="katex-html"><span class="mathnormal">x</span></span></div>
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """A site with one of everything, made small once."""
    site = Site(tmp_path_factory.mktemp("example"))
    site.body = BODY
    site.inline.insert(0, 'document.documentElement.dataset.mode = localStorage.getItem("mode");')
    site.inline.append("let toggleOpenOnPrint = 'true';")
    site.write("_static/book.css", "".join(RULES))
    site.write("_static/doctools.js", "const sharedName = 'by-script'; order.push(1);")
    site.write("_static/mark.svg", PICTURE)
    site.write("_static/styles/theme.css", "p{background:url(../mark.svg)}")
    site.write("index.html", '<meta http-equiv="Refresh" content="0; url=book/page.html" />')
    (site.result).mkdir()
    (site.result / "old.html").write_text("")
    site.tree = site.slim()
    return site


def test_katex_package_is_the_renderer_byte_for_byte():
    renderer = Path(katex.__file__).with_name("katex.min.js")
    package = ROOT / "node_modules/katex/dist/katex.min.js"
    assert renderer.read_bytes() == package.read_bytes()


def test_one_style_sheet_and_one_deferred_script(example):
    addresses = [link["href"].split("?")[0] for link in example.tree.find_all("link")]
    assert addresses == ["../_static/site.css"]
    (script,) = example.tree.find_all("script", src=True)
    assert script["src"].startswith("../_static/site.js?v=")
    assert script.has_attr("defer")


def test_scripts_keep_their_order(example):
    dropped = {"design-tabs.js", "sphinx-thebe.js", "scripts/fontawesome.js"}
    scripts = [*HEAD_SCRIPTS, *BODY_SCRIPTS]
    kept = [number for number, name in enumerate(scripts) if name not in dropped]
    assert [int(number) for number in re.findall(r"push\((\d+)\)", example.script)] == kept
    hint = example.script.index("toggleHintShow")
    assert example.script.index("push(0)") < hint < example.script.index("toggleOpenOnPrint")


def test_the_theme_no_longer_measures_the_whole_page(example):
    assert "measureAll" not in example.script


def test_of_bootstrap_comes_what_pages_use(example):
    names = {"alert", "carousel", "dropdown", "offcanvas", "scrollspy", "toast", "tooltip"}
    assert {name for name in names if f'"{name}"' in example.script} == {"dropdown", "tooltip"}


def test_top_level_names_stay_shared(example):
    assert "sharedName" in example.script


# A script that waits for the page as the theme's do, and says when its turn begins and ends.
WAITING = """
if (document.readyState != "loading") act%(n)d();
else document.addEventListener("DOMContentLoaded", act%(n)d);
function act%(n)d() { order.push("%(n)d begins"); queueMicrotask(() => order.push("%(n)d ends")); }
document.addEventListener("click", act%(n)d);
"""
# A page that is parsed, as it is when deferred scripts run.
PARSED = """
const order = [], measureAll = null, window = { addEventListener() {} };
const document = { readyState: "interactive", addEventListener: (type) => order.push(type) };
process.on("exit", () => console.log(JSON.stringify(order.filter(isNaN))));
"""


def test_scripts_that_wait_for_the_page_have_turns_of_their_own(site):
    site.write("_static/copybutton.js", WAITING % {"n": 1})
    site.write("_static/togglebutton.js", WAITING % {"n": 2})
    (site.theme / "scripts/bootstrap.js").write_text("")
    site.slim()
    run = subprocess.run(
        ["node", "-"], input=PARSED + site.script, check=True, capture_output=True, text=True
    )
    assert json.loads(run.stdout) == ["click", "click", "1 begins", "1 ends", "2 begins", "2 ends"]


def test_the_usual_fonts_come_inside_the_style_sheet(example):
    faces = re.findall(r"@font-face{[^}]*}", example.css)
    inside = [face for face in faces if "data:font/woff2;base64,d09GMg" in face]
    families = [re.search(r"font-family:(\w+)", face)[1] for face in inside]
    assert families == ["KaTeX_Main", "KaTeX_Math"]


def test_colour_scheme_is_known_before_the_first_paint(example):
    script, _ = example.tree.find_all("script", src=False)
    assert script.get_text().startswith("document.documentElement.dataset.mode =")
    assert "prefers-color-scheme" in script.get_text()


def test_the_usual_fonts_are_made_ready_before_the_text(example):
    style = example.tree.find("link", rel="stylesheet")
    assert "document.fonts.load" in style.find_next("script").get_text()


def test_search_scripts_only_on_the_search_page(site):
    site.write("searchindex.js", "")
    site.write("_static/language_data.js", "")
    site.head_scripts += ["searchtools.js", "language_data.js", "../searchindex.js"]
    site.write("search.html", site.page(up=""))
    assert "searchindex" not in str(site.slim())
    search = BeautifulSoup((site.result / "search.html").read_text(), "html.parser")
    assert [script["src"].split("?")[0] for script in search.find_all("script")] == [
        "_static/site.js",
        "_static/searchtools.js",
        "_static/language_data.js",
        "searchindex.js",
    ]
    assert (site.result / "searchindex.js").exists()


def test_styles_that_nothing_asks_for_go(example):
    assert {rule: rule.split("{")[1] in example.css for rule in RULES} == RULES


def test_a_file_that_a_style_names_goes_along(example):
    assert "url(mark.svg)" in example.css
    assert (example.result / "_static/mark.svg").read_text() == PICTURE


def test_maths_fonts_hold_what_occurs(example):
    fonts = {
        path.name: path.stat().st_size for path in (example.result / "_static/fonts").iterdir()
    }
    whole = (ROOT / "node_modules/katex/dist/fonts/KaTeX_Math-Italic.woff2").stat().st_size
    assert 0 < fonts["KaTeX_Math-BoldItalic.woff2"] < whole / 5
    assert "KaTeX_Fraktur-Regular.woff2" not in fonts
    assert "KaTeX_Fraktur" not in example.css


def test_icons_become_pictures_in_the_page(example):
    icon = example.tree.find("svg")
    assert icon["class"] == ["svg-inline--fa", "theme-switch", "fa-lg"]
    assert icon["data-mode"] == "light"
    assert icon["aria-hidden"] == "true"
    assert icon.find("path")["d"]


def test_an_icon_that_was_renamed_is_found(site):
    site.body = '<i class="fas fa-pencil-alt"></i><i class="fas fa-pencil"></i>'
    old, new = site.slim().select("svg path")
    assert old["d"] == new["d"]


def test_pictures_get_their_size_and_load_late(example):
    picture = example.tree.find("img")
    assert (picture["width"], picture["height"]) == ("96", "48")
    assert picture["loading"] == "lazy"


def test_a_comma_stays_with_its_formula(example):
    first, second = example.tree.find_all("span", class_="math")
    assert first.parent.get_text() == "x,"
    assert second.parent.name == "p"


def test_an_expression_in_a_table_breaks_between_its_names(example):
    words = example.tree.select("td code .pre")
    assert [word.decode_contents() for word in words] == ["np.<wbr/>max(<wbr/>a", "&lt;", "0.5)"]


def test_description_is_the_first_sentences_without_formulas(example):
    assert example.tree.find("meta")["content"] == "What do words mean? Much."


def test_code_is_left_as_it_is(example):
    assert example.tree.find("pre").get_text() == CODE
    assert "\n\n" not in str(example.tree).split("</pre>")[1]


def test_a_front_page_that_forwards_is_a_page(example):
    front = BeautifulSoup((example.result / "index.html").read_text(), "html.parser")
    assert front.find("a")["href"] == "book/page.html"
    assert front.title.get_text()
    assert front.html["lang"] == "en"


def test_the_source_stays_and_an_old_result_goes(example):
    assert "pydata-sphinx-theme.css" in (example.source / "book/page.html").read_text()
    assert not (example.result / "old.html").exists()


def lose(names, name):
    names.remove(name)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda site: lose(site.styles, "copybutton.css"), ["no style sheet copybutton.css"]),
        (lambda site: site.styles.append("new.css"), ["unknown style sheet new.css"]),
        (lambda site: site.styles.reverse(), ["book.css comes where styles/theme.css was"]),
        (lambda site: lose(site.head_scripts, "copybutton.js"), ["no script copybutton.js"]),
        (lambda site: site.head_scripts.append("new.js"), ["unknown script new.js"]),
        (lambda site: site.inline.append("track();"), ["unknown script in the page", "track()"]),
        (
            lambda site: setattr(site, "body", '<div class="sd-tab-set"></div>'),
            ["design-tabs.js is left out", ".sd-tab-set"],
        ),
        (
            lambda site: setattr(site, "body", '<i class="fas fa-no-such-icon"></i>'),
            ["no icon solid/no-such-icon"],
        ),
        (
            lambda site: setattr(site, "body", '<img src="../_images/none.svg" alt="">'),
            ["no picture _images/none.svg"],
        ),
        (
            lambda site: setattr(site, "body", '<img src="https://example.org/a.svg" alt="">'),
            ["a picture from another host: https://example.org/a.svg"],
        ),
        (
            lambda site: setattr(site, "body", '<script src="//example.org/a.js"></script>'),
            ["a script from another host: //example.org/a.js"],
        ),
        (
            lambda site: setattr(site, "body", '<span class="katex-error" title="Bad">\\x</span>'),
            ["Bad in the formula \\x"],
        ),
        (
            lambda site: site.write("_static/book.css", "p{background:url(none.svg)}"),
            ["none.svg, which is not there"],
        ),
        (
            lambda site: site.write(f"_static/{THEME}", "measure()"),
            ["the call that measures all boxes is not where it was"],
        ),
        (
            lambda site: site.write_versions(icons="7.0.0"),
            ["another version of fontawesome", "Free 7.0.0"],
        ),
        (
            lambda site: site.write_versions(bootstrap="6.0.0"),
            ["another version of bootstrap", "v6.0.0"],
        ),
        (
            lambda site: setattr(site, "body", '<a data-bs-toggle="modal">open</a>'),
            ['data-bs-toggle="modal" needs a component of Bootstrap that is left out'],
        ),
        (
            lambda site: site.write_bootstrap("new bootstrap.Modal();"),
            ["script for Bootstrap", '"Modal" will always be undefined'],
        ),
        (
            lambda site: site.write("_static/book.js", "new bootstrap.Modal();"),
            ["the theme uses Bootstrap's Modal, which is left out"],
        ),
    ],
)
def test_a_change_of_the_theme_stops_it_and_is_named(site, change, words):
    change(site)
    complaint = site.complaint()
    assert complaint.startswith("slim: ")
    for word in words:
        assert word in complaint


def test_pages_that_differ_in_their_scripts_stop_it(site):
    site.write("book/first.html", site.page())
    site.inline.append("let toggleHintHide = 'Click to hide';")
    assert "book/page.html: other scripts than on book/first.html" in site.complaint()


def test_another_version_of_katex_stops_it(site):
    assert "KaTeX 0.0.1 rendered the maths" in site.complaint(version="0.0.1")
