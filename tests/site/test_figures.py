"""The live figures on the built pages, opened from disk in a real browser, without a kernel."""

import gzip
import io
import json
import random
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Error, expect

from posenc import figures, trained
from posenc.figures import frequency_spectrum
from posenc.frequencies import inv_freq, turns, wavelengths
from posenc.palette import DIVERGING, SEQUENTIAL, colormap

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[2]
AXE = ROOT / "node_modules/axe-core/axe.min.js"
HEAVIEST = 60_000  # bytes, compressed, that the figures add to a page
SIZES = {"phone": (390, 844), "narrow": (600, 900), "tablet": (800, 1000), "desktop": (1280, 900)}
DRAWS = 20  # settings tried at random
STATE = 'script[type="application/vnd.jupyter.widget-state+json"]'
VIEW = 'script[type="application/vnd.jupyter.widget-view+json"]'


def pytest_generate_tests(metafunc):
    """Give a test that asks for a chapter each page of the book that has live figures."""
    if "chapter" in metafunc.fixturenames:
        toc = (ROOT / "_toc.yml").read_text()
        lessons = sorted((ROOT / "notebooks").glob("*.ipynb"))
        alive = [path for path in lessons if "posenc.figures" in path.read_text()]
        pages = [f"notebooks/{path.stem}" for path in alive]
        metafunc.parametrize("chapter", [f"{page}.html" for page in pages if page in toc])


@pytest.fixture
def visit(browser, site):
    """Return a function that opens a page, brings its figures to life and returns the window.

    What a figure logs is kept in ``window.faults``.
    """
    contexts = []

    def open_page(page, size="desktop", alive=True, **options):
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        window = context.new_page()
        window.faults = []
        window.on("pageerror", lambda error: window.faults.append(str(error)))
        window.on("requestfailed", lambda request: window.faults.append(request.url))
        window.on("console", lambda message: keep(window, message))
        window.goto((page if isinstance(page, Path) else site / page).as_uri())
        if alive:
            bring_to_life(window)
        return window

    def keep(window, message):
        if message.type in {"error", "warning"} and "invalid theme mode" not in message.text:
            window.faults.append(message.text)

    yield open_page
    for context in contexts:
        context.close()


def bring_to_life(window):
    for place in window.locator(".live-figure").all():
        drawn = place.locator(".pf, [role=alert]").first
        for _ in range(5):  # sections that are laid out on the way push the place on
            place.scroll_into_view_if_needed()
            with suppress(Error):
                drawn.wait_for(timeout=2000)
                break
        expect(drawn).to_be_visible()


@pytest.fixture
def find(read, contents):
    """Return a function that finds the first page with a figure of some name, and its place."""

    def first(name):
        places = ((page, read(page).select_one(named(name))) for page in contents)
        found = next(((page, place) for page, place in places if place), None)
        assert found, f"no page of the book has a {name}"
        return found

    return first


def named(name):
    return f'.live-figure[data-figure="{name}"]'


@pytest.fixture
def show(visit, find):
    """Return a function that opens the page with a figure of some name and returns the figure."""

    def open_figure(name, size="desktop", **options):
        page, _ = find(name)
        figure = visit(page, size, **options).locator(named(name)).first
        figure.scroll_into_view_if_needed()
        return figure

    return open_figure


def move(figure, label, value):
    """Move the slider with a label to a value, as a hand does, and wait until it is drawn."""
    figure.get_by_label(label, exact=True).fill(str(value))
    be_drawn(figure)  # the range of another slider may have changed


def be_drawn(figure):
    """Wait for the end of a frame."""
    figure.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def words(figure):
    """Return all that a figure says, once it has been drawn."""
    be_drawn(figure)
    return figure.inner_text().replace("\u2212", "-")


def number(pattern, text):
    """Return the number that a pattern finds, with half a unit of its last digit."""
    found = re.search(pattern, text)
    assert found, f"{pattern} is not in {text}"
    digits = found[1].replace("\u202f", "")
    return pytest.approx(float(digits), abs=0.5001 * 10.0 ** -len(digits.partition(".")[2]))


def drawn_at(element):
    """Return the points of a drawn path, (x, y) in pixels: where its lines and circles begin."""
    found = re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", element.get_attribute("d"))
    return np.array(found, float).reshape(-1, 2)


def assert_to_scale(heights, values, within=0.1):
    """Check that points stand as high as their values on one scale, which grows upwards."""
    heights, values = np.asarray(heights), np.asarray(values, float)
    if np.ptp(values) < 1e-9:
        assert np.ptp(heights) <= 2 * within
        return
    slope, zero = np.polyfit(values, heights, 1)
    assert slope < 0
    assert heights == pytest.approx(slope * values + zero, abs=within)


def pixels(canvas):
    """Return the colours of a canvas, (height, width, 4)."""
    height, width, levels = canvas.evaluate("""(canvas) => {
      const { height, width } = canvas;
      return [height, width, [...canvas.getContext("2d").getImageData(0, 0, width, height).data]];
    }""")
    return np.array(levels).reshape(height, width, 4)


def assert_colors(colors, values, largest=1.0):
    """Check the colours of signed values."""
    places = np.rint(128 * (np.clip(np.asarray(values) / largest, -1, 1) + 1)).astype(int)
    expected = colormap(DIVERGING)(places, bytes=True).astype(int)
    # a value at the edge of two of the 257 colours may have either
    assert np.abs(colors - expected).max() <= 4


# Every figure of every page


def test_mounts_without_moving_anything(chapter, visit, read):
    count = len(read(chapter).select(".live-figure"))
    for size in SIZES:
        window = visit(chapter, size, alive=False)
        rooms = window.locator(".live-figure .live-room").all()
        before = [room.bounding_box()["height"] for room in rooms]
        bring_to_life(window)
        assert window.locator(".live-figure .pf").count() == count
        assert window.locator(".live-figure :is(.pf-failure, [role=alert])").count() == 0
        for room, height in zip(rooms, before, strict=True):
            if room.evaluate("(room) => getComputedStyle(room).minHeight") != "0px":
                assert room.bounding_box()["height"] == pytest.approx(height, abs=1), size
        assert window.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        assert window.faults == []


