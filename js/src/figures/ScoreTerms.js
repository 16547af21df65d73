// The four terms of a score whose tokens carry an added code, as maps, and their sum.

import { fixed, h, list, paint, put, s, say, scale, write } from "../draw.js";
import { figure } from "../kit.js";
import { dot, invFreq, normals, sinusoidal } from "../math.js";
import { ScoreTerms } from "../settings.js";

const DIM = 64;
const LENGTH = 40; // tokens of the text
const [ANCHORS, OFFSETS] = [64, 32]; // where the pairs of tokens are moved to
const LIMIT = 5; // scores beyond it have the full colour
const TITLES = ["content", "+ content × position", "+ position × content", "+ position", "= the score"];
const ROOT = Math.sqrt(DIM);
const CODES = Array.from({ length: ANCHORS + OFFSETS }, (_, p) => sinusoidal(p, invFreq(DIM)));

/** The product of the matrix M with a vector, for each kind of weights. */
function product(weights, seed) {
  if (weights === "identity") return (x) => x;
  const result = (entry) => {
    const y = new Float64Array(DIM);
    for (let i = 0; i < DIM; i++) y[i] = entry(i);
    return y;
  };
  if (weights === "random") {
    const entries = normals(seed, 1, DIM * DIM);
    const rows = Array.from({ length: DIM }, (_, i) => entries.subarray(i * DIM, (i + 1) * DIM));
    return (x) => result((i) => dot(rows[i], x) / ROOT);
  }
  const numbers = normals(seed, 2, DIM); // a and b of every pair
  return (x) => result((i) => {
    const [a, b] = [numbers[i >> 1], numbers[(DIM >> 1) + (i >> 1)]];
    return (a * x[i] + (i % 2 ? b * x[i - 1] : -b * x[i + 1])) / Math.SQRT2;
  });
}

/** A number for each anchor and offset, cut into what the offset explains, the anchor, and both together. */
function twoWay(value) {
  const [offset, anchor, interaction] = [OFFSETS, ANCHORS, ANCHORS * OFFSETS].map((size) => new Float64Array(size));
  let mean = 0;
  for (let a = 0; a < ANCHORS; a++)
    for (let o = 0; o < OFFSETS; o++) {
      const x = value(a, o);
      interaction[a * OFFSETS + o] = x;
      offset[o] += x / ANCHORS;
      anchor[a] += x / OFFSETS;
      mean += x / (ANCHORS * OFFSETS);
    }
  for (let a = 0; a < ANCHORS; a++)
    for (let o = 0; o < OFFSETS; o++) interaction[a * OFFSETS + o] += mean - offset[o] - anchor[a];
  for (let o = 0; o < OFFSETS; o++) offset[o] -= mean;
  for (let a = 0; a < ANCHORS; a++) anchor[a] -= mean;
  return [offset, anchor, interaction];
}

/** What does not change with the norm n and the scale s. The terms are those of n = s = 1. A pair of tokens
 * that is moved has the score n^2 content + n s cross + s^2 position; each part of its variance is therefore
 * (n s)^2 v[0] + 2 n s s^2 v[1] + s^4 v[2]. */
export function prepare(weights, seed) {
  const drawn = normals(seed, 0, LENGTH * DIM);
  const tokens = Array.from({ length: LENGTH }, (_, t) => {
    const row = drawn.subarray(t * DIM, (t + 1) * DIM);
    const norm = Math.sqrt(dot(row, row));
    return row.map((value) => value / norm);
  });
  const times = product(weights, seed);
  const [keys, codeKeys] = [tokens.map(times), CODES.map(times)];
  const table = (rows, columns) => rows.map((row) => columns.map((column) => dot(row, column) / ROOT));
  const here = (codes) => codes.slice(0, LENGTH);
  const position = twoWay((a, o) => dot(CODES[a], codeKeys[a + o]) / ROOT);
  const pairs = Array.from({ length: LENGTH / 2 }, (_, p) => {
    const [query, key] = [tokens[2 * p], keys[2 * p + 1]];
    const [ofKey, ofQuery] = [codeKeys.map((code) => dot(query, code) / ROOT), CODES.map((code) => dot(code, key) / ROOT)];
    const cross = twoWay((a, o) => ofKey[a + o] + ofQuery[a]);
    return cross.map((x, part) => [dot(x, x), dot(x, position[part]), dot(position[part], position[part])].map((sum) => sum / x.length));
  });
  return {
    terms: [table(tokens, keys), table(tokens, here(codeKeys)), table(here(CODES), keys), table(here(CODES), here(codeKeys))],
    pairs,
  };
}

