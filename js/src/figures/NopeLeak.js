// What a causal mask gives away: equal attention, one marked token, one layer and two.

import { amountColor, box, fixed, h, NOTHING, paths, put, s, say, sheet, strong, write } from "../draw.js";
import { figure } from "../kit.js";
import { uniformAttention } from "../math.js";
import { NopeLeak } from "../settings.js";

const TEXT = 30; // height of the row of tokens
const BARS = 96;
const PANEL = BARS + 34;
const HEIGHT = TEXT + 4 + 2 * PANEL;
const LEFT = 34;
const MOST = NopeLeak.tokens.high;

/** What each token receives from the mark after one layer and after two. */
export function received(tokens, mark, causal) {
  const one = uniformAttention(Array.from({ length: tokens }, (_, t) => Number(t === mark - 1)), causal);
  return [one, uniformAttention(one, causal)];
}

/** The colour of the weight of each token that is seen. */
const weightColor = (seen) => amountColor(Math.sqrt(1 / seen));

/** How many different values there are; below 1e-12 two are the same. */
const distinct = (values) => new Set(values.map((value) => Math.round(value * 1e12))).size;

export default figure("NopeLeak", NopeLeak, (ui) => {
  // The rows of a causal map, one below the other, in a gradient that jumps from row to row.
  const gradient = s("linearGradient", { id: ui.unique(), gradientUnits: "userSpaceOnUse", x2: 0, y2: MOST },
    ...Array.from({ length: MOST }, (_, row) => [row, row + 1].map((end) =>
      s("stop", { offset: end / MOST, style: `stop-color:${weightColor(row + 1)}` }))));
  const mapHidden = s("path", { class: "pf-hidden" });
  const mapSeen = s("path");
  const mapRow = s("rect", { class: "pf-frame" });
  const mapWords = [s("text", { "text-anchor": "middle" }, "key"), s("text", { "text-anchor": "middle" }, "query")];
  const map = sheet({ class: "pf-sees" }, gradient, mapHidden, mapSeen, mapRow, ...mapWords);

  const boxes = s("path", { class: "pf-token" });
  const texts = (attributes) => Array.from({ length: MOST }, () => s("text", { "text-anchor": "middle", ...attributes }));
  const numbers = texts({ y: TEXT / 2, dy: "0.35em" });
  // The token that is read and the marked one are drawn over the others.
  const [read, marked] = paths("pf-token pf-now", "pf-token pf-marked");
  const [readNumber, markedNumber] = ["pf-strong", "pf-on-mark"].map((look) =>
    s("text", { class: look, y: TEXT / 2, "text-anchor": "middle", dy: "0.35em" }));
  const layers = ["one layer", "two layers"].map((depth, i) => {
    const zero = TEXT + 32 + BARS + i * PANEL;
    const up = (value) => zero - BARS * value;
    return {
      up,
      title: s("text", { class: "pf-strong", y: zero - BARS - 12, "text-anchor": "end" }, `share of the mark after ${depth}`),
      grid: s("path", { class: "pf-grid" }),
      ticks: [0, 0.5, 1].map((tick) => s("text", { x: LEFT - 8, y: up(tick), "text-anchor": "end", dy: "0.35em" }, String(tick))),
      bars: s("path", { class: "pf-bar" }),
      bar: s("path", { class: "pf-bar pf-now" }), // of the token that is read
      axis: s("path", { class: "pf-axis" }),
      values: texts(),
      value: s("text", { class: "pf-strong", "text-anchor": "middle" }),
    };
  });
  const drawing = sheet({ height: HEIGHT }, boxes, ...numbers, read, readNumber, marked, markedNumber,
    ...layers.flatMap(({ up, ...parts }) => Object.values(parts).flat()));
  const surface = h("div", {
    class: "pf-surface", tabindex: 0, role: "application", "aria-roledescription": "chart",
    "aria-label": "Tokens: the left and right arrow keys choose the token that is read",
  });
  const [readout, order, apart] = [ui.readout(), ui.note(), ui.note()];
  order.classList.add("pf-long");

  ui.frame("What a mask gives away",
    h("div", { class: "pf-panels" },
      h("div", { class: "pf-map-panel" }, h("div", { class: "pf-label" }, "equal attention to all it sees"), map),
      h("div", { class: "pf-stage", style: `height:${HEIGHT}px` }, drawing, surface)),
    readout, apart, order,
    h("div", { class: "pf-controls" },
      h("div", { class: "pf-buttons" }, ui.toggle("causal", { label: "Causal mask" })),
      ui.slider("token", { label: "Token read", max: (state) => state.tokens }),
      ui.slider("mark", { label: "Mark on token", max: (state) => state.tokens }),
      ui.slider("tokens", {
        label: "Tokens",
        change: (tokens, { mark, token }) => ({ tokens, mark: Math.min(mark, tokens), token: Math.min(token, tokens) }),
      })));

  let step, room, side, size, one, two;
  const middle = (token) => LEFT + (token - 0.5) * step;
  const clamp = (token, tokens) => Math.min(tokens, Math.max(1, token));
  ui.drag(surface, (x) => {
    const { tokens } = ui.state();
    ui.set({ token: clamp(Math.ceil(x / step), tokens) });
  });
  const move = (by) => ({ token, tokens }) => ({ token: clamp(token + by, tokens) });
  ui.keys(surface, { ArrowLeft: move(-1), ArrowRight: move(1), Home: () => ({ token: 1 }), End: ({ tokens }) => ({ token: tokens }) });

  const tokenBox = (token) => box(middle(token) - size / 2, 1, size, TEXT - 2, Math.min(4, size / 2));
  const bar = (token, up, value) => box(middle(token) - 0.34 * step, up(value), 0.68 * step, up(0) - up(value));

  function drawRoom({ tokens, width, wide }) {
    side = wide ? 200 : Math.min(200, width - 40);
    room = wide ? width - side - 60 : width;
    step = (room - LEFT) / tokens;
    size = Math.min(step - 3, TEXT);
    put(drawing, { width: room });
    put(map, { width: side + 22, height: side + 20 });
    Object.assign(surface.style, { left: `${LEFT}px`, top: 0, width: `${room - LEFT}px`, height: `${HEIGHT}px` });
    put(mapWords[0], { x: 20 + side / 2, y: side + 16 });
    put(mapWords[1], { transform: `translate(12 ${side / 2}) rotate(-90)` });

    const all = Array.from({ length: tokens }, (_, i) => i + 1);
    put(boxes, { d: all.map(tokenBox).join("") });
    numbers.forEach((text, i) => say(put(text, { x: middle(i + 1) }), size < 17 || i >= tokens ? "" : String(i + 1)));
    for (const { up, title, grid, axis } of layers) {
      put(title, { x: room }); // on the right, where the bars are low
      put(grid, { d: [0, 0.5, 1].map((tick) => `M${LEFT},${up(tick)}H${room}`).join("") });
      put(axis, { d: `M${LEFT},${up(0)}H${room}` });
    }
  }

  function drawMap({ tokens, causal }) {
    const cell = side / tokens;
    const gap = cell > 8 ? 1 : 0.5;
    const inner = (cell - gap).toFixed(2);
    const at = Array.from({ length: tokens }, (_, i) => i * cell + gap / 2);
    const columns = at.map((x) => `M${(20 + x).toFixed(2)},`);
    const rows = at.map((y) => `${y.toFixed(2)}h${inner}v${inner}h-${inner}z`);
    let [seen, hidden] = ["", ""];
    for (let row = 0; row < tokens; row++)
      for (let column = 0; column < tokens; column++)
        if (causal && column > row) hidden += columns[column] + rows[row];
        else seen += columns[column] + rows[row];
    put(mapHidden, { d: hidden || NOTHING });
    put(mapSeen, { d: seen, style: `fill:${causal ? `url(#${gradient.id})` : weightColor(tokens)}` });
    put(gradient, { gradientTransform: `scale(${cell})` });
  }

  /** The token that is read and the marked one. */
  function drawChosen({ mark, token }) {
    put(read, { d: tokenBox(token) });
    put(marked, { d: tokenBox(mark), class: mark === token ? "pf-token pf-marked pf-now" : "pf-token pf-marked" });
    say(put(readNumber, { x: middle(token) }), mark === token ? "" : String(token));
    say(put(markedNumber, { x: middle(mark) }), String(mark));
  }

  const share = (value) => fixed(value, value === 1 || value === 0 ? 0 : 3);

  function drawLayer({ up, bars, bar: now, values, value }, heard, { tokens, token }, fresh) {
    if (fresh) put(bars, { d: heard.map((amount, i) => bar(i + 1, up, amount)).join("") });
    const amount = heard[token - 1];
    put(now, { d: bar(token, up, amount) });
    say(put(value, { x: middle(token), y: up(amount) - 5 }), share(amount));
    values.forEach((text, i) => {
      const shown = step > 40 && i < tokens && i + 1 !== token;
      if (shown) put(text, { x: middle(i + 1), y: up(heard[i]) - 5 });
      say(text, shown ? share(heard[i]) : "");
    });
  }

  return (state, changed) => {
    const { tokens, mark, token, causal } = state;
    for (const [name, value] of Object.entries({ mark, token }))
      if (value > tokens) throw new RangeError(`${name}=${value}: must be from 1 to ${tokens}, since tokens=${tokens}`);
    const resized = changed.has("tokens") || changed.has("width");
    const sight = resized || changed.has("causal");
    const fresh = sight || changed.has("mark");
    if (resized) drawRoom(state);
    if (sight) drawMap(state);
    put(mapRow, { x: 19, y: ((token - 1) * side) / tokens, width: ((causal ? token : tokens) * side) / tokens + 2, height: side / tokens, rx: 2 });
    drawChosen(state);
    if (fresh) [one, two] = received(tokens, mark, causal);
    drawLayer(layers[0], one, state, fresh);
    drawLayer(layers[1], two, state, fresh);

    const seen = causal ? token : tokens;
    const hears = one[token - 1] > 0;
    write(readout, `${causal ? "Causal mask" : "No mask"}: token ${token} sees ${seen === 1 ? "itself" : `${seen} tokens`} and receives `,
      strong(hears ? (seen === 1 ? "1" : `1/${seen} = ${fixed(one[token - 1], 4)}`) : "0, since the mark is hidden from it"), ".");
    const count = distinct(one);
    write(apart, "Different values after one layer: ", strong(`${count} among ${tokens} tokens`),
      count === 1 ? ". Nobody knows where it stands." : count === tokens ? ". Each value is a position." : ". Tokens before the mark are alike.");
    write(order, "Last token: one layer gives ", strong(fixed(one[tokens - 1], 4)),
      ` wherever the mark is; two give ${causal ? "" : "the same."}`, strong(causal ? fixed(two[tokens - 1], 4) : ""),
      causal ? ", which tells where." : "");
  };
});
