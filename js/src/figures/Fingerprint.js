// The fingerprint of a position: its code as a row of a picture, as bars, and who resembles it.

import { fixed, h, labels, line, list, paint, put, s, say, scale, short, signedInk, strong, texts, wholeTicks, write } from "../draw.js";
import { figure } from "../kit.js";
import { angle, invFreq, similarity, sinusoidal, wavelength } from "../math.js";
import { Fingerprint } from "../settings.js";

const LEFT = 40; // room for the numbers of the positions
const TOP = 18;
const MAP = 264; // height of the map
const BARS = 84;
const GAP = 14;
const HEIGHT = TOP + MAP + GAP + BARS + 34;

export default figure("Fingerprint", Fingerprint, (ui) => {
  const canvas = h("canvas", { class: "pf-map" });
  const bars = h("canvas", { class: "pf-map pf-bars" });
  const surface = h("div", {
    class: "pf-surface", tabindex: 0, role: "application", "aria-roledescription": "heat map",
    "aria-label": "Codes: the arrow keys go from position to position and from dimension to dimension",
  });
  const [rowTicks, columnTicks, valueTicks, cosineTicks] = texts("end", "middle", "end", "middle");
  const grid = s("path", { class: "pf-grid" });
  const marks = s("g");
  const curve = s("path", { class: "pf-curve" });
  const rail = h("div", { class: "pf-rail" }); // where a finger drags, and does not scroll the page
  const marker = s("path", { class: "pf-marker" });
  const selected = s("rect", { class: "pf-selected" });
  const compared = s("rect", { class: "pf-compared" });
  const cell = s("rect", { class: "pf-cell" });
  const zero = s("path", { class: "pf-axis" });
  const other = s("path", { class: "pf-other" });
  const titles = ["position", "dimension", "cosine with the selected position"].map((words) => s("text", {}, words));
  const drawing = s("svg", { height: HEIGHT, "aria-hidden": "true" },
    rowTicks, columnTicks, valueTicks, zero, other, grid, cosineTicks, curve, marks,
    selected, compared, cell, marker, ...titles);
  const stage = h("div", { class: "pf-stage", style: `height:${HEIGHT}px` }, canvas, bars, drawing, surface, rail);
  const [cellWords, codeWords, lowestWords] = [ui.note(), ui.note(), ui.note()];
  const readout = ui.readout();

  ui.frame("The fingerprint of a position",  stage, readout, lowestWords, codeWords, cellWords,
    h("div", { class: "pf-controls" },
      ui.slider("position", { label: "Position", max: (state) => state.length - 1 }),
      ui.slider("compare", { label: "Compare with", max: (state) => state.length - 1 }),
      ui.slider("dim", { label: "Dimensions d", change: (dim, { dimension }) => ({ dim, dimension: Math.min(dimension, dim - 1) }) }),
      ui.slider("length", {
        label: "Positions shown",
        change: (length, { position, compare }) => ({
          length, position: Math.min(position, length - 1), compare: Math.min(compare, length - 1),
        }),
      }),
      ui.slider("base", { label: "Base", ratio: 10 ** (1 / 4), show: short })));

  let frequencies, rows, room, hovered = null;

  const clamp = (value, count) => Math.min(count - 1, Math.max(0, value));

  function cellAt(x, y) {
    const { dim, length } = ui.state();
    return { position: clamp(Math.floor((y / MAP) * length), length), dimension: clamp(Math.floor((x / room.map) * dim), dim) };
  }

  ui.drag(surface, (x, y) => ui.set(cellAt(x, y)));
  ui.drag(rail, (x, y) => ui.set({ position: cellAt(0, y).position }));
  ui.hover(surface, (place) => {
    hovered = place && cellAt(place.x, place.y);
    drawCell(ui.state());
  });
  const step = (key, by, count) => (state) => ({ [key]: clamp(state[key] + by, state[count]) });
  ui.keys(surface, {
    ArrowUp: step("position", -1, "length"),
    ArrowDown: step("position", 1, "length"),
    ArrowLeft: step("dimension", -1, "dim"),
    ArrowRight: step("dimension", 1, "dim"),
    PageUp: step("position", -10, "length"),
    PageDown: step("position", 10, "length"),
    Home: () => ({ dimension: 0 }),
    End: ({ dim }) => ({ dimension: dim - 1 }),
  });

  /** The cell under the pointer, else the one that the keys are on. */
  function drawCell(state) {
    const { position, dimension } = hovered ?? state;
    const [width, height] = [room.map / state.dim, MAP / state.length];
    put(cell, { x: LEFT + dimension * width, y: TOP + position * height, width, height });
    const pair = dimension >> 1;
    const value = rows[position][dimension];
    write(cellWords,
      `Cell: position ${position}, dimension ${dimension}, the ${dimension % 2 ? "cosine" : "sine"} of pair ${pair}: value `,
      strong(fixed(value)), ", wavelength ", strong(short(wavelength(frequencies[pair]))), " positions.");
  }

  function drawRoom({ dim, length, width, wide }) {
    const side = wide ? 150 : 76;
    room = { width, side, map: width - LEFT - GAP - side };
    put(drawing, { width });
    Object.assign(canvas.style, { left: `${LEFT}px`, top: `${TOP}px`, width: `${room.map}px`, height: `${MAP}px` });
    Object.assign(bars.style, { left: `${LEFT}px`, top: `${TOP + MAP + GAP}px`, width: `${room.map}px`, height: `${BARS}px` });
    Object.assign(rail.style, { left: 0, top: `${TOP}px`, width: `${LEFT}px`, height: `${MAP}px` });
    Object.assign(surface.style, { left: `${LEFT}px`, top: `${TOP}px`, width: `${room.map}px`, height: `${MAP}px` });
    const y = scale([0, length], [TOP, TOP + MAP]);
    const positions = wholeTicks(length - 1, 7);
    labels(rowTicks, positions.map(String), (i) => ({ x: LEFT - 13, y: y(positions[i] + 0.5), dy: "0.35em" }));
    const x = scale([0, dim], [LEFT, LEFT + room.map]);
    const dimensions = wholeTicks(dim - 1, room.map / 60);
    labels(columnTicks, dimensions.map(String), (i) => ({ x: x(dimensions[i] + 0.5), y: HEIGHT - 20 }));
    put(titles[0], { x: 0, y: 10 });
    put(titles[1], { x: LEFT + room.map / 2, y: HEIGHT - 3, "text-anchor": "middle" });
    say(titles[2], side > 100 ? "cosine with selected" : "cosine");
    put(titles[2], { x: LEFT + room.map + GAP + side / 2, y: HEIGHT - BARS - 14, "text-anchor": "middle" });
    const heights = scale([1, -1], [TOP + MAP + GAP + 2, TOP + MAP + GAP + BARS - 2]);
    labels(valueTicks, [1, 0, -1].map((value) => fixed(value, 0)), (i) => ({ x: LEFT - 13, y: heights(1 - i), dy: "0.35em" }));
    room.x = x;
    room.y = y;
    room.heights = heights;
  }

  /** The cosine axis begins at the nearest half below the lowest value. */
  function drawCurveAxis(lowest) {
    const { side, width, map } = room;
    const low = Math.floor(2 * lowest + 1e-9) / 2;
    const cosine = scale([Math.min(0, low), 1], [LEFT + map + GAP, width - 6]);
    const values = [-1, -0.5, 0, 0.5, 1].filter((value) => value >= Math.min(0, low) && (side > 100 || value % 1 === 0 || value === low));
    put(grid, { d: values.map((value) => `M${cosine(value)},${TOP}v${MAP}`).join("") });
    labels(cosineTicks, values.map((value) => fixed(value, value % 1 ? 1 : 0)), (i) => ({ x: cosine(values[i]), y: TOP + MAP + 14 }));
    room.cosine = cosine;
  }

  /** The bars are a canvas: a hundred elements with colours of their own would take a slow machine too long. */
  function drawBars({ position, compare, dim }) {
    const value = room.heights;
    const width = room.map / dim;
    const gap = width < 6 ? 0 : 1;
    const dots = window.devicePixelRatio || 1;
    const top = TOP + MAP + GAP;
    put(bars, { width: Math.round(room.map * dots), height: Math.round(BARS * dots) });
    const context = bars.getContext("2d");
    context.setTransform(dots, 0, 0, dots, 0, -top * dots);
    context.clearRect(0, top, room.map, BARS);
    context.strokeStyle = "#868d9d";
    context.lineWidth = 0.5;
    rows[position].forEach((entry, i) => {
      const box = [i * width + gap, Math.min(value(entry), value(0)), width - 2 * gap, Math.abs(value(entry) - value(0))];
      context.fillStyle = signedInk(entry);
      context.fillRect(...box);
      if (gap) context.strokeRect(...box);
    });
    put(zero, { d: `M${LEFT},${value(0)}h${room.map}` });
    put(other, { d: Array.from(rows[compare], (entry, i) => `M${(room.x(i) + gap).toFixed(1)},${value(entry).toFixed(1)}h${(width - 2 * gap).toFixed(1)}`).join("") });
  }

  function drawCurve({ position, compare, length }) {
    const near = Array.from({ length }, (_, p) => similarity(p - position, frequencies));
    drawCurveAxis(Math.min(...near));
    const place = (p) => [room.cosine(near[p]), room.y(p + 0.5)];
    put(curve, { d: line(near.map((_, p) => place(p))) });
    const [here, there] = list(marks, 2, (i) => s("circle", { r: i ? 4 : 4.5, class: i ? "pf-there" : "pf-here" }));
    [[here, position], [there, compare]].forEach(([dot, p]) => put(dot, { cx: place(p)[0], cy: place(p)[1] }));
    return near;
  }

  function drawWords({ position, compare, dim, length }, near) {
    const code = Array.from(rows[position].slice(0, 4), (value) => fixed(value)).join(", ");
    const cosine = near[compare];
    let lowest = 0;
    near.forEach((value, p) => {
      if (value < near[lowest] - 1e-12) lowest = p;
    });
    const offset = (p) => fixed(p - position, 0);
    write(readout, `Positions ${position} and ${compare}, offset ${offset(compare)}: cosine `,
      strong(fixed(cosine)), ` (${fixed(cosine, 6)}), angle `, strong(`${fixed(angle(cosine), 1)}°`), ".");
    write(lowestWords, `Lowest cosine with position ${position} among the ${length} shown: `,
      strong(fixed(near[lowest])), ` at offset ${offset(lowest)}.`);
    write(codeWords, `Code of position ${position}: `, strong(`[${code}${dim > 4 ? ", …" : ""}]`));
  }

  return (state, changed) => {
    const { dim, length, base, position, compare } = state;
    const fresh = ["dim", "length", "base"].some((key) => changed.has(key));
    if (fresh) {
      frequencies = invFreq(dim, base);
      rows = Array.from({ length }, (_, p) => sinusoidal(p, frequencies));
      paint(canvas, rows);
    }
    if (fresh || changed.has("width")) drawRoom(state);
    if (position >= length || compare >= length) throw new RangeError(`position=${Math.max(position, compare)}: must be from 0 to ${length - 1}, since length=${length}`);
    if (state.dimension >= dim) throw new RangeError(`dimension=${state.dimension}: must be from 0 to ${dim - 1}, since dim=${dim}`);
    const height = MAP / length;
    put(selected, { x: LEFT, width: room.map, y: TOP + position * height, height });
    put(marker, { d: `M${LEFT - 3},${room.y(position + 0.5)}l-7,-5v10z` });
    put(compared, { x: LEFT, width: room.map, y: TOP + compare * height, height });
    drawBars(state);
    drawWords(state, drawCurve(state));
    hovered = null;
    drawCell(state);
  };
});
