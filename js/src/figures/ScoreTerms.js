// The four terms of a score whose tokens carry an added code, as maps, and their sum.

import { fixed, h, labels, paint, paths, put, s, say, scale, strong, texts, write } from "../draw.js";
import { figure } from "../kit.js";
import { dot, invFreq, normals, sinusoidal } from "../math.js";
import { ScoreTerms } from "../settings.js";

const DIM = 64;
const LENGTH = 40; // tokens of the text
const [ANCHORS, OFFSETS] = [64, 32]; // where the pairs of tokens are moved to
const LIMIT = 5; // scores beyond it have the full colour
const TITLES = ["content", "+ content × position", "+ position × content", "+ position", "= the score"];
const ROOT = Math.sqrt(DIM);
const [CELLS, PLACES] = [LENGTH * LENGTH, ANCHORS + OFFSETS];
const CODES = new Float64Array(PLACES * DIM); // one row after another, as in every table here
for (let p = 0; p < PLACES; p++) CODES.set(sinusoidal(p, invFreq(DIM)), p * DIM);

/** The product of every row of x with every row of y, over the root of d. */
function products(x, y) {
  const columns = y.length / DIM;
  const table = new Float64Array((x.length / DIM) * columns);
  for (let i = 0, from = 0; from < x.length; i += 2 * columns, from += 2 * DIM)
    for (let j = i, to = 0; to < y.length; j += 4, to += 4 * DIM) {
      let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0; // sums that do not wait for each other
      for (let n = 0; n < DIM; n++) {
        const p = x[from + n], q = x[from + DIM + n];
        const r = y[to + n], s = y[to + DIM + n], t = y[to + 2 * DIM + n], u = y[to + 3 * DIM + n];
        a += p * r;
        b += p * s;
        c += p * t;
        d += p * u;
        e += q * r;
        f += q * s;
        g += q * t;
        h += q * u;
      }
      [a, b, c, d].forEach((sum, k) => { table[j + k] = sum / ROOT; });
      [e, f, g, h].forEach((sum, k) => { table[j + columns + k] = sum / ROOT; });
    }
  return table;
}

/** A function that multiplies rows by the matrix M, for each kind of weights. */
function matrix(weights, seed) {
  if (weights === "identity") return (rows) => rows;
  if (weights === "random") {
    const entries = normals(seed, 1, DIM * DIM);
    return (rows) => products(rows, entries);
  }
  const numbers = normals(seed, 2, DIM); // a and b of every pair
  return (rows) => {
    const turned = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i += 2) {
      const pair = (i % DIM) >> 1;
      const [a, b] = [numbers[pair], numbers[(DIM >> 1) + pair]];
      turned[i] = (a * rows[i] - b * rows[i + 1]) / Math.SQRT2;
      turned[i + 1] = (a * rows[i + 1] + b * rows[i]) / Math.SQRT2;
    }
    return turned;
  };
}

const meanProduct = (x, y) => dot(x, y) / x.length;

/** Means of `size` neighbours, from each of `count` beginnings. */
function neighbours(values, size, count) {
  const means = new Float64Array(count);
  let sum = 0;
  for (let i = 0; i < size; i++) sum += values[i];
  for (let i = 0; i < count; i++) {
    means[i] = sum / size;
    sum += values[i + size] - values[i];
  }
  return means;
}

/** How often a key stands at each place, over all anchors and offsets. */
const TIMES = Float64Array.from({ length: PLACES }, (_, p) => Math.min(p + 1, OFFSETS, PLACES - 1 - p));
const GRID = ANCHORS * OFFSETS;

/** What the codes make among themselves, from their products with M: the score of each anchor and place, cut
 * into what the offset explains, the anchor, and both together; the last is summed for each place of the key. */
function codesAlone(keys) {
  const table = products(CODES.subarray(0, ANCHORS * DIM), keys);
  const [offset, anchor, both] = [OFFSETS, ANCHORS, PLACES].map((size) => new Float64Array(size));
  let [mean, squares] = [0, 0];
  for (let a = 0; a < ANCHORS; a++)
    for (let o = 0; o < OFFSETS; o++) {
      const x = table[a * PLACES + a + o];
      offset[o] += x / ANCHORS;
      anchor[a] += x / OFFSETS;
      mean += x / GRID;
    }
  for (let a = 0; a < ANCHORS; a++)
    for (let o = 0; o < OFFSETS; o++) {
      const x = table[a * PLACES + a + o] + mean - offset[o] - anchor[a];
      both[a + o] += x;
      squares += x * x;
    }
  for (let o = 0; o < OFFSETS; o++) offset[o] -= mean;
  for (let a = 0; a < ANCHORS; a++) anchor[a] -= mean;
  return { keys, table, offset, anchor, both, variances: [meanProduct(offset, offset), meanProduct(anchor, anchor), squares / GRID] };
}

