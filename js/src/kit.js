// The frame that every figure stands in, and the controls that move it.
//
// figure("Name", SETTINGS, build) gives the module that anywidget and the website's host mount. `build`
// makes the elements once and returns draw(state, changed), which is called with all settings and with
// the names of those that changed. js/README.md shows how.

import { check } from "./check.js";
import { h, put, say } from "./draw.js";

const WIDE = 500; // pixels from which things stand side by side, as in figures.css

/** Make the module of a figure from its name, the specs of its settings, and the function that builds it. */
export function figure(name, specs, build) {
  const names = Object.keys(specs);

  function render({ model, el }) {
    const controller = new AbortController();
    const root = h("div", { class: "pf-inner" });
    const card = h("div", { class: `pf pf-${name}` }, root);
    el.append(card);
    let frame = 0;
    let broken = false;
    let changed = new Set();
    let draw = () => {};
    let watcher;
    let width = 0; // of the figure; to ask the browser for it after a change would cost a layout
    const checked = {};

    /** Show what went wrong in the figure's own place. */
    function fail(error) {
      broken = true;
      console.warn(`${name}: ${error.message}`, error);
      root.replaceChildren(failure(name, error));
    }

    /** Run something that belongs to this figure; its failure stays here. */
    function guard(run) {
      try {
        run();
      } catch (error) {
        fail(error);
      }
    }

    function readState() {
      for (const key of names) {
        const value = model.get(key);
        if (value !== checked[key]) checked[key] = check(key, value, specs[key]);
      }
      return { ...checked, width, wide: width >= WIDE };
    }

    /** Note the width; says whether it is another one. Before the figure is on the page it has none. */
    function measured() {
      const before = width;
      width = root.clientWidth || width || 640;
      return width !== before;
    }

    function redraw() {
      frame = 0;
      if (broken) return;
      guard(() => {
        const now = changed;
        changed = new Set();
        draw(readState(), now);
      });
    }

    function touch(key) {
      changed.add(key);
      frame ||= requestAnimationFrame(redraw);
    }

    const handlers = names.map((key) => [`change:${key}`, () => touch(key)]);

    guard(() => {
      measured();
      const ui = makeUi({ name, specs, model, root, signal: controller.signal, guard, readState });
      const drawFigure = build(ui);
      draw = (state, now) => {
        for (const control of ui.controls) control.update(state);
        drawFigure(state, now);
      };
      for (const handler of handlers) model.on(...handler);
      draw(readState(), new Set([...names, "width"]));
      const lines = root.querySelectorAll(".pf-line");
      watcher = new ResizeObserver(() => {
        if (!root.clientWidth) return; // without room for a moment, in which every word would be a line
        const fresh = measured();
        // A line keeps the room that it has needed at this width: what is below must not jump while a slider moves.
        const rooms = [...lines].map((line) => (fresh ? "" : `${line.getBoundingClientRect().height}px`));
        card.style.setProperty("--pf-height", `${root.offsetHeight}px`);
        lines.forEach((line, i) => {
          line.style.minHeight = rooms[i];
        });
        if (fresh) touch("width");
      });
      watcher.observe(root);
    });

    return () => {
      controller.abort();
      watcher?.disconnect();
      cancelAnimationFrame(frame);
      for (const handler of handlers) model.off(...handler);
      card.remove();
    };
  }

  return { render };
}

/** What a reader sees where a figure cannot be shown. */
export function failure(name, error) {
  return h("div", { class: "pf-failure", role: "alert" },
    h("strong", {}, `The figure ${name} cannot be shown.`), ` ${error.message}`);
}

let count = 0;

