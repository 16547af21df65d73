"""Pictures of every live figure, at three widths, light and dark, and of its still picture.

    python tools/screenshots.py [FIGURE ...]
    python tools/screenshots.py --readme    # the two pictures of the README alone

Writes _build/screenshots/FIGURE-390-light.png and so on, and a page with all figures to look at,
_build/screenshots/index.html. Needs a browser (the variable CHROMIUM) and node.
"""

import io
import json
import os
import subprocess
import sys
from base64 import b64decode

import lesson
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from posenc import figures, trained

FOLDER = lesson.ROOT / "_build" / "screenshots"
WIDTHS = (390, 800, 1280)
THEMES = ("light", "dark")
README = {"RopePair": "light", "FrequencySpectrum": "dark"}

PAGE = """<!doctype html>
<html lang="en" data-theme="light">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Figures</title>
<style>
body {{ max-width: 46rem; margin: 1.5rem auto; padding: 0 1rem; font: 17px system-ui, sans-serif; }}
html[data-theme=dark] body {{ background: #15171c; color: #d5d8e0; }}
.live-figure {{ margin: 0 0 4rem; }}
</style>
<script type="application/vnd.jupyter.widget-state+json">{states}</script>
{places}
<script defer src="figures/host.js"></script>
</html>
"""
PLACE = """<div class="live-figure" data-figure="{name}">
<div class="live-room">
<script type="application/vnd.jupyter.widget-view+json">{{"model_id": "{number}"}}</script>
</div>
</div>"""


def page(shown: list[figures.Figure]) -> str:
    """Return a page with these figures."""
    states = {
        str(number): {"state": figure.settings() | {"_initial": figure.settings()}}
        for number, figure in enumerate(shown)
    }
    places = [
        PLACE.format(name=type(figure).__name__, number=number)
        for number, figure in enumerate(shown)
    ]
    text = json.dumps({"state": states}).replace("<", "\\u003c")
    return PAGE.format(states=text, places="\n".join(places))


def example(kind: type[figures.Figure]) -> figures.Figure:
    """Return a figure as a lesson shows it."""
    if kind is figures.Quiz:
        return figures.Quiz.of("02_sinusoids")
    if kind is figures.ExtrapolationLab:
        return figures.ExtrapolationLab.of(trained, rescues=["stretch"])
    return kind()


def picture_readme(browser: Browser) -> None:
    """Write the README's pictures, sharp on fine screens."""
    for name, theme in README.items():
        window = browser.new_page(viewport={"width": 800, "height": 900}, device_scale_factor=2)
        window.goto((FOLDER / "index.html").as_uri())
        window.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        figure = window.locator(f'.live-figure[data-figure="{name}"]')
        figure.scroll_into_view_if_needed()
        figure.locator(".pf").wait_for()
        picture = Image.open(io.BytesIO(figure.screenshot())).convert("RGB")
        picture.save(lesson.ROOT / f"book/_static/{name}-{theme}.webp", lossless=True, method=6)
        window.close()


def main(names: list[str]) -> None:
    """Write the page and the pictures."""
    readme = names == ["--readme"]
    names = [*README] if readme else names
    kinds = [getattr(figures, name) for name in figures.__all__]
    kinds = [kind for kind in kinds if issubclass(kind, figures.Figure) and kind.specs()]
    shown = [example(kind) for kind in kinds if not names or kind.__name__ in names]
    FOLDER.mkdir(parents=True, exist_ok=True)
    build = ["node", lesson.ROOT / "tools/build_figures.mjs", "--site", FOLDER / "figures"]
    subprocess.run(build, check=True)
    (FOLDER / "index.html").write_text(page(shown))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox"]
        )
        if readme:
            picture_readme(browser)
            return
        for width in WIDTHS:
            window = browser.new_page(viewport={"width": width, "height": 900})
            window.on("console", lambda message: print(message.type, message.text))
            window.goto((FOLDER / "index.html").as_uri())
            for figure in window.locator(".live-figure").all():
                figure.scroll_into_view_if_needed()
                figure.locator(".pf, [role=alert]").first.wait_for()
            for theme in THEMES:
                window.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
                for figure in window.locator(".live-figure").all():
                    name = figure.get_attribute("data-figure")
                    figure.screenshot(path=FOLDER / f"{name}-{width}-{theme}.png")
                    if theme == "light":
                        print(name, width, "height", round(figure.bounding_box()["height"]))
            window.close()
        browser.close()
    for figure in shown:
        data, _ = figure._repr_mimebundle_()
        if "image/png" in data:
            still = FOLDER / f"{type(figure).__name__}-still.png"
            still.write_bytes(b64decode(data["image/png"]))
    print(FOLDER.relative_to(lesson.ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
