"""How long the browser works to draw a change of each control, on a processor slowed four times.

    python tools/frames.py [FIGURE ...]

Opens a page of _build/html for each live figure, moves every control many times, and prints the
median and the 95th percentile of what a move costs, from its event to the finished frame, and the
median of each part. It is processor time of the page's thread, from the browser's own trace, so
that other work on the machine does not count. The first row is the least that this machine can do:
a page that holds one line, which moves. Fails where the 95th percentile is above a frame.
Needs a browser (the variable CHROMIUM).
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import lesson
from playwright.sync_api import Browser, Page, sync_playwright

SITE = lesson.ROOT / "_build" / "html"
SLOWDOWN = 4
FRAME = 16  # milliseconds
MOVES = 40
WARM = 5  # moves in which the code is still being compiled
PARTS = {
    "script": {"EventDispatch", "FireAnimationFrame", "FunctionCall"},
    "style": {"UpdateLayoutTree"},
    "layout": {"Layout", "IntersectionObserverController::computeIntersections"},
    "paint": {"PrePaint", "Paint", "Layerize", "Commit"},
}

# What a reader can move, and how.
CONTROLS = """(figure) => {
  const name = (element) => element.getAttribute("aria-label") ??
    (element.labels?.[0] ?? element).textContent.trim();
  const all = (selector) => [...figure.querySelectorAll(selector)];
  const named = (elements, kind) =>
    elements.map((element) => ({ name: name(element), kind, elements: [element] }));
  const groups = all("[role=radiogroup], .pf-question").map((group) =>
    ({ name: name(group), kind: "press", elements: [...group.querySelectorAll("input, button")] }));
  window.controls = [
    ...named(all("input[type=range]"), "slide"),
    ...named(all("input[type=checkbox]"), "press"),
    ...groups,
    ...named(all("button:not(.pf-reset, .pf-option)"), "press"),
    ...named(all("[tabindex='0']"), "step"),
    ...named(all("[role=application]"), "hover"),
  ];
  return window.controls.map(({ name, kind }) => `${kind} ${name}`);
}"""

# The least that a change can cost.
LEAST = """() => {
  document.body.innerHTML = '<svg width="600" height="300"><path stroke="black"/></svg><button>';
  const [path, button] = document.body.querySelectorAll("path, button");
  let moves = 0;
  const draw = () => path.setAttribute("d", `M0,0L600,${(moves += 7) % 300}`);
  button.onclick = () => requestAnimationFrame(draw);
  window.controls = [{ kind: "press", elements: [button] }];
}"""

MOVE = """async ([number, moves]) => {
  const { kind, elements } = window.controls[number];
  const frame = () => new Promise(requestAnimationFrame);
  const move = {
    slide: (element, i) => {
      const [low, high] = [Number(element.min), Number(element.max)];
      element.value = low + ((high - low) * ((i * 17) % moves)) / (moves - 1);
      element.dispatchEvent(new Event("input"));
    },
    press: (element) => element.click(),
    step: (element, i) => {
      const key = ["ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight"][i % 4];
      element.dispatchEvent(new KeyboardEvent("keydown", { key }));
    },
    hover: (element, i) => {
      const box = element.getBoundingClientRect();
      const at = ((i * 17) % moves) / moves;
      element.dispatchEvent(new PointerEvent("pointermove",
        { clientX: box.left + at * box.width, clientY: box.top + at * box.height }));
    },
  }[kind];
  for (let i = 0; i < moves; i++) {
    await frame();
    await new Promise((done) => setTimeout(done)); // a task of its own, as an event has
    performance.mark("move begins");
    move(elements[i % elements.length], i);
    await frame();
    await new Promise((done) => setTimeout(done)); // the frame has been drawn
    performance.mark("move ends");
  }
}"""


Event = dict[str, Any]


def traced(browser: Browser, window: Page, number: int) -> list[Event]:
    """Return the trace events of the page's thread while a control is moved."""
    browser.start_tracing(page=window, categories=["devtools.timeline", "blink.user_timing"])
    window.evaluate(MOVE, [number, MOVES])
    events = json.loads(browser.stop_tracing())["traceEvents"]
    threads = {(e["pid"], e["tid"]) for e in events if e["name"] == "move begins"}
    mine = [e for e in events if (e["pid"], e["tid"]) in threads and "ts" in e]
    return sorted(mine, key=lambda event: event["ts"])


def costs(events: list[Event]) -> Iterator[dict[str, float]]:
    """Yield the milliseconds of each part of each move that had something to draw."""
    part_of = {name: part for part, names in PARTS.items() for name in names}
    cost: dict[str, float] | None = None
    drawn = False
    # The events that an event lies in: their ends, their parts.
    around: list[tuple[float, str]] = []
    for event in events:
        if event["name"] == "move begins":
            cost, around, drawn = dict.fromkeys(PARTS, 0.0), [], False
        elif event["name"] == "move ends":
            if cost and drawn:
                yield cost
            cost = None
        elif cost and "tdur" in event and event["name"] in part_of:
            while around and around[-1][0] <= event["ts"]:
                around.pop()
            if around:
                cost[around[-1][1]] -= event["tdur"] / 1000
            drawn = drawn or event["name"] == "Paint"
            part = part_of[event["name"]]
            cost[part] += event["tdur"] / 1000
            around.append((event["ts"] + event["dur"], part))


def places(names: list[str]) -> Iterator[tuple[Path, str]]:
    """Yield each figure of the book with the first page that has it."""
    found: set[str] = set()
    for page in sorted(SITE.rglob("*.html")):
        for name in re.findall(r'data-figure="(\w+)"', page.read_text()):
            if name not in found and (not names or name in names):
                found.add(name)
                yield page, name


def report(words: str, events: list[Event]) -> bool:
    """Print a row and return whether its 95th percentile is above a frame."""
    moves = list(costs(events))[WARM:]
    if len(moves) < MOVES / 4:
        return False  # nothing that is drawn, such as a button without a next step
    sums = [sum(move.values()) for move in moves]
    end = quantiles(sums, n=20)[-1]
    parts = "  ".join(f"{median(move[part] for move in moves):6.1f}" for part in PARTS)
    late = end > FRAME
    print(f"{words[:43]:44}{median(sums):6.1f} {end:6.1f}  {parts}{'  LATE' * late}", flush=True)
    return late


def main(names: list[str]) -> int:
    """Print the table and return the exit status."""
    late = 0
    print(f"{'':44}median   95th  {'  '.join(f'{part:>6}' for part in PARTS)}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox"]
        )
        window = browser.new_page(viewport={"width": 1280, "height": 900})
        session = window.context.new_cdp_session(window)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        window.evaluate(LEAST)
        report("an empty page: one line", traced(browser, window, 0))
        for page, name in places(names):
            window.goto(page.as_uri())
            figure = window.locator(f'.live-figure[data-figure="{name}"]').first
            figure.scroll_into_view_if_needed()
            figure.locator(".pf").wait_for()
            for number, control in enumerate(figure.evaluate(CONTROLS)):
                late += report(f"{name}: {control}", traced(browser, window, number))
        browser.close()
    print(f"{late} controls are drawn later than a frame of {FRAME} ms at {SLOWDOWN}x slowdown")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