const PLAIN = codesAlone(CODES); // with the identity no draw changes it

/** The variances of a pair of tokens that is moved: a number for the key's place and one for the anchor are
 * added. What both explain together is what the two alone leave. */
function variances(ofKey, ofQuery, codes) {
  const total = dot(ofKey, TIMES) / GRID;
  const around = ofKey.map((x) => x - total);
  const offset = neighbours(around, ANCHORS, OFFSETS);
  const anchor = neighbours(around, OFFSETS, ANCHORS);
  let squares = 0;
  for (let p = 0; p < PLACES; p++) squares += TIMES[p] * around[p] ** 2;
  const left = squares / GRID - meanProduct(offset, offset) - meanProduct(anchor, anchor);
  const mean = ofQuery.reduce((a, b) => a + b) / ANCHORS;
  for (let a = 0; a < ANCHORS; a++) anchor[a] += ofQuery[a] - mean;
  const [first, second, third] = codes.variances;
  return [
    [meanProduct(offset, offset), meanProduct(offset, codes.offset), first],
    [meanProduct(anchor, anchor), meanProduct(anchor, codes.anchor), second],
    [left, dot(around, codes.both) / GRID, third],
  ];
}

/** The tokens of a draw, each of norm 1. */
export function contents(seed) {
  const tokens = normals(seed, 0, LENGTH * DIM);
  for (let from = 0; from < tokens.length; from += DIM) {
    const token = tokens.subarray(from, from + DIM);
    const norm = Math.sqrt(dot(token, token));
    for (let i = 0; i < DIM; i++) token[i] /= norm;
  }
  return tokens;
}

/** What does not change with the norm n and the scale s. The terms are those of n = s = 1. A pair of tokens
 * that is moved has the score n^2 content + n s cross + s^2 position; each part of its variance is therefore
 * (n s)^2 v[0] + 2 n s s^2 v[1] + s^4 v[2]. */
export function prepare(tokens, weights, seed) {
  const times = matrix(weights, seed);
  const keys = times(tokens);
  const codes = weights === "identity" ? PLAIN : codesAlone(times(CODES));
  // Of each token as a query with every place of the key, and as a key with every place of the query.
  const ofKey = products(tokens, codes.keys);
  const ofQuery = weights === "identity" ? ofKey : products(keys, CODES);
  const terms = [products(tokens, keys), ...Array.from({ length: 3 }, () => new Float64Array(CELLS))];
  for (let i = 0, cell = 0; i < LENGTH; i++)
    for (let j = 0; j < LENGTH; j++, cell++) {
      terms[1][cell] = ofKey[i * PLACES + j];
      terms[2][cell] = ofQuery[j * PLACES + i];
      terms[3][cell] = codes.table[i * PLACES + j];
    }
  const rowOf = (table, t, length) => table.subarray(t * PLACES, t * PLACES + length);
  const pairs = Array.from({ length: LENGTH / 2 }, (_, p) =>
    variances(rowOf(ofKey, 2 * p, PLACES), rowOf(ofQuery, 2 * p + 1, ANCHORS), codes));
  return { terms, pairs };
}

/** Every term of every score, and their sum, row after row. */
export function termsOf({ terms }, norm, scale) {
  const factors = [norm * norm, norm * scale, scale * norm, scale * scale];
  const maps = TITLES.map(() => new Float64Array(CELLS));
  for (let cell = 0; cell < CELLS; cell++)
    for (let t = 0; t < 4; t++) {
      const value = factors[t] * terms[t][cell];
      maps[t][cell] = value;
      maps[4][cell] += value;
    }
  return maps;
}

/** Which share of the score's variance the offset explains, the anchor, and both together: the mean over pairs
 * of tokens, each moved through a text. All are 0 if nothing varies. */
export function sharesOf({ pairs }, norm, scale) {
  const [cross, position] = [norm * scale, scale * scale];
  const mean = [0, 0, 0];
  for (const pair of pairs) {
    const parts = pair.map((v) => Math.max(0, cross * cross * v[0] + 2 * cross * position * v[1] + position * position * v[2]));
    const total = parts[0] + parts[1] + parts[2];
    if (total) parts.forEach((part, i) => (mean[i] += part / total / pairs.length));
  }
  const [offset, anchor, interaction] = mean;
  return { offset, anchor, interaction };
}

