// What a causal mask gives away: equal attention, one marked token, one layer and two.

import { amountColor, fixed, h, list, put, s, say, scale, write } from "../draw.js";
import { figure } from "../kit.js";
import { uniformAttention } from "../math.js";
import { NopeLeak } from "../settings.js";

const TEXT = 30; // height of the row of tokens
const BARS = 96;
const PANEL = BARS + 34;
const HEIGHT = TEXT + 4 + 2 * PANEL;
const LEFT = 34;

/** What each token receives from the mark after one layer and after two. */
export function received(tokens, mark, causal) {
  const one = uniformAttention(Array.from({ length: tokens }, (_, t) => Number(t === mark - 1)), causal);
  return [one, uniformAttention(one, causal)];
}

/** How many different values there are; below 1e-12 two are the same. */
const distinct = (values) => new Set(values.map((value) => Math.round(value * 1e12))).size;

export default figure("NopeLeak", NopeLeak, (ui) => {
  const map = s("svg", { class: "pf-sees", "aria-hidden": "true" });
  const mapCells = s("g");
  const mapRow = s("rect", { class: "pf-frame" });
  const mapWords = [s("text", { "text-anchor": "middle" }, "key"), s("text", { "text-anchor": "middle" }, "query")];
  map.append(mapCells, mapRow, ...mapWords);

  const boxes = s("g");
  const layers = ["share of the mark after one layer", "share of the mark after two layers"].map((title) => ({
    title: s("text", { class: "pf-strong", "text-anchor": "end" }, title),
    grid: s("g"), bars: s("g"), zero: s("path", { class: "pf-axis" }), values: s("g"),
  }));
  const drawing = s("svg", { height: HEIGHT, "aria-hidden": "true" }, boxes, ...layers.flatMap((layer) => Object.values(layer)));
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

  let place, step, room, side;
  const clamp = (token, tokens) => Math.min(tokens, Math.max(1, token));
  ui.drag(surface, (x) => {
    const { tokens } = ui.state();
    ui.set({ token: clamp(Math.ceil(x / step), tokens) });
  });
  const move = (by) => ({ token, tokens }) => ({ token: clamp(token + by, tokens) });
  ui.keys(surface, { ArrowLeft: move(-1), ArrowRight: move(1), Home: () => ({ token: 1 }), End: ({ tokens }) => ({ token: tokens }) });

  function drawRoom({ tokens, width, wide }) {
    side = wide ? 200 : Math.min(200, width - 40);
    room = wide ? width - side - 60 : width;
    step = (room - LEFT) / tokens;
    place = scale([1, tokens + 1], [LEFT, room]);
    put(drawing, { width: room });
    put(map, { width: side + 22, height: side + 20 });
    Object.assign(surface.style, { left: `${LEFT}px`, top: 0, width: `${room - LEFT}px`, height: `${HEIGHT}px` });
    put(mapWords[0], { x: 20 + side / 2, y: side + 16 });
    put(mapWords[1], { transform: `translate(12 ${side / 2}) rotate(-90)` });
  }

  function drawMap({ tokens, causal }) {
    const cell = side / tokens;
    const gap = cell > 8 ? 1 : 0.5;
    const inner = (cell - gap).toFixed(2);
    const cells = (row, from, to) => Array.from({ length: to - from }, (_, i) =>
      `M${(20 + (from + i) * cell + gap / 2).toFixed(2)},${(row * cell + gap / 2).toFixed(2)}h${inner}v${inner}h-${inner}z`).join("");
    // A row's weights are equal, so that one path draws all of a row that is seen.
    list(mapCells, tokens, () => s("g", {}, s("path", { class: "pf-hidden" }), s("path"))).forEach((group, row) => {
      const seen = causal ? row + 1 : tokens;
      put(group.firstChild, { d: seen < tokens ? cells(row, seen, tokens) : "M0,0" });
      put(group.lastChild, { d: cells(row, 0, seen), style: `fill:${amountColor(Math.sqrt(1 / seen))}` });
    });
  }

  function drawText({ tokens, mark, token }) {
    const size = Math.min(step - 3, TEXT);
    list(boxes, tokens, () => s("g", {}, s("rect", { rx: 4 }), s("text", { "text-anchor": "middle", dy: "0.35em" }))).forEach((box, i) => {
      const [rect, text] = box.children;
      const [x, now, marked] = [place(i + 1) + step / 2, i + 1 === token, i + 1 === mark];
      put(rect, { x: x - size / 2, y: 1, width: size, height: TEXT - 2, class: `pf-token${marked ? " pf-marked" : ""}${now ? " pf-now" : ""}` });
      say(put(text, { x, y: TEXT / 2, class: marked ? "pf-on-mark" : now ? "pf-strong" : "" }), size < 17 && !now && !marked ? "" : String(i + 1));
    });
  }

  function drawLayer({ title, grid, bars, zero, values }, heard, top, { tokens, token }) {
    const up = scale([1, 0], [top + 24, top + 24 + BARS]);
    put(title, { x: room, y: top + 12 }); // on the right, where the bars are low
    list(grid, 3, (i) => s("g", {}, s("path", { class: "pf-grid" }), s("text", { x: LEFT - 8, "text-anchor": "end", dy: "0.35em" }, ["0", "0.5", "1"][i])))
      .forEach((tick, i) => {
        put(tick.firstChild, { d: `M${LEFT},${up(i / 2)}H${room}` });
        put(tick.lastChild, { y: up(i / 2) });
      });
    put(zero, { d: `M${LEFT},${up(0)}H${room}` });
    list(bars, tokens, () => s("rect")).forEach((bar, i) => put(bar, {
      x: (place(i + 1) + 0.16 * step).toFixed(2), width: (0.68 * step).toFixed(2), y: up(heard[i]).toFixed(2),
      height: (up(0) - up(heard[i])).toFixed(2), class: i + 1 === token ? "pf-bar pf-now" : "pf-bar",
    }));
    const each = step > 40;
    list(values, tokens, () => s("text", { "text-anchor": "middle" })).forEach((text, i) => {
      const now = i + 1 === token;
      put(text, { x: place(i + 1) + step / 2, y: up(heard[i]) - 5, class: now ? "pf-strong" : "" });
      say(text, each || now ? fixed(heard[i], heard[i] === 1 || heard[i] === 0 ? 0 : 3) : "");
    });
  }

  return (state, changed) => {
    const { tokens, mark, token, causal } = state;
    for (const [name, value] of Object.entries({ mark, token }))
      if (value > tokens) throw new RangeError(`${name}=${value}: must be from 1 to ${tokens}, since tokens=${tokens}`);
    const fresh = changed.has("tokens") || changed.has("width");
    if (fresh) drawRoom(state);
    if (fresh || changed.has("causal")) drawMap(state);
    put(mapRow, { x: 19, y: ((token - 1) * side) / tokens, width: ((causal ? token : tokens) * side) / tokens + 2, height: side / tokens, rx: 2 });
    drawText(state);
    const [one, two] = received(tokens, mark, causal);
    drawLayer(layers[0], one, TEXT + 8, state);
    drawLayer(layers[1], two, TEXT + 8 + PANEL, state);

    const seen = causal ? token : tokens;
    const hears = one[token - 1] > 0;
    write(readout, `${causal ? "Causal mask" : "No mask"}: token ${token} sees ${seen === 1 ? "itself" : `${seen} tokens`} and receives `,
      h("strong", {}, hears ? (seen === 1 ? "1" : `1/${seen} = ${fixed(one[token - 1], 4)}`) : "0, since the mark is hidden from it"), ".");
    const count = distinct(one);
    write(apart, "Different values after one layer: ", h("strong", {}, `${count} among ${tokens} tokens`),
      count === 1 ? ". Nobody knows where it stands." : count === tokens ? ". Each value is a position." : ". Tokens before the mark are alike.");
    write(order, "Last token: one layer gives ", h("strong", {}, fixed(one[tokens - 1], 4)),
      ...(causal
        ? [" wherever the mark is; two give ", h("strong", {}, fixed(two[tokens - 1], 4)), ", which tells where."]
        : [" wherever the mark is; two give the same."]));
  };
});
