// Six schemes compared: the score of one query and one key along offsets, from three anchors.

import { fixed, h, labels, line, NOTHING, paths, put, s, say, scale, sheet, strong, texts, ticks, wholeTicks, write } from "../draw.js";
import { figure } from "../kit.js";
import { dot, invFreq, normals, sinusoidal } from "../math.js";
import { SCHEMES } from "../palette.js";
import { CompareSchemes } from "../settings.js";

const NAMES = CompareSchemes.scheme.names;
const LABELS = { ...Object.fromEntries(NAMES.map((name) => [name, SCHEMES[name].label])), none: "no positions", sinusoidal: "sinusoidal" };
const LAST = 254; // the last position that a key can have
const BUCKETS = 32;
const SLOPE = 1 / 4; // of the first of ALiBi's four heads
const T5_FIRST = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91]; // the smallest distance in each bucket
const ROUNDING = 1e-12; // a spread below it is a zero of the machine
const ANCHORS = ["first", "second", "third"];
const [PLOT, LEFT, TOP, BOTTOM] = [270, 42, 14, 40];
const [CARD_WIDTH, CARD_HEIGHT, CARD_POINTS] = [84, 44, 44];

/** T5's bucket of a relative position: a key after the query uses the second half. */
export function t5Bucket(relative) {
  const distance = Math.abs(relative);
  return T5_FIRST.findLastIndex((first) => first <= distance) + (relative > 0 ? BUCKETS / 2 : 0);
}

/** A vector plus a multiple of another. */
function sum(x, y, factor) {
  const z = new Float64Array(x.length);
  for (let i = 0; i < x.length; i++) z[i] = x[i] + factor * y[i];
  return z;
}

/** A function that gives the sinusoidal code of a position: each is made once. */
export function codesOf(dim) {
  const [w, codes] = [invFreq(dim), []];
  return (p) => (codes[p] ??= sinusoidal(p, w));
}

/** The query and the key of a draw, and what each scheme does with them: `place(x, position)` is what enters
 * the product, `bias(offset)` what is added to the score. */
export function makeSchemes(dim, seed, code = codesOf(dim)) {
  const content = { q: normals(seed, 0, dim), k: normals(seed, 1, dim) };
  const table = []; // its rows that were asked for
  const buckets = normals(seed, 3, BUCKETS);
  const half = dim / 2;

  const row = (p) => (table[p] ??= normals(seed, 2, dim, p * dim));

  function turn(x, p) {
    const turned = new Float64Array(dim);
    const points = code(p);
    for (let i = 0; i < half; i++) {
      const [sine, cosine] = [points[2 * i], points[2 * i + 1]];
      turned[i] = x[i] * cosine - x[i + half] * sine;
      turned[i + half] = x[i] * sine + x[i + half] * cosine;
    }
    return turned;
  }

  const schemes = {
    none: {},
    sinusoidal: { place: (x, p) => sum(x, code(p), 1) },
    learned: { place: (x, p) => sum(x, row(p), Math.SQRT1_2) },
    rope: { place: turn },
    alibi: { bias: (offset) => -SLOPE * Math.abs(offset) },
    t5: { bias: (offset) => buckets[t5Bucket(offset)] },
  };
  return Object.fromEntries(Object.entries(schemes).map(([name, { place, bias = () => 0 }]) => {
    const [queries, keys] = [[], []]; // each is placed once
    return [name, {
      norm: Math.sqrt(dot(content.q, content.q)),
      placed: Boolean(place),
      query: place ? (p) => (queries[p] ??= place(content.q, p)) : () => content.q,
      key: place ? (p) => (keys[p] ??= place(content.k, p)) : () => content.k,
      bias,
    }];
  }));
}

/** Curves of a scheme, one for each anchor, what lies around them, and what they come to. */
export function measure({ placed, query, key, bias, norm }, anchors, count) {
  const from = (anchor) => {
    const q = query(anchor);
    const root = Math.sqrt(q.length);
    const curve = [];
    for (let o = 0; o < count; o++) curve.push(dot(q, key(anchor + o)) / root + bias(o));
    return curve;
  };
  const curves = placed ? anchors.map(from) : Array(3).fill(from(0)); // all are one where nothing is placed
  const [first, second, third] = curves;
  const [least, most] = [[], []];
  let [low, high, spread, widest] = [Infinity, -Infinity, -1, 0];
  for (let o = 0; o < count; o++) {
    least.push(Math.min(first[o], second[o], third[o]));
    most.push(Math.max(first[o], second[o], third[o]));
    low = Math.min(low, least[o]);
    high = Math.max(high, most[o]);
    if (most[o] - least[o] > spread) [spread, widest] = [most[o] - least[o], o];
  }
  const after = anchors.map((a) => Math.sqrt(dot(query(a), query(a))));
  const ratio = (after[0] + after[1] + after[2]) / 3 / norm;
  return { curves, least, most, low, high, range: high - low, spread, widest, ratio };
}