export default figure("ScoreTerms", ScoreTerms, (ui) => {
  const maps = TITLES.map((title, t) => {
    const canvas = h("canvas", { class: "pf-map" });
    const surface = h("div", t === 4
      ? { class: "pf-surface", tabindex: 0, role: "application", "aria-roledescription": "heat map", "aria-label": "Scores: the arrow keys choose query and key" }
      : { class: "pf-surface", "aria-hidden": "true" });
    const caption = h("div", { class: "pf-caption" }, h("span", {}, title));
    const element = h("div", { class: "pf-term" }, caption, canvas, surface);
    return { element, caption, canvas, surface };
  });
  // What is drawn on the maps: each path has a part for each of them.
  const [borders, diagonals, cells] = paths("pf-grid", "pf-diagonal", "pf-cell");
  const [rowTicks, columnTicks] = texts("end", "middle");
  const names = ["key j", "query i"].map((words) => s("text", { "text-anchor": "middle" }, words));
  const drawing = s("svg", { "aria-hidden": "true" }, borders, diagonals, cells, rowTicks, columnTicks, ...names);
  const stage = h("div", { class: "pf-stage" }, drawing, ...maps.map(({ element }) => element));
  const key = h("div", { class: "pf-scale", "aria-hidden": "true" }, `−${LIMIT}`, h("span", { class: "pf-ramp" }), `+${LIMIT} and beyond`);
  const bar = h("div", { class: "pf-share", "aria-hidden": "true" });
  const barNames = [h("span", {}, h("span", { class: "pf-swatch pf-relative" }), "offset alone"), h("span", {}, h("span", { class: "pf-swatch pf-absolute" }), "absolute position")];
  const readout = ui.readout();
  const [cellWords, diagonalWords] = [ui.note(), ui.note()];
  const draw = ui.button("New draw", () => ui.set({ seed: (ui.state().seed + 1) % (ScoreTerms.seed.high + 1) }));
  const drawNumber = h("span", { class: "pf-hint" });

  ui.frame("Four terms make a score",
    stage, key,
    bar, h("div", { class: "pf-bar-names", "aria-hidden": "true" }, ...barNames),
    readout, cellWords, diagonalWords,
    h("div", { class: "pf-controls" },
      ui.slider("norm", { label: "Content norm", step: 0.1, show: (norm) => fixed(norm) }),
      ui.slider("scale", { label: "Codes times", step: 0.05, show: (by) => fixed(by) }),
      h("div", { class: "pf-buttons" }, h("span", { class: "pf-hint" }, "Weights M"),
        ui.choices("weights", { label: "Weights M", options: ScoreTerms.weights.names.map((name) => [name, name]) })),
      h("div", { class: "pf-buttons" }, draw, drawNumber)));

  let tokens, prepared, terms, places, hovered = null;
  let known = {}; // what is prepared for each kind of weights: readers go from one to another and back

  const clamp = (place) => Math.min(LENGTH - 1, Math.max(0, place));
  const step = (rows, columns) => ({ query, key: column }) => ({ query: clamp(query + rows), key: clamp(column + columns) });
  ui.keys(maps[4].surface, {
    ArrowUp: step(-1, 0), ArrowDown: step(1, 0), ArrowLeft: step(0, -1), ArrowRight: step(0, 1),
    Home: () => ({ key: 0 }), End: () => ({ key: LENGTH - 1 }), PageUp: () => ({ query: 0 }), PageDown: () => ({ query: LENGTH - 1 }),
  });
  maps.forEach(({ surface }, t) => {
    const cellAt = (x, y) => {
      const unit = places[t][2] / LENGTH;
      return { query: clamp(Math.floor(y / unit)), key: clamp(Math.floor(x / unit)) };
    };
    ui.drag(surface, (x, y) => ui.set(cellAt(x, y)));
    ui.hover(surface, (place) => {
      hovered = place && cellAt(place.x, place.y);
      drawCell(ui.state());
    });
  });

  const AXIS = 34; // room for the numbers of an axis and its name

  const onMaps = (path) => places.map(([left, top, side]) => path(left, top, side / LENGTH)).join("");

  function drawRoom({ width, wide }) {
    const gap = wide ? 24 : 6;
    const [lines, columns] = wide ? [1, 2] : [2, 4]; // of a title, and of small maps
    const head = 18 * lines + 4;
    const small = Math.floor(wide ? (width - 2 * gap - head - 4 - AXIS) / 4 : (width - 3 * gap) / 4);
    const large = wide ? 2 * small + head + 4 : Math.min(300, width - AXIS);
    places = [0, 1, 2, 3].map((t) => [(t % columns) * (small + gap), Math.floor(t / columns) * (small + head + 4) + head, small]);
    places.push(wide ? [width - large, head, large] : [AXIS, small + 30 + head, large]);
    const [left, top] = places[4];
    maps.forEach(({ element, caption, canvas, surface }, t) => {
      const [x, y, side] = places[t];
      put(caption, { style: `height:${head}px` });
      put(element, { style: `left:${x}px;top:${y - head}px;width:${side}px;height:${side + head}px` });
      for (const layer of [canvas, surface]) put(layer, { style: `left:0;top:${head}px;width:${side}px;height:${side}px` });
    });
    put(drawing, { width, height: top + large + AXIS });
    put(borders, { d: onMaps((x, y, unit) => `M${x},${y}h${LENGTH * unit}v${LENGTH * unit}h${-LENGTH * unit}z`) });
    const at = scale([0, LENGTH], [0, large]);
    const numbers = [0, 10, 20, 30];
    labels(rowTicks, numbers.map(String), (i) => ({ x: left - 6, y: top + at(numbers[i] + 0.5), dy: "0.35em" }));
    labels(columnTicks, numbers.map(String), (i) => ({ x: left + at(numbers[i] + 0.5), y: top + large + 15 }));
    put(names[0], { x: left + large / 2, y: top + large + 30 });
    put(names[1], { transform: `translate(${left - 24} ${top + large / 2}) rotate(-90)` });
  }

  const rowsOf = (map) => Array.from({ length: LENGTH }, (_, i) => map.subarray(i * LENGTH, (i + 1) * LENGTH));

  /** The cell under the pointer, else the one that the keys are on; the diagonal is its offset. */
  function drawCell(state) {
    const { query, key: column } = hovered ?? state;
    const offset = column - query;
    const [from, to] = [Math.max(0, -offset), Math.min(LENGTH, LENGTH - offset)]; // the queries that have it
    put(cells, { d: onMaps((x, y, unit) => `M${x + column * unit - 1},${y + query * unit - 1}h${unit + 2}v${unit + 2}h${-unit - 2}z`) });
    put(diagonals, { d: onMaps((x, y, unit) => `M${x + (from + offset) * unit},${y + from * unit}L${x + (to + offset) * unit},${y + to * unit}`) });
    const number = (value) => strong(fixed(value));
    const values = terms.map((map) => map[query * LENGTH + column]);
    write(cellWords, `Query ${query}, key ${column}: content `, number(values[0]), ", cross terms ", number(values[1]), " and ", number(values[2]),
      ", position ", number(values[3]), "; score ", number(values[4]), ".");
    const moves = terms.map((map) => {
      let [low, high] = [Infinity, -Infinity];
      for (let i = from; i < to; i++) {
        const value = map[i * LENGTH + i + offset];
        if (value < low) low = value;
        if (value > high) high = value;
      }
      return high - low;
    });
    const amount = (value) => strong(value < 1e-9 ? "0" : fixed(value));
    write(diagonalWords, `Along its diagonal, offset ${fixed(offset, 0)}, the terms vary by `,
      ...moves.slice(0, 4).flatMap((value, t) => [amount(value), t < 3 ? ", " : "; the score by "]), amount(moves[4]), ".");
  }

  function drawShares({ norm, scale: by }) {
    const { offset, anchor, interaction } = sharesOf(prepared, norm, by);
    const absolute = anchor + interaction;
    const size = (share) => `calc(${share.toFixed(5)} * (100% - 2px)) 100%`; // 2 pixels part the two
    put(bar, { style: `background-size:${size(offset)},${size(absolute)}` });
    const percent = (share) => strong(`${fixed(100 * share, 1)} %`);
    write(readout, ...(offset + absolute
      ? ["The score's variance: offset alone explains ", percent(offset), ", absolute position ", percent(absolute), "."]
      : ["The score does not vary with position."]));
  }

  return (state, changed) => {
    const { norm, scale: by, weights, seed } = state;
    const fresh = changed.has("weights") || changed.has("seed");
    if (changed.has("seed")) [tokens, known] = [contents(seed), {}];
    if (fresh) prepared = known[weights] ??= prepare(tokens, weights, seed);
    if (changed.has("width")) drawRoom(state);
    if (fresh || changed.has("norm") || changed.has("scale")) {
      terms = termsOf(prepared, norm, by);
      maps.forEach(({ canvas }, t) => paint(canvas, rowsOf(terms[t]), LIMIT));
      drawShares(state);
      say(drawNumber, `Draw ${seed} of tokens and M`);
    }
    hovered = null;
    drawCell(state);
  };
});