/** Every term of every score, and their sum. */
export function termsOf({ terms }, norm, scale) {
  const factors = [norm * norm, norm * scale, scale * norm, scale * scale];
  const maps = terms.map((map, t) => map.map((row) => row.map((value) => factors[t] * value)));
  const [content, ofKey, ofQuery, position] = maps;
  return [...maps, content.map((row, i) => row.map((value, j) => value + ofKey[i][j] + ofQuery[i][j] + position[i][j]))];
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
    const [diagonal, cell] = [s("path", { class: "pf-diagonal" }), s("rect", { class: "pf-cell" })];
    const [border, rowTicks, columnTicks] = [s("rect", { class: "pf-grid" }), s("g"), s("g")];
    const names = t === 4 ? [s("text", { "text-anchor": "middle" }, "key j"), s("text", { "text-anchor": "middle" }, "query i")] : [];
    const drawing = s("svg", { "aria-hidden": "true" }, border, diagonal, cell, rowTicks, columnTicks, ...names);
    const surface = h("div", t === 4
      ? { class: "pf-surface", tabindex: 0, role: "application", "aria-roledescription": "heat map", "aria-label": "Scores: the arrow keys choose query and key" }
      : { class: "pf-surface", "aria-hidden": "true" });
    const caption = h("div", { class: "pf-caption" }, h("span", {}, title));
    const element = h("div", { class: "pf-term" }, caption, canvas, drawing, surface);
    return { element, caption, canvas, drawing, surface, diagonal, cell, border, rowTicks, columnTicks, names };
  });
  const stage = h("div", { class: "pf-stage" }, ...maps.map(({ element }) => element));
  const key = h("div", { class: "pf-scale", "aria-hidden": "true" }, `−${LIMIT}`, h("span", { class: "pf-ramp" }), `+${LIMIT} and beyond`);
  const bar = ["pf-relative", "pf-absolute"].map((name) => h("span", { class: name }));
  const barNames = [h("span", {}, h("span", { class: "pf-swatch pf-relative" }), "offset alone"), h("span", {}, h("span", { class: "pf-swatch pf-absolute" }), "absolute position")];
  const readout = ui.readout();
  const [cellWords, diagonalWords] = [ui.note(), ui.note()];
  const draw = ui.button("New draw", () => ui.set({ seed: (ui.state().seed + 1) % (ScoreTerms.seed.high + 1) }));
  const drawNumber = h("span", { class: "pf-hint" });

  ui.frame("Four terms make a score",
    stage, key,
    h("div", { class: "pf-share", "aria-hidden": "true" }, ...bar), h("div", { class: "pf-bar-names", "aria-hidden": "true" }, ...barNames),
    readout, cellWords, diagonalWords,
    h("div", { class: "pf-controls" },
      ui.slider("norm", { label: "Content norm", step: 0.1, show: (norm) => fixed(norm) }),
      ui.slider("scale", { label: "Codes times", step: 0.05, show: (by) => fixed(by) }),
      h("div", { class: "pf-buttons" }, h("span", { class: "pf-hint" }, "Weights M"),
        ui.choices("weights", { label: "Weights M", options: ScoreTerms.weights.names.map((name) => [name, name]) })),
      h("div", { class: "pf-buttons" }, draw, drawNumber)));

  let prepared, terms, hovered = null;

  const clamp = (place) => Math.min(LENGTH - 1, Math.max(0, place));
  const step = (rows, columns) => ({ query, key: column }) => ({ query: clamp(query + rows), key: clamp(column + columns) });
  ui.keys(maps[4].surface, {
    ArrowUp: step(-1, 0), ArrowDown: step(1, 0), ArrowLeft: step(0, -1), ArrowRight: step(0, 1),
    Home: () => ({ key: 0 }), End: () => ({ key: LENGTH - 1 }), PageUp: () => ({ query: 0 }), PageDown: () => ({ query: LENGTH - 1 }),
  });
  for (const { surface } of maps) {
    const cellAt = (x, y) => ({
      query: clamp(Math.floor((y / surface.clientHeight) * LENGTH)), key: clamp(Math.floor((x / surface.clientWidth) * LENGTH)),
    });
    ui.drag(surface, (x, y) => ui.set(cellAt(x, y)));
    ui.hover(surface, (place) => {
      hovered = place && cellAt(place.x, place.y);
      drawCell(ui.state());
    });
  }

  const AXIS = 34; // room for the numbers of an axis and its name

  function drawRoom({ width, wide }) {
    const gap = wide ? 24 : 6;
    const [lines, columns] = wide ? [1, 2] : [2, 4]; // of a title, and of small maps
    const head = 18 * lines + 4;
    const small = Math.floor(wide ? (width - 2 * gap - head - 4 - AXIS) / 4 : (width - 3 * gap) / 4);
    const large = wide ? 2 * small + head + 4 : Math.min(300, width - AXIS);
    const places = [0, 1, 2, 3].map((t) => [(t % columns) * (small + gap), Math.floor(t / columns) * (small + head + 4), small]);
    places.push(wide ? [width - large, 0, large] : [AXIS, small + 30, large]);
    put(stage, { style: `height:${places[4][1] + head + large + AXIS}px` });
    maps.forEach(({ element, caption, canvas, drawing, surface, border, rowTicks, columnTicks, names }, t) => {
      const [left, top, side] = places[t];
      put(caption, { style: `height:${head}px` });
      put(element, { style: `left:${left}px;top:${top}px;width:${side}px;height:${side + head}px` });
      for (const layer of [canvas, surface]) put(layer, { style: `left:0;top:${head}px;width:${side}px;height:${side}px` });
      put(drawing, { width: side, height: side, viewBox: `0 0 ${side} ${side}`, style: `position:absolute;left:0;top:${head}px` });
      put(border, { x: 0, y: 0, width: side, height: side });
      if (t < 4) return;
      const at = scale([0, LENGTH], [0, side]);
      const numbers = [0, 10, 20, 30];
      list(rowTicks, numbers.length, (i) => s("text", { x: -6, dy: "0.35em", "text-anchor": "end" }, String(numbers[i])))
        .forEach((text, i) => put(text, { y: at(numbers[i] + 0.5) }));
      list(columnTicks, numbers.length, (i) => s("text", { "text-anchor": "middle" }, String(numbers[i])))
        .forEach((text, i) => put(text, { x: at(numbers[i] + 0.5), y: side + 15 }));
      put(names[0], { x: side / 2, y: side + 30 });
      put(names[1], { transform: `translate(-24 ${side / 2}) rotate(-90)` });
    });
  }

  /** The cell under the pointer, else the one that the keys are on; the diagonal is its offset. */
  function drawCell(state) {
    const { query, key: column } = hovered ?? state;
    const offset = column - query;
    maps.forEach(({ canvas, cell, diagonal }) => {
      const unit = canvas.clientWidth / LENGTH;
      put(cell, { x: column * unit - 1, y: query * unit - 1, width: unit + 2, height: unit + 2 });
      const [from, to] = [Math.max(0, -offset), Math.min(LENGTH, LENGTH - offset)];
      put(diagonal, { d: `M${(from + offset) * unit},${from * unit}L${(to + offset) * unit},${to * unit}` });
    });
    const strong = (value) => h("strong", {}, fixed(value));
    const values = terms.map((map) => map[query][column]);
    write(cellWords, `Query ${query}, key ${column}: content `, strong(values[0]), ", cross terms ", strong(values[1]), " and ", strong(values[2]),
      ", position ", strong(values[3]), "; score ", strong(values[4]), ".");
    const moves = terms.map((map) => {
      const along = map.flatMap((row, i) => (i + offset >= 0 && i + offset < LENGTH ? [row[i + offset]] : []));
      return Math.max(...along) - Math.min(...along);
    });
    const amount = (value) => h("strong", {}, value < 1e-9 ? "0" : fixed(value));
    write(diagonalWords, `Along its diagonal, offset ${fixed(offset, 0)}, the terms vary by `,
      ...moves.slice(0, 4).flatMap((value, t) => [amount(value), t < 3 ? ", " : "; the score by "]), amount(moves[4]), ".");
  }

  function drawShares({ norm, scale: by }) {
    const { offset, anchor, interaction } = sharesOf(prepared, norm, by);
    const absolute = anchor + interaction;
    const varies = offset + absolute > 0;
    bar.forEach((part, i) => put(part, { style: `flex-grow:${varies ? [offset, absolute][i].toFixed(5) : 0}` }));
    const percent = (share) => h("strong", {}, `${fixed(100 * share, 1)} %`);
    write(readout, ...(varies
      ? ["The score's variance: offset alone explains ", percent(offset), ", absolute position ", percent(absolute), "."]
      : ["The score does not vary with position."]));
  }

  return (state, changed) => {
    const { norm, scale: by, weights, seed } = state;
    const fresh = changed.has("weights") || changed.has("seed");
    if (fresh) prepared = prepare(weights, seed);
    if (changed.has("width")) drawRoom(state);
    if (fresh || changed.has("norm") || changed.has("scale")) {
      terms = termsOf(prepared, norm, by);
      terms.forEach((map, t) => paint(maps[t].canvas, map.map((row) => row.map((value) => Math.min(1, Math.max(-1, value / LIMIT))))));
      drawShares(state);
      say(drawNumber, `Draw ${seed} of tokens and M`);
    }
    hovered = null;
    drawCell(state);
  };
});
