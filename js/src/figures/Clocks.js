// The clocks: one hand a pair, turning with the position, and the waves that its tip draws.

import { circle, fixed, h, labels, line, paths, put, s, say, scale, sheet, short, strong, write } from "../draw.js";
import { figure } from "../kit.js";
import { codeDistance, invFreq, turns, wavelength } from "../math.js";
import { Clocks } from "../settings.js";

const CARD = 68; // height of a hand with its waves
const RADIUS = 23;
const WAVES = 2 * RADIUS + 22; // where the waves begin
const WINDOW = 32; // positions that the waves show
const PACE = 260; // milliseconds a position
const LAST = Clocks.position.high;

/** For each position, the offset of the two closest codes so far and their distance. */
export function closestSoFar(frequencies, last) {
  const closest = [null];
  let best = { offset: 0, distance: Infinity };
  for (let offset = 1; offset <= last; offset++) {
    const distance = codeDistance(offset, frequencies);
    if (distance < best.distance) best = { offset, distance };
    closest.push(best);
  }
  return closest;
}

export default figure("Clocks", Clocks, (ui) => {
  // All hands are one path, and so are all waves: each element more takes a slow machine longer.
  const [dials, zeros] = paths("pf-axis", "pf-grid");
  const moving = Object.fromEntries(
    ["hands", "tips", "sines", "cosines", "open"].map((name) => [name, s("path", { class: `pf-${name}` })]));
  const [names, turned] = [s("text"), s("text", { class: "pf-strong", "text-anchor": "end" })];
  const drawing = sheet({}, dials, zeros, ...Object.values(moving), names, turned);
  const stage = h("div", { class: "pf-stage" }, drawing);
  const play = ui.button("Play", () => {
    const { playing, position } = ui.state();
    ui.set({ playing: !playing, position: !playing && position === LAST ? 0 : position });
  });
  const readout = ui.readout();
  const made = ui.note();

  ui.frame("One hand for each pair", stage,
    h("div", { class: "pf-key" },
      h("span", {}, s("svg", { width: 26, height: 8, "aria-hidden": "true" }, s("path", { class: "pf-sines", d: "M0,4h26" })), "sine"),
      h("span", {}, s("svg", { width: 26, height: 8, "aria-hidden": "true" }, s("path", { class: "pf-cosines", d: "M0,4h26" })), "cosine"),
      h("span", {}, `over the last ${WINDOW} positions`), h("span", {}, "λ: wavelength, in positions")),
    readout, made,
    h("div", { class: "pf-controls" },
      h("div", { class: "pf-across" }, ui.slider("position", { label: "Position", change: (position) => ({ position, playing: false }) })),
      h("div", { class: "pf-buttons" }, play, ui.stepper("position", { label: "Position" })),
      ui.slider("dim", { label: "Dimensions d" })));

  let frequencies, closest, room, timer;

  function drawRoom({ dim, width, wide }) {
    const columns = wide ? 2 : 1;
    const span = (width - 28 * (columns - 1)) / columns;
    const rows = Math.ceil(dim / 2 / columns);
    const height = Math.ceil(8 / columns) * CARD;
    stage.style.height = `${height}px`;
    put(drawing, { width, height });
    // where each hand has its pivot and its waves
    room = {
      reach: span - WAVES - 6,
      places: Array.from(frequencies, (_, i) => {
        const [left, top] = [Math.floor(i / rows) * (span + 28), (i % rows) * CARD];
        return { x: left + RADIUS + 4, y: top + CARD / 2, waves: left + WAVES, end: left + span - 6, up: scale([1, -1], [top + 20, top + CARD - 10]) };
      }),
    };
    const { places } = room;
    put(dials, { d: places.map(({ x, y }) => circle(x, y, RADIUS)).join("") });
    put(zeros, { d: places.map(({ waves, end, up }) => `M${waves},${up(0)}H${end}`).join("") });
    labels(names, Array.from(frequencies, (w, i) => `pair ${i}, λ ${short(wavelength(w))}`), (i) => ({ x: places[i].waves, y: places[i].y - CARD / 2 + 12 }));
  }

  /** Draw the hands at a position, whole or between two. */
  function drawHands(position) {
    const span = Math.min(WINDOW, position);
    const drawn = { hands: "", sines: "", cosines: "", tips: "", open: "" };
    room.places.forEach(({ x, y, end, up }, i) => {
      const w = frequencies[i];
      const [sine, cosine] = [Math.sin(w * position), Math.cos(w * position)];
      const tip = [x + RADIUS * cosine, y - RADIUS * sine];
      drawn.hands += line([[x, y], tip]);
      drawn.tips += circle(...tip, 4) + circle(end, up(sine), 3);
      drawn.open += circle(end, up(cosine), 3);
      const points = Math.ceil(Math.max(2, span * Math.min(5, 10 * w))); // a slow wave needs few
      const wave = (value) => line(Array.from({ length: points + 1 }, (_, n) => {
        const before = span * (1 - n / points);
        return [end - (room.reach * before) / WINDOW, up(value(w * (position - before)))];
      }));
      drawn.sines += wave(Math.sin);
      drawn.cosines += wave(Math.cos);
    });
    labels(turned, Array.from(frequencies, (w) => {
      const number = turns(w, position);
      return `${fixed(number, number < 0.995 ? 3 : 2)} turns`;
    }), (i) => ({ x: room.places[i].end, y: room.places[i].y - CARD / 2 + 12 }));
    for (const [name, d] of Object.entries(drawn)) put(moving[name], { d });
  }

  function drawWords({ position, dim }) {
    if (position === 0) write(readout, "Position 0: every hand points right, all cosines are 1 and all sines 0.");
    else {
      const { offset, distance } = closest[position];
      write(readout,
        `Position ${position}: hardest to tell apart so far are `, strong(`0 and ${offset}`), ", at distance ",
        strong(fixed(distance, distance < 0.1 ? 5 : 3)), `, of ${fixed(2 * Math.sqrt(dim / 2), 2)} at most.`);
    }
    say(made, `Turns made: ${Array.from(frequencies, (w) => fixed(turns(w, position), 2)).join(", ")}.`);
  }

  /** Move on by one position after another while playing; between two, the hands glide. */
  function run({ playing }) {
    say(play, playing ? "Pause" : "Play");
    put(play, { "aria-pressed": playing });
    if (!playing) {
      cancelAnimationFrame(timer);
      timer = undefined;
    } else if (timer === undefined) {
      let since = performance.now();
      const tick = (now) => {
        timer = requestAnimationFrame(tick);
        const state = ui.state();
        const share = (now - since) / PACE;
        if (share >= 1) {
          since = now;
          ui.set(state.position + 1 < LAST ? { position: state.position + 1 } : { position: LAST, playing: false });
        } else if (!ui.still()) drawHands(state.position + share);
      };
      timer = requestAnimationFrame(tick);
    }
  }
  ui.signal.addEventListener("abort", () => cancelAnimationFrame(timer));

  return (state, changed) => {
    if (changed.has("dim")) {
      frequencies = invFreq(state.dim);
      closest = closestSoFar(frequencies, LAST);
    }
    if (changed.has("dim") || changed.has("width")) drawRoom(state);
    if (["dim", "width", "position"].some((key) => changed.has(key))) {
      drawHands(state.position);
      drawWords(state);
    }
    if (changed.has("playing")) run(state);
  };
});
