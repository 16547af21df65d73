// ALiBi: the biases of one head for six words, and the attention of a row whose scores are all equal.

import { box, circle, fixed, h, labels, NOTHING, paths, put, s, say, scale, short, signedColor, signedInks, strong, texts, write } from "../draw.js";
import { figure } from "../kit.js";
import { alibiSlopes, softmax } from "../math.js";
import { AlibiMatrix } from "../settings.js";

const WORDS = ["The", "cat", "sat", "on", "warm", "stone"];
const STEEPEST = 4.5; // the bias that has the full colour, for every head
const ROW = 32;
const NAMES = 54.4; // width of the words before the rows, as in the style sheet
const BARS = 124;
const FAR = 32; // distances that the curves show
const FLAT = 1e-4; // a curve below is a straight line

/** Attention of the query in a row to itself and the words before it, all scores equal. */
export const shares = (slope, row) => softmax(Array.from({ length: row + 1 }, (_, key) => -slope * (row - key)));

export default figure("AlibiMatrix", AlibiMatrix, (ui) => {
  const rowNames = WORDS.map((word) => h("span", { class: "pf-word" }, word));
  const cells = WORDS.map((_, row) => WORDS.map((_, key) => h("span", { class: key > row ? "pf-future" : "pf-number" })));
  const surface = h("div", {
    class: "pf-surface", tabindex: 0, role: "application", "aria-roledescription": "matrix",
    "aria-label": "Biases: the arrow keys choose the query, a row",
  });
  const rail = h("div", { class: "pf-rail" }); // where a finger drags, and does not scroll the page
  // Cells of the same distance have the same colour.
  const colors = WORDS.map(() => s("path"));
  const frame = s("path", { class: "pf-row" });
  const matrix = h("div", { class: "pf-table pf-matrix" }, s("svg", {}, ...colors, frame),
    h("span"), ...WORDS.map((word) => h("span", { class: "pf-head-word", "aria-hidden": "true" }, word)),
    ...WORDS.flatMap((_, row) => [rowNames[row], ...cells[row]]), rail, surface);
  for (const part of matrix.children) if (part !== surface) part.setAttribute("aria-hidden", "true");
  const columns = WORDS.map(() => h("span"));
  const bar = s("path", { class: "pf-bar" });
  const percents = WORDS.map(() => s("tspan")); // one text for all is laid out once
  const bars = h("div", { class: "pf-table pf-bars", "aria-hidden": "true" }, h("span"), ...columns, s("svg", {}, bar, s("text", { "text-anchor": "middle" }, ...percents)));
  const barsTitle = h("div", { class: "pf-label" });

  const others = Array.from({ length: AlibiMatrix.heads.high }, () => s("path", { class: "pf-other" }));
  const [grid, base] = paths("pf-grid", "pf-axis");
  const [shareTicks, distanceTicks] = texts("end", "middle");
  const chosen = s("path", { class: "pf-chosen" });
  const dots = s("path", { class: "pf-dots" });
  const curveTitle = s("text", { "text-anchor": "middle" }, "distance, in tokens");
  const drawing = s("svg", { "aria-hidden": "true" }, grid, shareTicks, distanceTicks, base, ...others, chosen, dots, curveTitle);
  const curves = h("div", {}, h("div", { class: "pf-label" }, "attention relative to distance 0, all heads"), drawing);

  const readout = ui.readout();
  const reach = ui.note();
  ui.frame("A penalty for distance",
    h("div", { class: "pf-panels" },
      h("div", { class: "pf-left" }, h("div", { class: "pf-label" }, "bias on the score: query (row), key (column)"), matrix, barsTitle, bars),
      curves),
    readout, reach,
    h("div", { class: "pf-controls" },
      ui.slider("head", { label: "Head", max: (state) => state.heads }),
      ui.slider("heads", { label: "Heads", change: (heads, { head }) => ({ heads, head: Math.min(head, heads) }) }),
      ui.slider("row", { label: "Query", show: (row) => WORDS[row] })));

  const clamp = (row) => Math.min(WORDS.length - 1, Math.max(0, row));
  for (const part of [surface, rail]) ui.drag(part, (x, y) => ui.set({ row: clamp(Math.floor(y / ROW)) }));
  ui.keys(surface, {
    ArrowUp: ({ row }) => ({ row: clamp(row - 1) }), ArrowDown: ({ row }) => ({ row: clamp(row + 1) }),
    Home: () => ({ row: 0 }), End: () => ({ row: WORDS.length - 1 }),
  });

  let slopes, across, up, cell;

  const at = (key) => NAMES + key * cell;
  /** The path of a cell, or of those of a row from the first one on. */
  const rowBox = (key, row, first = key) => {
    const [left, right] = [at(first), at(key + 1)].map(Math.round);
    return box(left + 1, (row + 1) * ROW + 1, right - left - 2, ROW - 2, 3);
  };

  function drawRoom({ width, wide }) {
    cell = ((wide ? 0.57 * (width - 28) : width) - NAMES) / WORDS.length;
    colors.forEach((path, distance) => put(path, {
      d: WORDS.slice(distance).map((_, key) => rowBox(key, key + distance)).join(""),
    }));
    percents.forEach((text, key) => put(text, { x: at(key + 0.5) }));
  }

  function drawMatrix(slope) {
    const digits = slope >= 0.1 ? 2 : 3;
    colors.forEach((path, distance) => {
      const bias = -slope * distance;
      const [words, inks] = [fixed(bias, digits), signedInks(bias, STEEPEST)];
      put(path, { style: `fill:${signedColor(bias, STEEPEST)}` });
      for (let key = 0; key + distance < WORDS.length; key++) say(put(cells[key + distance][key], { style: inks }), words);
    });
  }

  function drawBars(slope, row) {
    const weights = shares(slope, row);
    put(frame, { d: rowBox(row, row, 0) });
    rowNames.forEach((name, i) => put(name, { class: i === row ? "pf-word pf-now" : "pf-word" }));
    say(barsTitle, `attention of “${WORDS[row]}” if all scores were equal, in %`);
    const most = Math.max(0.5, ...weights); // the highest bar has the full height, unless it is below one half
    let d = "";
    columns.forEach((column, key) => {
      put(column, { class: key > row ? "pf-future" : "" });
      const height = Math.round(((weights[key] ?? 0) / most) * (BARS - 24));
      const [left, right] = [0.14, 0.86].map((share) => Math.round(at(key) + 1 + share * (cell - 2)));
      const r = Math.min(3, height);
      d += `M${left},${BARS - 1}v${r - height}a${r},${r} 0 0 1 ${r},${-r}H${right - r}a${r},${r} 0 0 1 ${r},${r}V${BARS - 1}z`;
      say(put(percents[key], { y: BARS - 6 - height }), key > row ? "" : fixed(100 * weights[key], 1));
    });
    put(bar, { d });
    return weights;
  }

  function curve(slope) {
    const step = slope > 0.1 ? 0.5 : 4; // the shallow ones are nearly straight
    let d = "";
    for (let distance = 0; distance <= FAR; distance += step) {
      const share = Math.exp(-slope * distance);
      if (share < FLAT) return `${d}L${across(distance)},${up(0)}H${across(FAR)}`;
      d += `${d ? "L" : "M"}${across(distance).toFixed(1)},${up(share).toFixed(1)}`;
    }
    return d;
  }

  function drawCurves({ width, wide }) {
    const room = wide ? 0.43 * (width - 28) : width;
    const height = wide ? 366 : 230;
    put(drawing, { width: room, height });
    across = scale([0, FAR], [30, room - 8]);
    up = scale([1, 0], [10, height - 40]);
    const shares = [0, 0.25, 0.5, 0.75, 1];
    const distances = [0, 8, 16, 24, 32];
    const level = (share) => `M30,${up(share)}H${room - 8}`;
    put(grid, { d: shares.map(level).join("") });
    put(base, { d: level(0) + distances.map((distance) => `M${across(distance)},${up(0)}v4`).join("") });
    labels(shareTicks, shares.map(String), (i) => ({ x: 24, y: up(shares[i]), dy: "0.35em" }));
    labels(distanceTicks, distances.map(String), (i) => ({ x: across(distances[i]), y: height - 22 }));
    put(curveTitle, { x: (30 + room - 8) / 2, y: height - 2 });
    others.forEach((path, i) => put(path, { d: i < slopes.length ? curve(slopes[i]) : NOTHING }));
  }

  function drawChosen(slope, row) {
    put(chosen, { d: curve(slope) });
    put(dots, { d: WORDS.slice(0, row + 1).map((_, distance) => circle(across(distance), up(Math.exp(-slope * distance)), 3.5)).join("") });
  }

  return (state, changed) => {
    const { heads, head, row } = state;
    if (head > heads) throw new RangeError(`head=${head}: must be from 1 to ${heads}, since heads=${heads}`);
    if (changed.has("heads")) slopes = alibiSlopes(heads);
    const slope = slopes[head - 1];
    if (changed.has("width")) drawRoom(state);
    if (changed.has("heads") || changed.has("head")) drawMatrix(slope);
    if (changed.has("heads") || changed.has("width")) drawCurves(state);
    const weights = drawBars(slope, row);
    drawChosen(slope, row);
    write(readout, `Head ${head} of ${heads}, slope `, strong(short(slope)), `: “${WORDS[row]}” attends to `,
      ...WORDS.flatMap((word, key) => key > row ? ["", strong("")] : [`${key ? ", " : ""}${word} `, strong(`${fixed(100 * weights[key], 1)}\u00a0%`)]), ".");
    const tokens = Math.ceil(Math.log(10) / slope);
    write(reach, "Each step back: times ", strong(fixed(Math.exp(-slope), 3)),
      ". In a long text 90\u00a0% lies within ", strong(String(tokens)), " tokens.");
  };
});
