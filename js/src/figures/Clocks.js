// The clocks: one hand a pair, turning with the position, and the waves that its tip draws.

import { fixed, h, line, list, put, s, say, scale, short, write } from "../draw.js";
import { figure } from "../kit.js";
import { codeDistance, invFreq, turns, wavelength } from "../math.js";
import { Clocks } from "../settings.js";

const CARD = 68; // height of a hand with its waves
const RADIUS = 23;
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
  const stage = h("div", { class: "pf-hands", "aria-hidden": "true" });
  const play = ui.button("Play", () => {
    const { playing, position } = ui.state();
    ui.set({ playing: !playing, position: !playing && position === LAST ? 0 : position });
  });
  const readout = ui.readout();
  const made = ui.note();

  ui.frame("One hand for each pair", stage,
    h("div", { class: "pf-key" },
      h("span", {}, s("svg", { width: 26, height: 8, "aria-hidden": "true" }, s("path", { class: "pf-sine", d: "M0,4h26" })), "sine"),
      h("span", {}, s("svg", { width: 26, height: 8, "aria-hidden": "true" }, s("path", { class: "pf-cosine", d: "M0,4h26" })), "cosine"),
      h("span", {}, `over the last ${WINDOW} positions`), h("span", {}, "λ: wavelength, in positions")),
    readout, made,
    h("div", { class: "pf-controls" },
      h("div", { class: "pf-across" }, ui.slider("position", { label: "Position", change: (position) => ({ position, playing: false }) })),
      h("div", { class: "pf-buttons" }, play, ui.stepper("position", { label: "Position" })),
      ui.slider("dim", { label: "Dimensions d" })));

  let frequencies, closest, hands, timer;

  function makeHand() {
    const parts = {
      hand: s("path", { class: "pf-hand" }), tip: s("circle", { class: "pf-tip", r: 4 }),
      zero: s("path", { class: "pf-grid" }), sine: s("path", { class: "pf-sine" }), cosine: s("path", { class: "pf-cosine" }),
      high: s("circle", { class: "pf-tip", r: 3 }), right: s("circle", { class: "pf-tip pf-open", r: 3 }),
      name: s("text", { x: 2 * RADIUS + 22, y: 12 }), turned: s("text", { class: "pf-strong", y: 12, "text-anchor": "end" }),
    };
    const middle = CARD / 2;
    const dial = s("circle", { class: "pf-axis", cx: RADIUS + 4, cy: middle, r: RADIUS });
    const drawing = s("svg", { height: CARD }, dial, ...Object.values(parts));
    return Object.assign(drawing, { parts });
  }

  function drawRoom({ dim, width, wide }) {
    const columns = wide ? 2 : 1;
    const room = (width - 28 * (columns - 1)) / columns;
    stage.style.height = `${Math.ceil(8 / columns) * CARD}px`;
    hands = list(stage, dim / 2, makeHand);
    hands.forEach((hand, i) => {
      const column = columns === 2 && i >= Math.ceil(hands.length / 2) ? 1 : 0;
      const row = column ? i - Math.ceil(hands.length / 2) : i;
      put(hand, { width: room, style: `left:${column * (room + 28)}px;top:${row * CARD}px` });
      const { zero, name, turned } = hand.parts;
      const left = 2 * RADIUS + 22;
      hand.across = scale([-WINDOW, 0], [left, room - 6]);
      hand.up = scale([1, -1], [20, CARD - 10]);
      put(zero, { d: `M${left},${hand.up(0)}H${room - 6}` });
      put(turned, { x: room - 6 });
      say(name, `pair ${i}, λ ${short(wavelength(frequencies[i]))}`);
    });
  }

  /** Draw the hands at a position, whole or between two. */
  function drawHands(position) {
    const begin = Math.max(0, position - WINDOW);
    const span = position - begin;
    hands.forEach((hand, i) => {
      const w = frequencies[i];
      const [sine, cosine] = [Math.sin(w * position), Math.cos(w * position)];
      const [x, y] = [RADIUS + 4 + RADIUS * cosine, CARD / 2 - RADIUS * sine];
      const { parts } = hand;
      put(parts.hand, { d: line([[RADIUS + 4, CARD / 2], [x, y]]) });
      put(parts.tip, { cx: x, cy: y });
      const points = Math.ceil(Math.max(2, span * Math.min(5, 10 * w))); // a slow wave needs few
      const wave = (value) => line(Array.from({ length: points + 1 }, (_, n) => {
        const p = begin + (span * n) / points;
        return [hand.across(p - position), hand.up(value(w * p))];
      }));
      put(parts.sine, { d: wave(Math.sin) });
      put(parts.cosine, { d: wave(Math.cos) });
      put(parts.high, { cx: hand.across(0), cy: hand.up(sine) });
      put(parts.right, { cx: hand.across(0), cy: hand.up(cosine) });
      const number = turns(w, position);
      say(parts.turned, `${fixed(number, number < 0.995 ? 3 : 2)} turns`);
    });
  }

  function drawWords({ position, dim }) {
    if (position === 0) write(readout, "Position 0: every hand points right, all cosines are 1 and all sines 0.");
    else {
      const { offset, distance } = closest[position];
      write(readout,
        `Position ${position}: hardest to tell apart so far are `, h("strong", {}, `0 and ${offset}`), ", at distance ",
        h("strong", {}, fixed(distance, distance < 0.1 ? 5 : 3)), `, of ${fixed(2 * Math.sqrt(dim / 2), 2)} at most.`);
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
