// ALiBi: the biases of one head for six words, and the attention of a row whose scores are all equal.

import { fixed, h, line, list, put, s, say, scale, short, signedCell, write } from "../draw.js";
import { figure } from "../kit.js";
import { alibiSlopes, softmax } from "../math.js";
import { AlibiMatrix } from "../settings.js";

const WORDS = ["The", "cat", "sat", "on", "warm", "stone"];
const STEEPEST = 4.5; // the bias that has the full colour, for every head
const ROW = 32;
const BARS = 124;
const FAR = 32; // distances that the curves show

/** Attention of the query in a row to itself and the words before it, all scores equal. */
export const shares = (slope, row) => softmax(Array.from({ length: row + 1 }, (_, key) => -slope * (row - key)));

export default figure("AlibiMatrix", AlibiMatrix, (ui) => {
  const rowNames = WORDS.map((word) => h("span", { class: "pf-word" }, word));
  const cells = WORDS.map((_, row) => WORDS.map((_, key) => h("span", { class: key > row ? "pf-future" : "pf-number" })));
  const frame = h("div", { class: "pf-row" });
  const surface = h("div", {
    class: "pf-surface", tabindex: 0, role: "application", "aria-roledescription": "matrix",
    "aria-label": "Biases: the arrow keys choose the query, a row",
  });
  const rail = h("div", { class: "pf-rail" }); // where a finger drags, and does not scroll the page
  const matrix = h("div", { class: "pf-table pf-matrix" },
    h("span"), ...WORDS.map((word) => h("span", { class: "pf-head-word", "aria-hidden": "true" }, word)),
    ...WORDS.flatMap((_, row) => [rowNames[row], ...cells[row]]), frame, rail, surface);
  for (const part of matrix.children) if (part !== surface) part.setAttribute("aria-hidden", "true");
  const columns = WORDS.map(() => {
    const bar = h("div", { class: "pf-bar" });
    const percent = h("span", { class: "pf-percent" });
    return { bar, percent, element: h("div", { class: "pf-column" }, percent, bar) };
  });
  const bars = h("div", { class: "pf-table pf-bars", "aria-hidden": "true" }, h("span"), ...columns.map((column) => column.element));
  const barsTitle = h("div", { class: "pf-label" });

  const others = s("g", { class: "pf-others" });
  const grid = s("g");
  const chosen = s("path", { class: "pf-chosen" });
  const dots = s("g", { class: "pf-dots" });
  const base = s("path", { class: "pf-axis" });
  const curveTitle = s("text", { "text-anchor": "middle" }, "distance, in tokens");
  const drawing = s("svg", { "aria-hidden": "true" }, grid, base, others, chosen, dots, curveTitle);
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

  let slopes, across, up;

  function drawMatrix(slope) {
    const digits = slope >= 0.1 ? 2 : 3;
    cells.forEach((row, query) => row.slice(0, query + 1).forEach((cell, key) => {
      const bias = -slope * (query - key);
      say(cell, fixed(bias, digits));
      put(cell, { style: signedCell(bias, STEEPEST) });
    }));
  }

  function drawBars(slope, row) {
    const weights = shares(slope, row);
    put(frame, { style: `top:${(row + 1) * ROW}px;width:calc((100% - 3.4rem) * ${(row + 1) / WORDS.length})` });
    rowNames.forEach((name, i) => put(name, { class: i === row ? "pf-word pf-now" : "pf-word" }));
    say(barsTitle, `attention of “${WORDS[row]}” if all scores were equal, in %`);
    const most = Math.max(0.5, ...weights); // the highest bar has the full height, unless it is below one half
    columns.forEach(({ bar, percent, element }, key) => {
      put(element, { class: key > row ? "pf-column pf-future" : "pf-column" });
      say(percent, key > row ? "" : fixed(100 * weights[key], 1));
      put(bar, { style: `height:${(((weights[key] ?? 0) / most) * (BARS - 24)).toFixed(1)}px` });
    });
    return weights;
  }

  function curve(slope) {
    const steps = slope > 0.1 ? 2 * FAR : FAR / 4; // the shallow ones are nearly straight
    return line(Array.from({ length: steps + 1 }, (_, i) => {
      const distance = (i * FAR) / steps;
      return [across(distance), up(Math.exp(-slope * distance))];
    }));
  }

  function drawCurves({ width, wide }) {
    const room = wide ? 0.43 * (width - 28) : width;
    const height = wide ? 366 : 230;
    put(drawing, { width: room, height });
    across = scale([0, FAR], [30, room - 8]);
    up = scale([1, 0], [10, height - 40]);
    const shown = [0, 0.25, 0.5, 0.75, 1];
    list(grid, shown.length + 5, () => s("g", {}, s("path", { class: "pf-grid" }), s("text"))).forEach((tick, i) => {
      const [path, text] = tick.children;
      if (i < shown.length) {
        put(path, { d: `M30,${up(shown[i])}H${room - 8}` });
        say(put(text, { x: 24, y: up(shown[i]), dy: "0.35em", "text-anchor": "end" }), String(shown[i]));
      } else {
        const distance = (i - shown.length) * 8;
        put(path, { d: `M${across(distance)},${up(0)}v4`, class: "pf-axis" });
        say(put(text, { x: across(distance), y: height - 22, "text-anchor": "middle" }), String(distance));
      }
    });
    put(base, { d: `M30,${up(0)}H${room - 8}` });
    put(curveTitle, { x: (30 + room - 8) / 2, y: height - 2 });
    list(others, slopes.length, () => s("path")).forEach((path, i) => put(path, { d: curve(slopes[i]) }));
  }

  function drawChosen(slope, row) {
    put(chosen, { d: curve(slope) });
    list(dots, row + 1, () => s("circle", { r: 3.5 })).forEach((dot, t) => put(dot, { cx: across(t), cy: up(Math.exp(-slope * t)) }));
  }

  return (state, changed) => {
    const { heads, head, row } = state;
    if (head > heads) throw new RangeError(`head=${head}: must be from 1 to ${heads}, since heads=${heads}`);
    if (changed.has("heads")) slopes = alibiSlopes(heads);
    const slope = slopes[head - 1];
    if (changed.has("heads") || changed.has("head")) drawMatrix(slope);
    if (changed.has("heads") || changed.has("width")) drawCurves(state);
    const weights = drawBars(slope, row);
    drawChosen(slope, row);
    write(readout, `Head ${head} of ${heads}, slope `, h("strong", {}, short(slope)), `: “${WORDS[row]}” attends to `,
      ...weights.flatMap((weight, key) => [`${key ? ", " : ""}${WORDS[key]} `, h("strong", {}, `${fixed(100 * weight, 1)}\u00a0%`)]), ".");
    const tokens = Math.ceil(Math.log(10) / slope);
    write(reach, "Each step back: times ", h("strong", {}, fixed(Math.exp(-slope), 3)),
      ". In a long text 90\u00a0% lies within ", h("strong", {}, String(tokens)), " tokens.");
  };
});