function makeUi({ name, specs, model, root, signal, guard, readState }) {
  const controls = [];

  /** Set settings, as the reader's hand does. */
  function set(values) {
    for (const [key, value] of Object.entries(values)) model.set(key, check(key, value, specs[key]));
    model.save_changes();
  }

  /** Listen until the figure is unmounted. */
  function on(element, types, handler) {
    for (const type of types.split(" "))
      element.addEventListener(type, (event) => guard(() => handler(event)), { signal, passive: false });
  }

  const unique = () => `pf-${name}-${(count += 1)}`; // several of the same figure may be on a page

  function add(element, update) {
    controls.push({ update });
    return element;
  }

  /** Title, reset button and the figure's parts. */
  function frame(title, ...parts) {
    const id = unique();
    const reset = h("button", { type: "button", class: "pf-button pf-reset" }, "Reset");
    on(reset, "click", () => set(model.get("_initial")));
    put(root, { role: "group", "aria-labelledby": id });
    root.append(h("div", { class: "pf-head" }, h("div", { class: "pf-title", id }, title), reset), ...parts);
  }

  /** A slider with its value, moved by pointer, touch and arrow keys. `max` and `show` may depend on the
   * state; `change` turns a value into settings; with `ratio` each step multiplies by it, without it a
   * number moves by `step`. */
  function slider(key, { label, min, max, step: by = "any", show = String, ratio, change = (value) => ({ [key]: value }) }) {
    const spec = specs[key];
    const id = unique();
    const step = ratio || spec.kind === "whole" ? (spec.even ? 2 : 1) : by;
    const place = ratio ? (value) => Math.round(Math.log(value) / Math.log(ratio)) : Number;
    const round = spec.kind === "whole" ? Math.round : (value) => Number(value.toPrecision(3));
    const valueAt = ratio ? (at) => round(ratio ** at) : Number;
    const input = h("input", { type: "range", id, step, min: place(min ?? spec.low), max: place(spec.high) });
    const value = h("output", { class: "pf-value", for: id });
    on(input, "input", () => set(change(valueAt(Number(input.value)), readState())));
    return add(h("div", { class: "pf-slider" }, h("label", { for: id }, label), input, value), (state) => {
      const words = show(state[key], state);
      const at = place(state[key]);
      const high = place(max?.(state) ?? spec.high);
      put(input, { max: high, "aria-valuetext": words });
      if (Number(input.value) !== at) input.value = at;
      say(value, words);
    });
  }

  /** Two buttons that step a setting down and up. */
  function stepper(key, { label, max }) {
    const spec = specs[key];
    const step = spec.even ? 2 : 1;
    const buttons = [[-1, "−", "less"], [1, "+", "more"]].map(([sign, text, word]) => {
      const button = h("button", { type: "button", class: "pf-button pf-step", "aria-label": `${label}: one ${word}` }, text);
      on(button, "click", () => {
        const state = readState();
        const next = state[key] + sign * step;
        if (next >= spec.low && next <= (max?.(state) ?? spec.high)) set({ [key]: next });
      });
      return button;
    });
    return add(h("span", { class: "pf-steps" }, ...buttons), (state) => {
      put(buttons[0], { "aria-disabled": state[key] <= spec.low });
      put(buttons[1], { "aria-disabled": state[key] >= (max?.(state) ?? spec.high) });
    });
  }

  /** A switch. */
  function toggle(key, { label }) {
    const input = h("input", { type: "checkbox", role: "switch" });
    on(input, "change", () => set({ [key]: input.checked }));
    return add(h("label", { class: "pf-toggle" }, input, h("span", { class: "pf-knob" }), label), (state) => {
      input.checked = state[key];
    });
  }

  /** A choice among a few values, all of them in sight: [[value, words or an element], ...]. `change` turns a
   * value into settings; `offered` says whether a value can be had in a state. */
  function choices(key, { label, options, change = (value) => ({ [key]: value }), offered = () => true }) {
    const group = unique();
    const inputs = options.map(([value]) => {
      const input = h("input", { type: "radio", name: group, value });
      on(input, "change", () => set(change(value, readState())));
      return input;
    });
    const labels = options.map(([, content], i) => h("label", { class: "pf-choice" }, inputs[i], h("span", { class: "pf-face" }, content)));
    return add(h("div", { class: "pf-choices", role: "radiogroup", "aria-label": label }, ...labels), (state) => {
      inputs.forEach((input, i) => {
        const [value] = options[i];
        input.checked = value === state[key];
        input.disabled = !offered(value, state);
      });
    });
  }

  function button(label, press) {
    const element = h("button", { type: "button", class: "pf-button" }, label);
    on(element, "click", press);
    return element;
  }

  /** A line that says what is seen; those who listen hear it when it changes. */
  const readout = () => h("p", { class: "pf-readout pf-line", role: "status" });

  /** A quieter line, for what belongs to it. */
  const note = () => h("p", { class: "pf-note pf-line" });

  /** Follow a pointer that is pressed on an element: move(x, y, event) in pixels of the element. */
  function drag(element, move) {
    let held = false;
    const follow = (event) => {
      const box = element.getBoundingClientRect();
      move(event.clientX - box.left, event.clientY - box.top, event);
    };
    on(element, "pointerdown", (event) => {
      if (event.button !== 0) return;
      held = true;
      element.setPointerCapture(event.pointerId);
      follow(event);
    });
    on(element, "pointermove", (event) => held && follow(event));
    on(element, "pointerup pointercancel lostpointercapture", () => {
      held = false;
    });
  }

  /** Follow a mouse that is over an element: move({ x, y }) in pixels of the element, move(null) once it leaves. */
  function hover(element, move) {
    on(element, "pointermove", ({ offsetX: x, offsetY: y, buttons, pointerType }) => {
      if (!buttons && pointerType !== "touch") move({ x, y });
    });
    on(element, "pointerleave", () => move(null));
  }

  /** Answer keys: { ArrowUp: (state) => settings, ... }. */
  function keys(element, answers) {
    on(element, "keydown", (event) => {
      const answer = answers[event.key];
      if (!answer || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation(); // the page's own keys need not look at it
      const values = answer(readState());
      if (values) set(values);
    });
  }

  const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  return { name, root, signal, controls, set, on, state: readState, unique, frame, slider, stepper, toggle, choices, button, readout, note, drag, hover, keys, still };
}
