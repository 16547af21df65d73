// The order problem: attention weights of the same three words in two orders.

import { amountCell, fixed, h, put, say, signedCell, strong, write } from "../draw.js";
import { figure } from "../kit.js";
import { attentionWeights, invFreq, sinusoidal } from "../math.js";
import { OrderProblem } from "../settings.js";

const WORDS = ["cat", "chases", "mouse"];
const VECTORS = [[0.9, -0.3, 0.4, 0.1], [-0.2, 0.8, -0.5, 0.6], [0.5, 0.2, 0.9, -0.7]];
const CODES = WORDS.map((_, place) => [...sinusoidal(place, invFreq(4))]);
const FIRST = [0, 1, 2];
const ROW = 34; // height of a row
const WORD = 76; // width of a word

/** Rows of a phrase with or without the codes of its places, and its attention weights word by word:
 * weights[i][j] is what word i gives to word j, by their numbers in the first phrase. */
export function compute(order, withCodes) {
  const rows = order.map((word, place) => VECTORS[word].map((value, i) => value + (withCodes ? CODES[place][i] : 0)));
  const byPlace = attentionWeights(rows);
  const place = FIRST.map((word) => order.indexOf(word));
  return {
    inputs: place.map((at) => rows[at]),
    weights: FIRST.map((i) => FIRST.map((j) => byPlace[place[i]][place[j]])),
  };
}