/** A spread in words: rounding is shown as what it is, 4.4·10⁻¹⁶. */
export function spreadWords(spread, digits = 2) {
  if (spread === 0) return "0";
  if (spread >= ROUNDING) return fixed(spread, digits);
  const [digitsOf, power] = spread.toExponential(1).split("e-");
  return `${digitsOf}·10⁻${[...power].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}

export default figure("CompareSchemes", CompareSchemes, (ui) => {
  const cards = Object.fromEntries(NAMES.map((name) => {
    const lines = ANCHORS.map((anchor) => s("path", { class: `pf-${anchor}` }));
    const spread = h("span", { class: "pf-spread" });
    const face = h("span", { class: "pf-card", style: `--shade:var(--pf-${name})` }, h("span", { class: "pf-name" }, LABELS[name]),
      sheet({ viewBox: `0 0 ${CARD_WIDTH} ${CARD_HEIGHT}` }, ...lines), spread);
    return [name, { lines, spread, face }];
  }));
  const [grid, zero] = paths("pf-grid", "pf-axis");
  const [xTicks, yTicks] = texts("middle", "end");
  const [band, gap, cursor] = [s("path", { class: "pf-band" }), s("path", { class: "pf-gap" }), s("path", { class: "pf-cursor" })];
  const curves = ANCHORS.map((anchor) => s("path", { class: `pf-${anchor}` }));
  const dots = ANCHORS.map((anchor) => s("circle", { class: `pf-at-${anchor}`, r: 4 }));
  const shaded = s("g", {}, band, cursor, ...curves, gap, ...dots); // what the scheme's colour is for
  const gapName = s("text", { class: "pf-strong pf-halo", dy: "0.35em" });
  const titles = [s("text", { y: 4 }, "score"), s("text", { "text-anchor": "middle", y: PLOT - 3 }, "offset j − i, in positions")];
  const drawing = sheet({ height: PLOT }, grid, zero, xTicks, yTicks, shaded, gapName, ...titles);
  const surface = h("div", { class: "pf-surface", tabindex: 0, role: "slider", "aria-label": "Offset", "aria-valuemin": 0 });
  const stage = h("div", { class: "pf-stage", style: `height:${PLOT}px` }, drawing, surface);
  const readout = ui.readout();
  const [meaning, scores] = [ui.note(), ui.note()];
  const draw = ui.button("New draw", () => ui.set({ seed: (ui.state().seed + 1) % (CompareSchemes.seed.high + 1) }));
  const drawNumber = h("span", { class: "pf-hint" });

  const legend = (anchor, words) => [
    s("svg", { class: "pf-sample", width: 26, height: 10, "aria-hidden": "true" }, s("path", { class: `pf-${anchor}`, d: "M0,5h26" })), words];

  ui.frame("Six schemes, three anchors",
    ui.choices("scheme", { label: "Scheme", options: NAMES.map((name) => [name, cards[name].face]) }),
    stage, readout, meaning, scores,
    h("div", { class: "pf-controls" },
      ...ANCHORS.map((anchor, i) => ui.slider(anchor, { label: legend(anchor, `Anchor ${i + 1}`) })),
      ui.slider("dim", { label: "Head size d" }),
      ui.slider("offsets", { label: "Offsets", change: (offsets, { offset }) => ({ offsets, offset: Math.min(offset, offsets - 1) }) }),
      h("div", { class: "pf-buttons" }, draw, drawNumber)));

  let code, schemes, room;
  const found = {};

  const clamp = (offset, { offsets }) => Math.min(offsets - 1, Math.max(0, offset));
  const to = (place) => (state) => ({ offset: clamp(place(state), state) });
  ui.keys(surface, {
    ArrowLeft: to(({ offset }) => offset - 1), ArrowDown: to(({ offset }) => offset - 1),
    ArrowRight: to(({ offset }) => offset + 1), ArrowUp: to(({ offset }) => offset + 1),
    Home: to(() => 0), End: to(({ offsets }) => offsets - 1),
  });
  ui.drag(surface, (x) => ui.set(to(() => Math.round(room.offsetAt(x)))(ui.state())));

  function drawCard(name) {
    const { curves: all, low, high, spread } = found[name];
    const count = all[0].length;
    const every = Math.ceil(count / CARD_POINTS);
    const x = scale([0, count - 1], [3, CARD_WIDTH - 3]);
    const middle = (low + high) / 2;
    const reach = Math.max((high - low) / 2, 0.25);
    const y = scale([middle + reach, middle - reach], [5, CARD_HEIGHT - 5]);
    cards[name].lines.forEach((path, a) => {
      const points = [];
      for (let o = 0; o < count; o += every) points.push([x(o), y(all[a][o])]);
      put(path, { d: line(points) });
    });
    say(cards[name].spread, `spread ${spread < ROUNDING ? "0" : fixed(spread)}`);
  }

  function drawPlot({ scheme, offsets, width }) {
    const { curves: all, least, most, low, high, spread, widest } = found[scheme];
    const pad = Math.max(0.06 * (high - low), high - low < 0.5 ? 0.5 : 0);
    const x = scale([0, offsets - 1], [LEFT, width - 12]);
    const y = scale([high + pad, low - pad], [TOP, PLOT - BOTTOM]);
    room = { x, y, offsetAt: scale([LEFT, width - 12], [0, offsets - 1]) };
    put(drawing, { width });
    put(shaded, { style: `--shade:var(--pf-${scheme})` });
    put(surface, { style: `left:0;top:${TOP}px;width:${width}px;height:${PLOT - BOTTOM - TOP + 12}px` });
    const values = ticks(low - pad, high + pad, 5);
    const digits = Math.max(0, ...values.map((value) => (String(Number(value.toPrecision(6))).split(".")[1] ?? "").length));
    const across = (value) => `M${LEFT},${y(value)}H${width - 12}`;
    put(grid, { d: values.filter((value) => value !== 0).map(across).join("") || NOTHING });
    put(zero, { d: values.includes(0) ? across(0) : NOTHING });
    labels(yTicks, values.map((value) => fixed(value, digits)), (i) => ({ x: LEFT - 8, y: y(values[i]), dy: "0.35em" }));
    const marks = wholeTicks(offsets - 1, width / 70);
    labels(xTicks, marks.map(String), (i) => ({ x: x(marks[i]), y: PLOT - 22 }));
    put(titles[0], { x: 0 });
    put(titles[1], { x: (LEFT + width - 12) / 2 });
    const points = (curve) => curve.map((value, o) => [x(o), y(value)]);
    curves.forEach((path, a) => put(path, { d: line(points(all[a])) }));
    const apart = spread >= ROUNDING;
    put(band, { d: apart ? `${line([...points(most), ...points(least).reverse()])}Z` : NOTHING });
    const ends = [y(most[widest]), y(least[widest])];
    put(gap, { d: apart ? `M${x(widest) - 5},${ends[0]}h10m-5,0V${ends[1]}m-5,0h10` : NOTHING });
    const right = x(widest) < width - 110;
    put(gapName, { x: x(widest) + (right ? 9 : -9), y: (ends[0] + ends[1]) / 2, "text-anchor": right ? "start" : "end" });
    say(gapName, apart ? `spread ${fixed(spread)}` : "");
  }

  function drawWords(state) {
    const { scheme, offset, seed } = state;
    const { curves: all, range, spread, ratio } = found[scheme];
    const label = LABELS[scheme];
    write(readout, `${label[0].toUpperCase()}${label.slice(1)}: range of scores `, strong(fixed(range)), ", spread over anchors ",
      strong(spreadWords(spread)), ", norm of q after ", strong(fixed(ratio, 3)), ".");
    const anchors = ANCHORS.map((anchor) => state[anchor]);
    const same = new Set(anchors).size === 1;
    say(meaning, same ? "All anchors are the same position: nothing to compare."
      : spread < ROUNDING ? "Spread of machine zero: relative, not approximately but identically."
        : "At one offset the score changes with the anchor: it depends on absolute position too.");
    const values = all.map((curve) => curve[offset]);
    write(scores, `Offset ${offset}: score `, ...anchors.flatMap((anchor, a) => [
      strong(fixed(values[a])), ` from anchor ${anchor}${a < 2 ? ", " : "."}`]));
    dots.forEach((dot, a) => put(dot, { cx: room.x(offset), cy: room.y(values[a]) }));
    put(cursor, { d: `M${room.x(offset)},${TOP}V${PLOT - BOTTOM}` });
    put(surface, {
      "aria-valuemax": all[0].length - 1, "aria-valuenow": offset,
      "aria-valuetext": `offset ${offset}: ${anchors.map((anchor, a) => `${fixed(values[a])} from anchor ${anchor}`).join(", ")}`,
    });
    say(drawNumber, `Draw ${seed} of q, k and tables`);
  }

  return (state, changed) => {
    const { dim, seed, offsets, offset } = state;
    if (offset >= offsets) throw new RangeError(`offset=${offset}: must be from 0 to ${offsets - 1}, since offsets=${offsets}`);
    if (changed.has("dim")) code = codesOf(dim);
    const fresh = changed.has("dim") || changed.has("seed");
    if (fresh) schemes = makeSchemes(dim, seed, code);
    const [other, moved] = [fresh || changed.has("offsets"), ANCHORS.some((anchor) => changed.has(anchor))];
    for (const name of NAMES) {
      if (!other && !(moved && schemes[name].placed)) continue;
      found[name] = measure(schemes[name], ANCHORS.map((anchor) => state[anchor]), offsets);
      drawCard(name);
    }
    if (other || moved || changed.has("scheme") || changed.has("width")) drawPlot(state);
    drawWords(state);
  };
});