@pytest.mark.parametrize("size", ["phone", "desktop"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_still_stands_without_scripts(chapter, size, scheme, visit):
    window = visit(chapter, size, alive=False, java_script_enabled=False, color_scheme=scheme)
    for place in window.locator(".live-figure").all():
        still = place.locator("img, details").first
        still.scroll_into_view_if_needed()
        expect(still).to_be_visible()
        if still.evaluate("(still) => still.tagName") == "IMG":
            assert len(still.get_attribute("alt").split()) > 8
            drawn = still.evaluate("(still) => still.decode().then(() => still.naturalWidth)")
            shape = still.evaluate("(still) => still.naturalHeight / still.naturalWidth")
            box, room = still.bounding_box(), place.bounding_box()
            assert box["height"] / box["width"] == pytest.approx(shape, rel=0.02)
            assert min(300, drawn) <= box["width"] <= room["width"]
            assert room["height"] - box["height"] < 60, "no room is left empty"


def test_weight(lesson, read, site):
    tree = read(lesson)
    names = {place["data-figure"] for place in tree.select(".live-figure")}
    host = tree.select('script[src*="/figures/"]')
    assert bool(names) == bool(host), "figures' code is on pages with figures only"
    if names:
        folder = site / "_static/figures"
        shared = ["host.js", "shared.js", "figures.css"]
        files = [folder / name for name in [*shared, *(f"{name}.js" for name in names)]]
        texts = [path.read_bytes() for path in files]
        texts += [script.get_text().encode() for script in tree.select(f"{STATE}, {VIEW}")]
        total = sum(len(gzip.compress(text)) for text in texts)
        print(f"{lesson}: {', '.join(sorted(names))}: {total} bytes")
        assert total <= HEAVIEST


def test_nothing_but_settings_is_on_the_page(chapter, read):
    for script in read(chapter).select(STATE):
        for model in json.loads(script.get_text())["state"].values():
            assert not {"_esm", "_css", "layout"} & set(model["state"])


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_can_be_read_by_everybody(chapter, size, visit):
    window = visit(chapter, size, color_scheme="light")
    window.add_script_tag(path=AXE)
    for button in window.locator(".pf-option").all()[:2]:
        button.click()
    for scheme, rules in [("light", {}), ("dark", {"runOnly": ["color-contrast"]})]:
        window.emulate_media(color_scheme=scheme)
        window.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'")
        found = window.evaluate(
            "(rules) => axe.run('.live-figure', { resultTypes: ['violations'], ...rules })", rules
        )
        assert [
            f"{fault['id']}: {node['html'][:200]} {node['failureSummary']}"
            for fault in found["violations"]
            for node in fault["nodes"]
        ] == [], scheme


@pytest.mark.parametrize("hand", ["mouse", "touch", "keyboard"])
def test_every_control_moves(chapter, hand, visit):
    window = visit(chapter, "phone", has_touch=True) if hand == "touch" else visit(chapter)
    for figure in window.locator(".pf").all():
        for slider in figure.locator("input[type=range]").all():
            use_slider(window, slider, hand)
        for switch in figure.locator("input[type=checkbox]").all():
            before = switch.is_checked()
            press(window, switch if hand == "keyboard" else switch.locator("xpath=.."), hand)
            assert switch.is_checked() is not before
        for choice in figure.locator("input[type=radio]").all():
            press(window, choice, hand)
            assert choice.is_checked()
        for button in figure.locator("button:not(.pf-reset)").all():
            press(window, button, hand)
        before = words(figure)
        press(window, figure.locator(".pf-reset"), hand)
        assert words(figure) != before, "Reset returns to the first settings"
    assert window.locator(".pf-failure").count() == 0
    assert window.faults == []


def press(window, element, hand):
    element.scroll_into_view_if_needed()
    if hand == "keyboard":
        element.focus()
        window.keyboard.press("Space")
    elif hand == "touch":
        element.tap()
    else:
        element.click()


def use_slider(window, slider, hand):
    slider.scroll_into_view_if_needed()
    low, high = (float(slider.get_attribute(end)) for end in ("min", "max"))
    value = lambda: float(slider.input_value())  # noqa: E731
    if hand == "keyboard":
        slider.focus()
        window.keyboard.press("End")
        assert value() == high
        window.keyboard.press("Home")
        assert value() == low
        window.keyboard.press("ArrowRight")
        assert low < value() < high
    else:
        box = slider.bounding_box()
        place = {"x": box["width"] * 0.75, "y": box["height"] / 2}
        slider.tap(position=place) if hand == "touch" else slider.click(position=place)
        assert value() == pytest.approx(low + 0.75 * (high - low), abs=max(2, 0.1 * (high - low)))
    words(slider.locator("xpath=ancestor::*[contains(@class, 'pf-inner')]"))
    shown = slider.locator("xpath=following-sibling::output").inner_text()
    assert shown == slider.get_attribute("aria-valuetext")


WIDEN = "(figure, width) => { figure.parentElement.style.width = width; }"

SLIDE = """async (slider) => {
  const [low, high] = [Number(slider.min), Number(slider.max)];
  const places = new Set();
  for (let i = 0; i < 24; i++) {
    slider.value = low + ((high - low) * (i % 12)) / 11;
    slider.dispatchEvent(new Event("input"));
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    if (i >= 12) places.add(slider.offsetTop);
  }
  return [...places];
}"""


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_a_slider_stays_where_it_is_held(chapter, size, visit):
    """Words above it may need another line once; then there is room for it."""
    for slider in visit(chapter, size).locator(".live-figure input[type=range]").all():
        assert len(slider.evaluate(SLIDE)) == 1, slider.evaluate("(s) => s.labels[0].textContent")


def test_a_figure_without_room_for_a_moment_is_as_before(show):
    """As in a tab that is shut, or while a window takes another size."""
    figure = show("ExtrapolationLab")
    be_drawn(figure)
    before = figure.bounding_box()
    for width in ("0", ""):
        figure.evaluate(WIDEN, width)
        be_drawn(figure)
        be_drawn(figure)
    assert figure.bounding_box() == before


def test_a_figure_that_fails_leaves_the_others_alone(visit, site, read, contents, tmp_path):
    page = next(page for page in contents if len(read(page).select(".live-figure")) > 2)
    state = json.loads(read(page).select_one(STATE).get_text())
    first, second, *_ = (
        json.loads(view.get_text())["model_id"]
        for view in read(page).select(f".live-figure {VIEW}")
    )
    bad = next(name for name, value in state["state"][first]["state"].items() if type(value) is int)
    state["state"][first]["state"][bad] = -3
    del state["state"][second]
    source = (site / page).read_text()
    source = re.sub(
        r'(widget-state\+json">).*?(?=</script>)',
        lambda m: m[1] + json.dumps(state),
        source,
        count=1,
    )
    source = source.replace("<head>", f'<head><base href="{(site / page).as_uri()}">', 1)
    broken = tmp_path / "page.html"
    broken.write_text(source)
    window = visit(broken)
    places = window.locator(".live-figure").all()
    expect(places[0]).to_contain_text(f"{bad}=-3: must be ")
    expect(places[1]).to_contain_text("The page does not hold its state.")
    expect(places[1].locator("img, details").first).to_be_visible()
    for place in places[2:]:
        expect(place.locator(".pf .pf-title")).to_be_visible()
        assert place.locator("[role=alert]").count() == 0


WATCHED = """() => {
  window.open_listeners = 0;
  for (const target of [window, document, document.documentElement, document.body]) {
    const add = target.addEventListener.bind(target);
    const remove = target.removeEventListener.bind(target);
    target.addEventListener = (type, handler, options) => {
      window.open_listeners += 1;
      options?.signal?.addEventListener("abort", () => { window.open_listeners -= 1; });
      add(type, handler, options);
    };
    target.removeEventListener = (...rest) => { window.open_listeners -= 1; remove(...rest); };
  }
  const ask = window.requestAnimationFrame.bind(window);
  window.frames_asked = 0;
  window.requestAnimationFrame = (run) => { window.frames_asked += 1; return ask(run); };
}"""

REMOUNT = """async ([name, kept]) => {
  const state = { ...kept, playing: true };
  let handlers = 0;
  const model = {
    get: (key) => state[key], set: (key, value) => { state[key] = value; }, save_changes() {},
    on() { handlers += 1; }, off() { handlers -= 1; },
  };
  const el = document.createElement("div");
  document.body.append(el);
  const cleanups = [1, 2].map(() => posencFigures.modules[name].render({ model, el }));
  const mounted = el.children.length;
  await new Promise((done) => setTimeout(done, 100));
  cleanups.forEach((cleanup) => cleanup());
  const frames = window.frames_asked;
  await new Promise((done) => setTimeout(done, 300));
  return { mounted, left: el.children.length, handlers, listeners: window.open_listeners,
           frames: window.frames_asked - frames };
}"""


def settings(place):
    """Return the state of a figure that its page carries."""
    page = place.find_parent("html")
    models = json.loads(page.select_one(STATE).get_text())["state"]
    return models[json.loads(place.select_one(VIEW).get_text())["model_id"]]["state"]


def test_nothing_is_left_behind(chapter, visit, read):
    window = visit(chapter)
    window.evaluate(WATCHED)
    for place in read(chapter).select(".live-figure"):
        name = place["data-figure"]
        window.evaluate("() => { window.open_listeners = 0; }")
        left = window.evaluate(REMOUNT, [name, settings(place)])
        assert left == {"mounted": 2, "left": 0, "handlers": 0, "listeners": 0, "frames": 0}, name


# A figure alone on its page, with a state that can be read.
MOUNT = """([name, state]) => {
  const handlers = {};
  const model = {
    get: (key) => state[key],
    set: (key, value) => { state[key] = value; handlers[`change:${key}`]?.(); },
    on: (event, handler) => { handlers[event] = handler; }, off() {}, save_changes() {},
  };
  const el = document.createElement("div");
  window.unmount?.();
  document.body.replaceChildren(el);
  window.unmount = posencFigures.modules[name].render({ model, el });
  window.state = state;
}"""


def move_at_random(figure, draw):
    """Move every control of a figure, in an order of chance."""
    controls = figure.locator("input, button:not(.pf-reset), [tabindex='0']")
    for control in draw.sample(controls.all(), controls.count()):
        if control.is_disabled() or control.inner_text() == "Play":
            continue
        kind = control.get_attribute("type")
        if kind == "range":
            low, high = (float(control.get_attribute(end)) for end in ("min", "max"))
            step = float(control.get_attribute("step"))
            control.fill(f"{low + step * draw.randint(0, round((high - low) / step)):.6g}")
        else:
            if kind:
                control.dispatch_event("click")
            control.press(draw.choice(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home"]))
        be_drawn(figure)


@pytest.mark.parametrize("name", json.loads((ROOT / "js/src/rooms.json").read_text()))
def test_what_is_drawn_depends_on_the_settings_alone(name, show, find):
    """After any moves, at any width, a figure looks as one that begins with the same settings."""
    shown = show(name, reduced_motion="reduce")
    shown.locator(".pf").wait_for()
    window = shown.page
    figure = window.locator(".pf")
    # Words keep the room that they once needed; here they have what they need now.
    window.add_style_tag(content=".pf .pf-line { min-height: 0 !important }")

    def picture():
        window.evaluate("document.activeElement.blur()")
        for _ in range(3):  # the width is noted, the figure drawn, its height noted
            be_drawn(figure)
        return Image.open(io.BytesIO(window.screenshot(full_page=True))).convert("RGB")

    draw = random.Random(23)
    window.evaluate(MOUNT, [name, settings(find(name)[1])])
    for _ in range(6):
        move_at_random(figure, draw)
        width = draw.choice(["360px", "690px"])
        figure.evaluate(WIDEN, width)
        moved, state = picture(), window.evaluate("window.state")
        window.evaluate(MOUNT, [name, state])
        figure.evaluate(WIDEN, width)
        # Where a part alone was painted again, the pixels of an edge are a little different.
        apart = ImageChops.difference(moved, picture()).point(lambda level: level > 32 and 255)
        assert apart.getbbox() is None, {key: str(state[key])[:40] for key in state}


# Words of a drawing that a line runs through, which is not of the grid.
CROSSED = """(figure) => {
  const words = [...figure.querySelectorAll("svg text:not(.pf-halo)")]
    .flatMap((text) => (text.childElementCount ? [...text.children] : [text]))
    .filter((part) => part.textContent.trim() && getComputedStyle(part).visibility === "visible")
    .map((part) => ({ words: part.textContent, box: part.getBoundingClientRect() }));
  const inside = ({ left, right, top, bottom }, { x, y }) =>
    left < x && x < right && top + 3 < y && y < bottom - 3; // a box is higher than its letters
  const lines = [...figure.querySelectorAll("svg path:not(.pf-grid)")]
    .filter((path) => getComputedStyle(path).stroke !== "none");
  return lines.flatMap((path) => {
    const crossed = new Set();
    for (let at = 0; at < path.getTotalLength(); at++) {
      const point = path.getPointAtLength(at).matrixTransform(path.getScreenCTM());
      for (const { words: some, box } of words) if (inside(box, point)) crossed.add(some);
    }
    return [...crossed];
  });
}"""


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_words_can_be_read_beside_the_lines(chapter, size, visit):
    """A drawing's words stand clear of its lines, or have a halo."""
    for place in visit(chapter, size).locator(".live-figure").all():
        assert place.evaluate(CROSSED) == [], place.get_attribute("data-figure")


# What each figure must show


def test_fingerprint_shows_the_numbers_of_the_sources(show):
    figure = show("Fingerprint")
    shown = words(figure)
    assert "Positions 4 and 5, offset 1: cosine 0.94 (0.935646), angle 20.7°" in shown
    assert "[-0.76, -0.65, 0.95, 0.30, …]" in shown
    assert "0.46 at offset 10" in shown
    for position, compare, cosine in [
        (2, 18, "0.53"),
        (0, 10, "0.46"),
        (0, 19, "0.80"),
        (9, 10, "0.94"),
    ]:
        move(figure, "Position", position)
        move(figure, "Compare with", compare)
        assert f"offset {compare - position}: cosine {cosine} " in words(figure)
    move(figure, "Dimensions d", 32)
    move(figure, "Position", 12)
    surface = figure.get_by_role("application")
    surface.focus()
    for _ in range(4):
        figure.page.keyboard.press("ArrowRight")
    shown = words(figure)
    assert "position 12, dimension 4, the sine of pair 2: value -0.61, wavelength 19.9" in shown


def test_fingerprint_agrees_with_posenc(show):
    figure = show("Fingerprint")
    draw = random.Random(7)
    for _ in range(DRAWS):
        dim, length = 2 * draw.randint(2, 64), draw.randint(2, 128)
        base = float(f"{10 ** (draw.randint(4, 24) / 4):.3g}")
        position, compare = draw.randrange(length), draw.randrange(length)
        for label, value in [
            ("Dimensions d", dim),
            ("Positions shown", length),
            ("Position", position),
            ("Compare with", compare),
            ("Base", round(4 * np.log10(base))),
        ]:
            move(figure, label, value)
        figure.get_by_role("application").focus()
        figure.page.keyboard.press(draw.choice(["Home", "End"]))
        shown = words(figure)
        dimension = int(re.search(r"dimension (\d+)", shown)[1])
        python = figures.Fingerprint(
            dim=dim,
            length=length,
            base=base,
            position=position,
            compare=compare,
            dimension=dimension,
        )
        cosines, codes = python.cosines(), python.codes()
        assert number(r"cosine -?[\d.]+ \((-?[\d.]+)\)", shown) == cosines[compare]
        assert number(r"angle ([\d.]+)°", shown) == np.degrees(np.arccos(min(1, cosines[compare])))
        assert number(r"among the \d+ shown: (-?[\d.]+)", shown) == cosines.min()
        code = re.search(r"\[([-\d., ]+)", shown)[1].strip(", ").split(", ")
        assert [float(value) for value in code] == pytest.approx(codes[position][:4], abs=0.00501)
        assert number(r"value (-?[\d.]+)", shown) == codes[position, dimension]
        wave = wavelengths(inv_freq(dim, base=base))[dimension // 2]
        shown_wave = float(
            re.search(r"wavelength ([\d.\u202f]+?)\.? pos", shown)[1].replace("\u202f", "")
        )
        assert shown_wave == pytest.approx(wave, rel=0.006)
        assert_to_scale(-drawn_at(figure.locator(".pf-curve"))[:, 0], cosines)
        colors, bars = (pixels(canvas) for canvas in figure.locator("canvas").all())
        assert_colors(colors, codes)
        height, width = bars.shape[:2]
        columns = ((np.arange(dim) + 0.5) * width / dim).astype(int)
        code = codes[position]
        tall = np.abs(code) > 0.2
        inside, outside = (
            bars[np.rint(height / 2 - (height / 2 - 2) * level).astype(int), columns][tall]
            for level in (code / 2, -np.sign(code) / 2)
        )
        assert_colors(inside, code[tall])
        assert not outside.any(), "a bar stands on one side of zero"


def test_fingerprint_position_is_chosen_on_the_map(show):
    figure = show("Fingerprint")
    box = figure.get_by_role("application").bounding_box()
    mouse = figure.page.mouse
    mouse.move(box["x"] + 5, box["y"] + 5)
    mouse.down()
    mouse.move(box["x"] + 5, box["y"] + box["height"] / 2)
    assert "Positions 12 and 5" in words(figure)
    mouse.move(box["x"] + 5, box["y"] + box["height"] + 300)
    assert "Positions 23 and 5" in words(figure)
    mouse.up()
    mouse.move(box["x"] + box["width"] - 3, box["y"] + 3)
    assert "Cell: position 0, dimension 15, the cosine of pair 7: value 1.00" in words(figure)
    mouse.move(box["x"], box["y"] - 50)
    assert "Cell: position 23, dimension 0" in words(figure)


def touch(page, *points):
    """Press a finger at the first point, move it over the others and lift it."""
    session = page.context.new_cdp_session(page)
    for i, (x, y) in enumerate(points):
        kind = "touchMove" if i else "touchStart"
        event = {"type": kind, "touchPoints": [{"x": x, "y": y}]}
        session.send("Input.dispatchTouchEvent", event)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_fingerprint_position_is_chosen_by_a_finger(show):
    figure = show("Fingerprint", size="phone", has_touch=True)
    surface = figure.get_by_role("application")
    words(figure)
    box = surface.bounding_box()
    surface.tap(position={"x": 5, "y": box["height"] * 0.98})
    assert "Positions 23 and 5" in words(figure)
    x, y = box["x"] - 20, box["y"]  # along the numbers of the positions
    scrolled = figure.page.evaluate("scrollY")
    touch(figure.page, (x, y + 10), (x, y + 60), (x, y + box["height"] / 2 + 1))
    assert "Positions 12 and 5" in words(figure)
    assert figure.page.evaluate("scrollY") == scrolled


def test_fingerprint_is_walked_by_keys(show):
    figure = show("Fingerprint")
    figure.get_by_role("application").focus()
    for key, place in [
        ("ArrowDown", "position 5, dimension 0"),
        ("End", "position 5, dimension 15"),
        ("PageDown", "position 15, dimension 15"),
        ("ArrowLeft", "position 15, dimension 14"),
        ("PageUp", "position 5, dimension 14"),
        ("ArrowUp", "position 4, dimension 14"),
        ("Home", "position 4, dimension 0"),
    ]:
        figure.page.keyboard.press(key)
        assert f"Cell: {place}," in words(figure)


def order_shown(figure):
    return figure.locator(".pf-phrase").nth(1).text_content()


@pytest.mark.parametrize("hand", ["mouse", "touch", "keyboard"])
def test_order_problem_words_move(show, hand):
    figure = show("OrderProblem")
    page = figure.page
    cat = figure.get_by_role("button", name=re.compile("^cat, place"))
    assert order_shown(figure) == "mouse chases cat"
    cat.scroll_into_view_if_needed()
    if hand == "keyboard":
        cat.focus()
        page.keyboard.press("ArrowUp")
        assert (words(figure), order_shown(figure))[1] == "mouse cat chases"
        page.keyboard.press("Home")
    else:
        box = cat.bounding_box()
        x, y = box["x"] + 20, box["y"] + box["height"] / 2
        if hand == "mouse":
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x, y - 34)
            assert (words(figure), order_shown(figure))[1] == "mouse cat chases"
            page.mouse.move(x, y - 90)
            page.mouse.up()
        else:
            touch(page, (x, y), (x, y - 34), (x, y - 80))
    shown = words(figure)
    assert order_shown(figure) == "cat mouse chases"
    assert "largest difference, after undoing the new order, 0." in shown


def shade_of(element, style="backgroundColor"):
    """Return the red, green and blue of an element, from 0 to 1."""
    color = element.evaluate("(element, style) => getComputedStyle(element)[style]", style)
    found = [float(part) for part in re.findall(r"[\d.]+", color)][:3]
    return found if color.startswith("color(") else [part / 255 for part in found]


def test_order_problem_agrees_with_posenc(show):
    figure = show("OrderProblem")
    page = figure.page
    matrices = figure.get_by_role("application")
    draw = random.Random(3)
    for turn in range(DRAWS):
        if turn % 2:
            figure.get_by_role("switch").press("Space")
        handle = figure.locator(".pf-handle").nth(draw.randrange(3))
        handle.press(draw.choice(["ArrowUp", "ArrowDown", "Home", "End"]))
        matrix = matrices.nth(draw.randrange(2))
        for _ in range(2):
            matrix.press(draw.choice(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]))
        shown = words(figure)
        names = ("cat", "chases", "mouse")
        looks, at = re.search(r"Linked: (\w+) looks at (\w+)", shown).groups()
        python = figures.OrderProblem(
            order=[names.index(word) for word in order_shown(figure).split()],
            position=figure.get_by_role("switch").is_checked(),
        )
        pair = names.index(looks), names.index(at)
        first, second = python.weights()
        assert number(r"with weight ([\d.]+) in", shown) == first[pair]
        assert number(r"first phrase and ([\d.]+) in", shown) == second[pair]
        assert number(r"new order, ([\d.]+)\.", shown) == python.difference()
        cells = [
            float(cell) for cell in page.locator(".pf-OrderProblem .pf-weight").all_inner_texts()
        ]
        both = np.concatenate([first.ravel(), second.ravel()])
        assert cells == pytest.approx(both, abs=0.00501)
        shades = [shade_of(cell) for cell in figure.locator(".pf-weight").all()]
        assert np.array(shades) == pytest.approx(colormap(SEQUENTIAL)(both)[:, :3], abs=0.01)


def test_order_problem_links_matching_cells(show):
    figure = show("OrderProblem")
    linked = figure.locator(".pf-linked")
    assert linked.all_text_contents() == ["0.36", "0.36"]
    figure.get_by_role("switch").press("Space")
    assert "0.4274" in words(figure)
    assert linked.all_text_contents() == ["0.23", "0.09"]


def test_clocks_agree_with_posenc(show):
    figure = show("Clocks")
    draw = random.Random(5)
    for dim, position in [(2, 43), (2, 44), (2, 710), (16, 355)] + [
        (2 * draw.randint(1, 8), draw.randint(1, 1000)) for _ in range(DRAWS)
    ]:
        move(figure, "Dimensions d", dim)
        move(figure, "Position", position)
        shown = words(figure)
        offset, distance = figures.Clocks(dim=dim, position=position).closest()
        assert f"Position {position}: hardest to tell apart so far are 0 and {offset}," in shown
        assert number(r"at distance ([\d.]+),", shown) == distance
        made = re.search(r"Turns made: ([\d., ]+)\.", shown)[1].split(", ")
        expected = turns(inv_freq(dim), position)
        assert [float(value) for value in made] == pytest.approx(expected, abs=0.00501)
        drawn = re.findall(r"-?[\d.]+", figure.locator(".pf-hands").get_attribute("d"))
        hands = np.array(drawn, float).reshape(dim // 2, 4)
        for (x0, y0, x, y), w in zip(hands, inv_freq(dim), strict=True):
            tip = np.array([x - x0, y0 - y]) / np.hypot(x - x0, y - y0)
            assert tip == pytest.approx([np.cos(w * position), np.sin(w * position)], abs=0.01)
        for name, wave in [("sines", np.sin), ("cosines", np.cos)]:
            waves = figure.locator(f".pf-stage .pf-{name}").get_attribute("d").split("M")[1:]
            for drawn, w in zip(waves, inv_freq(dim), strict=True):
                x, y = np.array(re.findall(r"-?[\d.]+", drawn), float).reshape(-1, 2).T
                before = min(32, position) * (x[-1] - x) / (x[-1] - x[0])
                values = wave(w * (position - before))
                assert y - y[-1] == pytest.approx(-19 * (values - values[-1]), abs=0.3)


def test_clocks_play_and_pause(show):
    figure = show("Clocks")
    slider = figure.get_by_label("Position", exact=True)
    figure.get_by_role("button", name="Play").click()
    figure.page.wait_for_function("(slider) => slider.value > 45", arg=slider.element_handle())
    figure.get_by_role("button", name="Pause").click()
    held = slider.input_value()
    figure.page.wait_for_timeout(600)
    assert slider.input_value() == held
    figure.get_by_role("button", name="one more").click()
    words(figure)
    assert int(slider.input_value()) == int(held) + 1
    move(figure, "Position", 999)
    figure.get_by_role("button", name="Play").click()
    figure.page.wait_for_function(
        "(slider) => slider.value === '1000'", arg=slider.element_handle()
    )
    figure.get_by_role("button", name="Play").wait_for()


def test_score_terms_agree_with_posenc(show):
    figure = show("ScoreTerms")
    python = figures.ScoreTerms()
    draw = random.Random(19)
    where = {"query": python.query, "key": python.key}
    surface = figure.get_by_role("application")
    for turn in range(DRAWS):
        norm, scale = draw.randrange(0, 161) / 10, draw.randrange(1, 61) / 20
        weights = draw.choice(["identity", "random", "commuting"])
        move(figure, "Content norm", norm)
        move(figure, "Codes times", scale)
        figure.get_by_role("radio", name=weights).check()
        figure.get_by_role("button", name="New draw").click()
        key, name, by = draw.choice(
            [("ArrowUp", "query", -1), ("ArrowDown", "query", 1), ("ArrowLeft", "key", -1)]
        )
        surface.press(key)
        where[name] += by
        shown = words(figure)
        python.norm, python.scale, python.weights = norm, scale, weights
        python.seed += 1
        python.query, python.key = where["query"], where["key"]
        assert f"Draw {python.seed} of tokens" in shown
        shares, terms = python.shares(), python.terms()
        assert number(r"offset alone explains ([\d.]+) %", shown) == 100 * shares.offset
        assert number(r"absolute position ([\d.]+) %", shown) == 100 * shares.absolute
        cell = shown[shown.index(f"Query {python.query}, key {python.key}:") :]
        for pattern, values in zip(
            [
                r"content (-?[\d.]+),",
                r"cross terms (-?[\d.]+) and",
                r"and (-?[\d.]+), position",
                r"position (-?[\d.]+);",
                r"score (-?[\d.]+)\.\s",
            ],
            [*terms, terms.total],
            strict=True,
        ):
            assert number(pattern, cell) == values[python.query, python.key], turn
        maps = figure.locator("canvas").all()
        for drawn, values in zip(maps, [*terms, terms.total], strict=True):
            assert_colors(pixels(drawn), values, largest=5)
        bar = figure.locator(".pf-share").get_attribute("style")
        shares_drawn = [float(share) for share in re.findall(r"calc\(([\d.]+)", bar)]
        assert shares_drawn == pytest.approx([shares.offset, shares.absolute], abs=1e-5)
        varies = re.search(r"vary by ([\d., ]+); the score by ([\d.]+)\.", shown)
        offset = python.key - python.query
        assert [float(text) for text in [*varies[1].split(", "), varies[2]]] == pytest.approx(
            [np.ptp(np.diagonal(part, offset)) for part in (*terms, terms.total)], abs=0.00501
        )


def test_score_terms_show_what_the_lesson_says(show):
    figure = show("ScoreTerms")
    move(figure, "Content norm", 0)
    assert "offset alone explains 100.0 %, absolute position 0.0 %" in words(figure)
    figure.get_by_role("radio", name="random").check()
    assert "absolute position 97.5 %" in words(figure)
    figure.get_by_role("radio", name="random").press("ArrowRight")
    assert "absolute position 0.0 %" in words(figure)
    move(figure, "Codes times", 0)
    assert "The score does not vary with position." in words(figure)


def test_score_terms_link_the_maps(show):
    figure = show("ScoreTerms")
    box = figure.locator(".pf-surface").first.bounding_box()
    figure.page.mouse.click(box["x"] + box["width"] * 0.51, box["y"] + box["height"] * 0.26)
    assert "Query 10, key 20: " in words(figure)
    stage = figure.locator(".pf-stage").bounding_box()["x"]
    maps = [one.bounding_box()["x"] - stage for one in figure.locator(".pf-surface").all()]
    cells = re.findall(r"M([\d.]+),[\d.]+h([\d.]+)", figure.locator(".pf-cell").get_attribute("d"))
    places = [
        (float(x) + 1 - left) / (float(width) - 2)
        for left, (x, width) in zip(maps, cells, strict=True)
    ]
    assert places == pytest.approx([20] * 5)


def test_compare_schemes_agrees_with_posenc(show):
    figure = show("CompareSchemes")
    python = figures.CompareSchemes()
    draw = random.Random(23)
    curve = figure.get_by_role("slider", name="Offset", exact=True)
    for _ in range(DRAWS):
        python.offset = 0
        python.dim, python.offsets = 2 * draw.randint(1, 64), draw.randint(2, 128)
        python.first, python.second, python.third = (draw.randint(0, 127) for _ in range(3))
        python.scheme = draw.choice(python.specs()["scheme"]["names"])
        python.seed = (python.seed + 1) % 10_000
        for label, value in [
            ("Head size d", python.dim),
            ("Offsets", python.offsets),
            ("Anchor 1", python.first),
            ("Anchor 2", python.second),
            ("Anchor 3", python.third),
        ]:
            move(figure, label, value)
        figure.locator(f"input[value={python.scheme}]").check()
        figure.get_by_role("button", name="New draw").click()
        curve.press(draw.choice(["Home", "End"]))
        shown = words(figure)
        python.offset = int(curve.get_attribute("aria-valuenow"))
        found = python.measured()
        assert f"Draw {python.seed} of" in shown
        assert number(r"range of scores ([\d.]+),", shown) == float(found.score_range)
        assert number(r"norm of q after ([\d.]+)\.", shown) == float(found.norm_ratio)
        if found.spread < 1e-12:
            assert re.search(r"spread over anchors (0|[\d.]+·10⁻1[3-7])", text_of_powers(shown))
            assert "relative, not approximately but identically" in shown
        else:
            assert number(r"spread over anchors ([\d.]+),", shown) == float(found.spread)
            assert "it depends on absolute position too" in shown
        at = shown[shown.index(f"Offset {python.offset}: score ") :]
        scores = [float(text) for text in re.findall(r"(-?[\d.]+) from anchor", at)]
        assert scores == pytest.approx(found.curves[:, python.offset], abs=0.00501)
        cards = figure.locator(".pf-spread").all_inner_texts()
        for card, name in zip(cards, python.specs()["scheme"]["names"], strict=True):
            spread = float(python.measured(name).spread)
            assert number(r"spread ([\d.]+)", card) == spread, name
        anchors = ("first", "second", "third")
        curves = [drawn_at(figure.locator(f".pf-stage .pf-{anchor}")) for anchor in anchors]
        assert_to_scale(np.concatenate(curves)[:, 1], found.curves.ravel())
        every = -(-python.offsets // 44)  # a small card shows some of the points
        for face, name in zip(
            figure.locator(".pf-card").all(), python.specs()["scheme"]["names"], strict=True
        ):
            small = [drawn_at(face.locator(f".pf-{anchor}"))[:, 1] for anchor in anchors]
            expected = python.measured(name).curves[:, ::every]
            assert_to_scale(np.concatenate(small), expected.ravel())


def text_of_powers(text):
    """Return text with ordinary digits in its powers of ten."""
    return text.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))


def test_compare_schemes_shows_the_table_of_the_lesson(show):
    figure = show("CompareSchemes")
    figure.locator("input[value=sinusoidal]").check()
    shown = words(figure)
    assert "range of scores 2.90, spread over anchors 1.74, norm of q after 1.345." in shown
    assert "Offset 5: score 2.85 from anchor 0, 3.11 from anchor 8, 4.25 from anchor 24." in shown
    figure.locator("input[value=none]").check()
    assert "No positions: range of scores 0.00, spread over anchors 0, " in words(figure)
    figure.locator("input[value=none]").press("ArrowLeft")  # round to the last
    assert "T5: range of scores " in words(figure)


def test_rope_pair_shows_the_numbers_of_the_textbook(show):
    figure = show("RopePair")
    shown = words(figure)
    assert "m - n = 2: q·k before 0.747, after 0.894." in shown
    assert "q turned by 2 × 26° = 52°\n" in shown
    assert "k turned by 0 × 26° = 0°\n" in shown
    for _ in range(3):
        figure.get_by_role("button", name="Shift both by 1", exact=True).click()
    shown = words(figure)
    assert "m - n = 2: q·k before 0.747, after 0.894." in shown
    assert "q turned by 5 × 26° = 130°\n" in shown
    figure.get_by_role("button", name="Shift both by \u22121", exact=True).press("Space")
    assert "k turned by 2 × 26° = 52°\n" in words(figure)
    figure.get_by_role("button", name="Shift both by \u221210").press("Space")
    shown = words(figure)
    assert "k turned by 0 × 26° = 0°" in shown
    assert "after 0.894" in shown


def test_rope_pair_agrees_with_posenc(show):
    figure = show("RopePair")
    draw = random.Random(29)
    graph = figure.get_by_role("slider", name="m \u2212 n, query minus key")
    for _ in range(DRAWS):
        query, theta = draw.randint(0, 120), draw.randint(0, 180)
        key = min(120, max(0, query + draw.randint(-12, 12)))
        move(figure, "Query at m", query)
        move(figure, "Key at n", key)
        move(figure, "Angle θ", theta)
        shown = words(figure)
        python = figures.RopePair(query=query, key=key, theta=theta)
        assert f"m - n = {query - key}:" in shown
        assert number(r"after (-?[\d.]+)\.", shown) == python.product()
        assert float(graph.get_attribute("aria-valuenow")) == query - key
        q, k = python.turned()
        cosine = python.product() / np.linalg.norm(q) / np.linalg.norm(k)
        assert number(r"between them ([\d.]+)°", shown) == np.degrees(np.arccos(cosine))
        assert_to_scale(drawn_at(figure.locator(".pf-point"))[:, 1], python.curve())
        tips = [drawn_at(figure.locator(f".pf-{name} .pf-head-of"))[0] for name in "qk"]
        both = np.array([q, k]) * [1, -1]  # pixels grow downwards
        size = np.linalg.norm(tips[0]) / np.linalg.norm(q)
        assert np.array(tips) == pytest.approx(size * both, abs=0.11)


def test_rope_pair_vectors_are_turned_by_hand(show):
    figure = show("RopePair")
    query, key = (figure.get_by_role("slider", name=f"Turn {name}: ") for name in "qk")
    plane, tip = figure.locator(".pf-stage").first.bounding_box(), query.bounding_box()
    x, y = (plane[at] + plane[side] / 2 for at, side in [("x", "width"), ("y", "height")])
    mouse = figure.page.mouse
    mouse.move(tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2)
    mouse.down()
    angle = np.arctan2(0.6, 0.95) + np.radians(26) * 5  # where the query points at position 5
    mouse.move(x + 90 * np.cos(angle), y - 90 * np.sin(angle))
    assert "q turned by 5 × 26° = 130°" in words(figure)
    mouse.up()
    for press, position in [("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1), ("Home", 0)]:
        key.press(press)
        assert f"k turned by {position} × 26°" in words(figure)
    query.press("ArrowRight")
    assert "q turned by 6 × 26° = 156°" in words(figure)
    assert query.get_attribute("aria-valuetext") == "position 6"


def test_rope_pair_keeps_within_the_graph(show):
    figure = show("RopePair")
    move(figure, "Query at m", 100)
    assert "m - n = 12:" in words(figure)
    assert figure.get_by_label("Key at n").input_value() == "88"
    graph = figure.get_by_role("slider", name="m \u2212 n, query minus key")
    for key, offset in [("Home", -12), ("ArrowRight", -11), ("End", 12), ("ArrowDown", 11)]:
        graph.press(key)
        assert f"m - n = {offset}:" in words(figure)
    box = graph.bounding_box()
    figure.page.mouse.click(box["x"] + box["width"] / 2 + 12, box["y"] + box["height"] / 2)
    assert "m - n = 0: q·k before 0.747, after 0.747." in words(figure)


def test_quiz_explains_at_once_by_keyboard(show):
    figure = show("Quiz")
    questions = figures.Quiz.of("01_why_order_matters").questions
    blocks = figure.locator(".pf-question").all()
    assert len(blocks) == len(questions)
    assert f"0/{len(questions)} correct" in words(figure)
    height = figure.bounding_box()["height"]
    for correct, (block, question) in enumerate(zip(blocks, questions, strict=True), start=1):
        wrong = (question["right"] + 1) % len(question["options"])
        for choice in (wrong, question["right"]):
            option = block.get_by_role("button").nth(choice)
            option.focus()
            figure.page.keyboard.press("Enter")
            words(figure)
            assert option.get_attribute("aria-pressed") == "true"
            why = question["explanations"][choice].replace("*", "")
            assert block.locator(".pf-why:visible").all_inner_texts() == [why]
            verdict = "Right." if choice == question["right"] else "Wrong."
            status = block.get_by_role("status")
            expect(status).to_have_text(f"{verdict}\n{why}", use_inner_text=True)
            assert figure.bounding_box()["height"] == height, "an answer moves what is below"
        assert f"{correct}/{len(questions)} correct" in words(figure)
    figure.get_by_role("button", name="Reset").click()
    assert f"0/{len(questions)} correct" in words(figure)
    assert figure.locator(".pf-why:visible").count() == 0


def test_alibi_matrix_shows_the_percentages_of_the_textbook(show):
    figure = show("AlibiMatrix")
    shown = words(figure).replace("\u00a0", " ")
    assert "Head 1 of 8, slope 0.5: “stone” attends to " in shown
    for word, share in zip(
        ("The", "cat", "sat", "on", "warm", "stone"),
        ("3.4", "5.6", "9.2", "15.2", "25.1", "41.4"),
        strict=True,
    ):
        assert f"{word} {share} %" in shown
    figure.get_by_role("application").press("ArrowUp")
    assert "“warm” attends to The 5.8" in words(figure)
    figure.get_by_role("application").press("Home")
    assert "“The” attends to The 100.0" in words(figure)


def test_alibi_matrix_agrees_with_posenc(show):
    figure = show("AlibiMatrix")
    draw = random.Random(11)
    for _ in range(DRAWS):
        heads = draw.randint(1, 32)
        head, row = draw.randint(1, heads), draw.randrange(6)
        for label, value in [("Heads", heads), ("Head", head), ("Query", row)]:
            move(figure, label, value)
        shown = words(figure).replace("\u00a0", " ")
        python = figures.AlibiMatrix(heads=heads, head=head, row=row)
        assert f"Head {head} of {heads}, " in shown
        assert float(re.search(r"slope ([\d.]+):", shown)[1]) == pytest.approx(
            python.slope, rel=0.006
        )
        shares = re.findall(r"\w ([\d.]+) %", shown.split("attends to")[1].split(".\n")[0])
        assert [float(share) for share in shares] == pytest.approx(
            100 * python.shares(), abs=0.0501
        )
        cells = [
            float(cell.replace("\u2212", "-"))
            for cell in figure.locator(".pf-number").all_inner_texts()
        ]
        expected = python.bias()[np.tril_indices(6)]
        assert cells == pytest.approx(expected, abs=0.00501)
        assert number(r"Each step back: times ([\d.]+)\.", shown) == np.exp(-python.slope)
        bars = re.findall(r"v(-?\d+)a(\d)", figure.locator(".pf-bar").get_attribute("d"))
        heights = np.array([int(round_) - int(side) for side, round_ in bars])
        most = max(0.5, python.shares().max())
        assert heights[: row + 1] == pytest.approx(100 * python.shares() / most, abs=0.51)
        assert not heights[row + 1 :].any(), "what follows is hidden"
        assert_to_scale(
            drawn_at(figure.locator(".pf-dots"))[:, 1], np.exp(-python.slope * np.arange(row + 1))
        )
        colors = figure.locator(".pf-matrix path:not([class])").all()
        expected = colormap(DIVERGING)(0.5 - python.slope * np.arange(6) / 9)[:, :3]
        assert np.array([shade_of(path, "fill") for path in colors]) == pytest.approx(
            expected, abs=0.01
        )


def test_nope_leak_agrees_with_posenc(show):
    figure = show("NopeLeak")
    assert "token 8 sees 8 tokens and receives 1/8 = 0.1250" in words(figure)
    assert "8 among 8 tokens" in words(figure)
    figure.get_by_role("switch").press("Space")
    assert "1 among 8 tokens" in words(figure)
    draw = random.Random(13)
    for turn in range(DRAWS):
        if turn % 2:
            figure.get_by_role("switch").press("Space")
        tokens = draw.randint(2, 24)
        mark, token = draw.randint(1, tokens), draw.randint(1, tokens)
        for label, value in [("Tokens", tokens), ("Mark on token", mark), ("Token read", token)]:
            move(figure, label, value)
        shown = words(figure)
        causal = figure.get_by_role("switch").is_checked()
        python = figures.NopeLeak(tokens=tokens, mark=mark, token=token, causal=causal)
        one, two = python.received()
        if one[token - 1] == 0:
            assert f"token {token} sees" in shown
            assert "receives 0, since the mark is hidden from it" in shown
        elif (token if causal else tokens) > 1:
            assert number(r"receives 1/\d+ = ([\d.]+)\.", shown) == one[token - 1]
        different = len(set(one.round(12)))
        assert f"layer: {different} among {tokens} tokens" in shown
        assert number(r"one layer gives ([\d.]+) wherever", shown) == one[-1]
        if causal:
            assert number(r"two give ([\d.]+), which", shown) == two[-1]
        heights = [
            float(height) / 96
            for bars in figure.locator(".pf-bar").all()
            for height in re.findall(r"v([\d.]+)h", bars.get_attribute("d"))
        ]
        expected = [*one, one[token - 1], *two, two[token - 1]]
        assert heights == pytest.approx(expected, abs=0.001)


def test_nope_leak_is_walked_by_keys(show):
    figure = show("NopeLeak")
    chart = figure.get_by_role("application")
    for key, token in [("ArrowLeft", 7), ("Home", 1), ("ArrowRight", 2), ("End", 8)]:
        chart.press(key)
        assert f"token {token} sees" in words(figure)


def test_frequency_spectrum_agrees_with_posenc(show):
    figure = show("FrequencySpectrum")
    draw = random.Random(17)
    plain_number = lambda text: float(text.replace("\u202f", ""))  # noqa: E731
    for _ in range(DRAWS):
        model = draw.choice([*frequency_spectrum.MODELS])
        known = frequency_spectrum.MODELS[model]
        methods = [m for m in frequency_spectrum.METHODS if m != "longrope" or known.lists]
        method, pair = draw.choice(methods), draw.randrange(known.dim // 2)
        factor, target = 2 ** (draw.randint(0, 24) / 4), 2 ** (draw.randint(40, 80) / 4)
        figure.get_by_role("radio", name=model).check()
        figure.get_by_role("radio", name=frequency_spectrum.METHODS[method], exact=True).check()
        move(figure, "Factor s", round(4 * np.log2(factor)))
        move(figure, "Wanted length", round(4 * np.log2(target)))
        move(figure, "Pair", pair)
        shown = words(figure)
        python = figures.FrequencySpectrum(model=model, pair=0)
        python.method, python.factor = method, float(f"{factor:.3g}")
        python.target, python.pair = round(target), pair
        trained, before, after = python.pair_turns()
        new = python.new_angles()
        assert f"{new.sum()} of {new.size} pairs reach angles never seen" in shown
        assert number(r"Attention factor ([\d.]+)[:.]", shown) == python.attention_factor
        crosses = figure.locator(".pf-stage .pf-new").get_attribute("d")
        assert crosses.count("m0,-7") == new.sum()
        seen = drawn_at(figure.locator(".pf-stage .pf-seen"))[: (~new).sum()]
        never = drawn_at(figure.locator(".pf-stage .pf-new"))[: new.sum()]
        dots = 3.5 + np.concatenate([seen - [0, 3.5], never])
        dots = dots[dots[:, 0].argsort()]  # in the order of the pairs
        assert_to_scale(dots[:, 1], np.log10(after))
        assert np.diff(dots[:, 0]) == pytest.approx(np.diff(dots[:, 0]).mean(), abs=0.11)
        distances = np.unique(np.rint(10 ** (np.arange(561) / 80)))
        distances = np.append(distances[distances < python.target], python.target)
        for curve, frequencies in [
            (".pf-plain-curve", inv_freq(known.dim, base=known.base)),
            (".pf-curve", python.frequencies()),
        ]:
            if method == "none" and curve == ".pf-curve":
                continue  # the two are one
            points = drawn_at(figure.locator(f".pf-stage {curve}"))
            assert_to_scale(points[:, 1], np.cos(np.outer(distances, frequencies)).sum(axis=1))
            assert_to_scale(-points[:, 0], np.log10(distances))
        made = re.search(r"([\d.\u202f]+) turns in training, now ([\d.\u202f]+?)[.:]\s", shown)
        assert [plain_number(text) for text in made.groups()] == pytest.approx(
            [trained[pair], after[pair]], rel=0.006
        )
        sums = re.search(
            r": (-?[\d.]+) unchanged, (-?[\d.]+) now; at [^:]*: (-?[\d.]+) and (-?[\d.]+)\.",
            shown[shown.index("Sum of cosines at") :],
        )
        assert [float(text) for text in sums.groups()] == pytest.approx(
            [
                np.cos(2 * np.pi * turned).sum()
                for turned in (trained, after * known.trained / python.target, before, after)
            ],
            abs=0.0501,
        )


def test_frequency_spectrum_takes_a_model_as_it_was_released(show):
    figure = show("FrequencySpectrum")
    choose = lambda name: figure.get_by_role("radio", name=name, exact=True)  # noqa: E731
    choose("Llama 3.1 8B").check()
    shown = words(figure)
    assert "29 kept, 6 mixed, 29 divided by 8." in shown
    assert choose("Llama 3").is_checked()
    assert choose("LongRoPE").is_disabled()
    choose("Phi-3.5 mini").check()
    assert "Attention factor 1.1902:" in words(figure)
    assert choose("LongRoPE").is_enabled()
    choose("Llama 2 7B").check()
    choose("none").check()
    move(figure, "Wanted length", 60)
    assert "18 of 64 pairs reach angles never seen" in words(figure)
    figure.get_by_role("application").press("End")
    assert "Pair 63: wavelength 54\u202f400, now 54\u202f400 positions" in words(figure)


def test_alibi_matrix_row_is_dragged(show):
    figure = show("AlibiMatrix")
    chart = figure.get_by_role("application")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    mouse = figure.page.mouse
    mouse.move(box["x"] + 5, box["y"] + 5)
    mouse.down()
    assert "“The” attends to" in words(figure)
    mouse.move(box["x"] + 5, box["y"] + 2.5 * 32)
    assert "“sat” attends to" in words(figure)
    mouse.move(box["x"] + 5, box["y"] + 900)
    assert "“stone” attends to" in words(figure)
    mouse.up()


def test_extrapolation_lab_agrees_with_the_results(show):
    figure = show("ExtrapolationLab")
    python = figures.ExtrapolationLab.of(trained, rescues=["stretch"])
    names = [curve["name"] for curve in python.results["curves"]]
    boxes = figure.get_by_role("checkbox").all()
    assert len(boxes) == len(names)
    chart = figure.get_by_role("application")
    draw = random.Random(19)
    for _ in range(DRAWS):
        measure = draw.choice(["mean", "tail", "position"])
        figure.locator(f"input[value={measure}]").check(force=True)
        boxes[draw.randrange(len(boxes))].press("Space")
        chart.press(draw.choice(["Home", "End"]))
        for _ in range(draw.randrange(4)):
            chart.press(draw.choice(["ArrowLeft", "ArrowRight"]))
        shown = words(figure)
        python.measure = measure
        python.shown = [name for name, box in zip(names, boxes, strict=True) if box.is_checked()]
        if measure == "position":
            place = float(re.search(r"At position ([\d.]+):", shown)[1])
        else:
            place = float(re.search(r"At [\d.]+ × 64 = (\d+) characters:", shown)[1])
        listed = figure.locator(".pf-loss").all_inner_texts()
        found = {}
        for curve, text in zip(python.results["curves"], listed, strict=True):
            points = {
                round(where, 1): losses
                for where, *losses in (python.points(curve) if curve[measure] else [])
            }
            near = min(points, key=lambda where: abs(where - place), default=None)
            if near is None or abs(near - place) > 0.006 * place:
                assert text == "not measured"
                continue
            assert [float(loss) for loss in re.findall(r"\d\.\d+", text)] == pytest.approx(
                points[near], abs=0.000501
            )
            if curve["name"] in python.shown:
                found[curve["label"]] = points[near][0]
        if found:
            lowest = min(found, key=found.get)
            assert f"lowest {lowest}, {found[lowest]:.3f}" in shown
        drawn = figure.locator(".pf-stage .pf-curve:not([d='M9,9h0'])").all()
        assert len(drawn) == len(python.curves())
        if drawn:
            bands = figure.locator(".pf-stage .pf-band:not([d='M9,9h0'])").all()
            means = np.concatenate([drawn_at(curve) for curve in drawn])[:, 1]
            ranges = np.concatenate([drawn_at(band) for band in bands])[:, 1]
            rows = [np.array(python.points(curve)) for curve in python.curves()]
            ends = np.concatenate([np.append(row[:, 2], row[::-1, 3]) for row in rows])
            losses = np.concatenate([row[:, 1] for row in rows])
            assert_to_scale(np.append(means, ranges), np.append(losses, ends))


def test_extrapolation_lab_shows_numbers_under_the_pointer(show):
    figure = show("ExtrapolationLab")
    chart = figure.get_by_role("application")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    losses = figure.locator(".pf-loss").all_inner_texts
    at_eight = losses()
    figure.page.mouse.move(box["x"] + 20, box["y"] + 50)
    assert losses() != at_eight
    figure.page.mouse.move(box["x"] + 20, box["y"] - 100)
    assert losses() == at_eight