export default figure("OrderProblem", OrderProblem, (ui) => {
  const panels = [makePanel(false), makePanel(true)];
  const readout = ui.readout();
  const pair = ui.note();

  ui.frame("The same words, in two orders",
    h("div", { class: "pf-row" }, ui.toggle("position", { label: "+ position" }),
      h("span", { class: "pf-hint" }, "Drag a word of the second phrase, or move it with the arrow keys.")),
    h("div", { class: "pf-panels" }, ...panels.map((panel) => panel.element)),
    readout, pair);

  /** A phrase: a title, the rows of its words, the weights. What can be moved has handles. */
  function makePanel(movable) {
    const title = h("div", { class: "pf-phrase" });
    const rows = WORDS.map((word) => {
      const handle = movable
        ? h("button", { type: "button", class: "pf-word pf-button pf-handle" }, h("span", { class: "pf-grip", "aria-hidden": "true" }, "⠿"), word)
        : h("span", { class: "pf-word" }, word);
      const values = VECTORS[0].map(() => h("span", { class: "pf-number" }));
      return { handle, values, element: h("div", { class: "pf-moving pf-embedding" }, handle, ...values) };
    });
    const heads = WORDS.map((word) => h("span", { class: "pf-moving pf-column", "aria-hidden": "true" }, word));
    const sides = WORDS.map((word) => h("span", { class: "pf-moving pf-side", "aria-hidden": "true" }, word));
    const cells = WORDS.map(() => WORDS.map(() => h("span", { "aria-hidden": "true" })));
    const surface = h("div", {
      class: "pf-surface", tabindex: 0, role: "application", "aria-roledescription": "matrix",
      "aria-label": `Attention weights of the ${movable ? "second" : "first"} phrase: the arrow keys choose a pair of words`,
    });
    const embedding = h("div", { class: "pf-embeddings" }, ...rows.map((row) => row.element));
    const matrix = h("div", { class: "pf-matrix" }, ...heads, ...sides, ...cells.flat(), surface);
    const element = h("div", { class: "pf-panel" }, title,
      h("div", { class: "pf-label" }, "embedding of each word, one a row"), embedding,
      h("div", { class: "pf-label" }, "attention weights: row looks at column"), matrix);
    const panel = { title, rows, heads, sides, cells, surface, embedding, matrix, element };

    const orderOf = (state) => (movable ? state.order : FIRST);
    const clamp = (place) => Math.min(2, Math.max(0, place));
    const move = (rowsBy, columnsBy) => (state) => {
      const order = orderOf(state);
      return {
        looks: order[clamp(order.indexOf(state.looks) + rowsBy)],
        at: order[clamp(order.indexOf(state.at) + columnsBy)],
      };
    };
    ui.keys(surface, { ArrowUp: move(-1, 0), ArrowDown: move(1, 0), ArrowLeft: move(0, -1), ArrowRight: move(0, 1) });
    ui.drag(surface, (x, y) => {
      const order = orderOf(ui.state());
      ui.set({ looks: order[clamp(Math.floor(y / ROW))], at: order[clamp(Math.floor((3 * x) / surface.clientWidth))] });
    });
    if (movable)
      rows.forEach(({ handle }, word) => {
        const to = (place) => (state) => moved(state.order, word, clamp(place(state.order.indexOf(word))));
        ui.keys(handle, {
          ArrowUp: to((place) => place - 1), ArrowDown: to((place) => place + 1), Home: to(() => 0), End: to(() => 2),
        });
        ui.drag(handle, (x, y, { clientY }) => {
          const place = clamp(Math.floor((clientY - embedding.getBoundingClientRect().top) / ROW));
          const { order } = ui.state();
          if (order[place] !== word) ui.set(moved(order, word, place));
        });
      });
    return panel;
  }

  function moved(order, word, place) {
    const rest = order.filter((other) => other !== word);
    rest.splice(place, 0, word);
    return { order: rest };
  }

  const shift = (element, x, y) => put(element, { style: `transform:translate(${x}px,${y}px)` });

  function drawPanel(panel, order, { inputs, weights }, width) {
    say(panel.title, order.map((word) => WORDS[word]).join(" "));
    const cell = (width - WORD) / 3;
    panel.rows.forEach(({ element, handle, values }, word) => {
      const place = order.indexOf(word);
      shift(element, 0, place * ROW);
      if (handle.tagName === "BUTTON") put(handle, { "aria-label": `${WORDS[word]}, place ${place + 1} of 3` });
      values.forEach((span, i) => say(put(span, { style: signedCell(inputs[word][i], 2) }), fixed(inputs[word][i])));
    });
    order.forEach((word, place) => {
      shift(panel.heads[word], WORD + place * cell, 0);
      shift(panel.sides[word], 0, (place + 1) * ROW);
      order.forEach((other, column) => {
        const weight = weights[word][other];
        const span = panel.cells[word][other];
        say(span, fixed(weight));
        put(span, { style: `${amountCell(weight)}transform:translate(${WORD + column * cell}px,${(place + 1) * ROW}px)` });
      });
    });
    Object.assign(panel.surface.style, { left: `${WORD}px`, top: `${ROW}px`, width: `${3 * cell}px`, height: `${3 * ROW}px` });
  }

  function drawLink({ looks, at }) {
    for (const { cells } of panels)
      cells.forEach((row, word) => row.forEach((span, other) => put(span, {
        class: `pf-moving pf-number pf-weight${word === looks && other === at ? " pf-linked" : ""}`,
      })));
  }

  let first, second;

  return (state, changed) => {
    const { order, position, looks, at, width, wide } = state;
    if (["order", "position", "width"].some((name) => changed.has(name))) {
      [first, second] = [compute(FIRST, position), compute(order, position)];
      const panelWidth = wide ? (width - 40) / 2 : width;
      drawPanel(panels[0], FIRST, first, panelWidth);
      drawPanel(panels[1], order, second, panelWidth);
    }
    drawLink(state);
    const largest = Math.max(...FIRST.flatMap((i) => FIRST.map((j) => Math.abs(first.weights[i][j] - second.weights[i][j]))));
    write(readout,
      `${position ? "With" : "Without"} positions: largest difference, after undoing the new order, `,
      strong(largest < 1e-12 ? "0" : fixed(largest, 4)), ".");
    const [one, other] = [first.weights[looks][at], second.weights[looks][at]];
    write(pair,
      `Linked: ${WORDS[looks]} looks at ${WORDS[at]} with weight `, strong(fixed(one, 4)), " in the first phrase and ",
      strong(fixed(other, 4)), " in the second.");
  };
});
