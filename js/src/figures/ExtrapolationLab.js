// What trained models lose on longer texts: by length or by position, with the spread over seeds.

import { circle, fixed, h, labels, line, NOTHING, paths, put, s, say, scale, short, strong, texts, ticks, write } from "../draw.js";
import { figure } from "../kit.js";
import { ExtrapolationLab } from "../settings.js";

const LEFT = 40;
const TOP = 20;
const PLOT = 270;
const HEIGHT = TOP + PLOT + 40;
const NEAR = 3; // positions are spaced evenly up to here, then by their logarithm
const GROUPS = { scheme: "Schemes", stretch: "RoPE without tuning", tuned: "RoPE tuned at four times its length" };

/** The path of a marker around a place, named as in matplotlib. */
function marker(name, x, y, r = 4) {
  const at = (...points) => `M${points.map(([dx, dy]) => `${(x + dx * r).toFixed(1)},${(y + dy * r).toFixed(1)}`).join("L")}Z`;
  switch (name) {
    case "s": return at([-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]);
    case "D": return at([0, -1.15], [1.15, 0], [0, 1.15], [-1.15, 0]);
    case "^": return at([0, -1.1], [1.1, 0.9], [-1.1, 0.9]);
    case "v": return at([0, 1.1], [1.1, -0.9], [-1.1, -0.9]);
    case "x": return at([-1, -0.6], [-0.6, -1], [0, -0.4], [0.6, -1], [1, -0.6], [0.4, 0], [1, 0.6], [0.6, 1], [0, 0.4], [-0.6, 1], [-1, 0.6], [-0.4, 0]);
    case "P": return at([-0.4, -1.1], [0.4, -1.1], [0.4, -0.4], [1.1, -0.4], [1.1, 0.4], [0.4, 0.4], [0.4, 1.1], [-0.4, 1.1], [-0.4, 0.4], [-1.1, 0.4], [-1.1, -0.4], [-0.4, -0.4]);
    default: return circle(x, y, r);
  }
}

/** The points of a curve: place in characters, mean, lowest, highest. */
export function points({ about, bins }, curve, measure) {
  if (measure !== "position") return curve[measure].map(([multiple, ...losses]) => [multiple * about[0], ...losses]);
  return curve.position.map((losses, i) => [(bins[i] + bins[i + 1] - 1) / 2, ...losses]);
}

const nearest = (places, at) => places.reduce((best, place) => (Math.abs(place - at) < Math.abs(best - at) ? place : best));

/** Places from top to bottom that keep a distance from each other. */
function apart(wanted, gap, low, high) {
  const order = wanted.map((y, i) => [y, i]).sort((a, b) => a[0] - b[0]);
  let last = -Infinity;
  for (const item of order) last = item[0] = Math.max(item[0], last + gap, low);
  let next = Infinity;
  for (const item of order.reverse()) next = item[0] = Math.min(item[0], next - gap, high);
  const placed = [];
  for (const [y, i] of order) placed[i] = y;
  return placed;
}

export default figure("ExtrapolationLab", ExtrapolationLab, (ui) => {
  const layers = Object.fromEntries(["bands", "curves", "marks", "ends"].map((key) => [key, s("g")]));
  const [grid, dashes] = paths("pf-grid", "pf-axis");
  const [lossTicks, placeTicks] = texts("end", "middle");
  const [trainedAt, entropyAt, cursor] = paths("pf-trained-at", "pf-entropy", "pf-cursor");
  const words = {
    loss: s("text", { x: 0, y: 10 }, "loss, in nats a character"), place: s("text", { y: HEIGHT - 3, "text-anchor": "middle" }),
    entropy: s("text", { class: "pf-halo" }), trained: s("text", { "text-anchor": "start" }, "trained length"),
  };
  const drawing = s("svg", { height: HEIGHT, "aria-hidden": "true" },
    grid, lossTicks, dashes, placeTicks, entropyAt, trainedAt, cursor, layers.bands, layers.curves, layers.marks, layers.ends, ...Object.values(words));
  const surface = h("div", {
    class: "pf-surface", tabindex: 0, role: "application", "aria-roledescription": "chart",
    "aria-label": "Losses: the left and right arrow keys choose a length or position",
  });
  const legend = h("div", { class: "pf-legend" });
  const [readout, note] = [ui.readout(), ui.note()];

  ui.frame("Texts longer than in training",
    ui.choices("measure", { label: "Loss", options: [["mean", "mean of the text"], ["tail", `last ${ui.state().results.about[1]} characters`], ["position", "by position"]] }),
    h("div", { class: "pf-stage", style: `height:${HEIGHT}px` }, drawing, surface),
    readout, note, legend);

  let results, rows, tables, places, across, up, hovered = null;

  /** The drawing of each curve and its line of the legend, a group below the other. */
  function makeCurves({ curves }) {
    rows = new Map();
    for (const name of ["bands", "curves", "marks", "ends"]) layers[name].replaceChildren();
    legend.replaceChildren(...Object.entries(GROUPS).filter(([group]) => curves.some((curve) => curve.group === group)).map(([group, title]) => {
      const lines = curves.filter((curve) => curve.group === group).map((curve) => {
        const box = h("input", { type: "checkbox" });
        const number = h("span", { class: "pf-loss" });
        ui.on(box, "change", () => {
          const { shown } = ui.state();
          const now = new Set(shown);
          now[box.checked ? "add" : "delete"](curve.name);
          ui.set({ shown: results.curves.map(({ name }) => name).filter((name) => now.has(name)) });
        });
        const style = look(curve);
        const [band, path, marks] = ["pf-band", "pf-curve", "pf-mark"].map((name) => s("path", { class: name, style }));
        const end = s("text", { class: "pf-end", dy: "0.35em", style });
        layers.bands.append(band);
        layers.curves.append(path);
        layers.marks.append(marks);
        layers.ends.append(end);
        rows.set(curve.name, { box, number, band, path, marks, end });
        const sample = s("svg", { width: 34, height: 14, "aria-hidden": "true" },
          s("path", { class: "pf-curve", d: "M1,7H33", style }), s("path", { class: "pf-mark", d: marker(curve.marker, 17, 7, 3.5), style }));
        return h("label", { class: "pf-entry" }, box, sample, h("span", { class: "pf-name" }, curve.label), number);
      });
      return h("div", { class: "pf-group", role: "group", "aria-label": title }, h("div", { class: "pf-label" }, title), ...lines);
    }));
  }

  const look = ({ scheme, dash }) => `--pf-of:var(--pf-${scheme});stroke-dasharray:${dash.length ? dash.map((part) => part * 1.5).join(" ") : "none"}`;

  const far = (place) => (place < NEAR ? place / NEAR : 1 + Math.log2(place / NEAR));

  ui.drag(surface, (x) => ui.set({ at: Math.round(placeAt(x)) }));
  const placeAt = (x) => places.reduce((best, place) => (Math.abs(across(place) - LEFT - x) < Math.abs(across(best) - LEFT - x) ? place : best));
  ui.hover(surface, (place) => {
    hovered = place && placeAt(place.x);
    drawNumbers(ui.state());
  });
  const step = (by) => ({ at }) => {
    const i = places.indexOf(nearest(places, at)) + by;
    return { at: Math.round(places[Math.min(places.length - 1, Math.max(0, i))]) };
  };
  ui.keys(surface, { ArrowLeft: step(-1), ArrowRight: step(1), Home: step(-1e3), End: step(1e3) });

  const named = (place, measure) =>
    measure === "position" ? `position ${short(place)}` : `${short(place / results.about[0])} × ${results.about[0]} = ${short(place)} characters`;

  function drawPlot({ shown, measure, width, wide }) {
    const right = wide ? width - 132 : width - 10;
    put(drawing, { width });
    const every = results.curves.filter(({ name }) => tables.get(name).length);
    const curves = every.filter(({ name }) => shown.includes(name));
    places = [...new Set(every.flatMap(({ name }) => tables.get(name).map(([place]) => place)))].sort((a, b) => a - b);
    const last = places.at(-1);
    across = measure === "position" ? (place) => scale([0, far(last)], [LEFT, right])(far(place)) : (place) => scale([Math.log2(places[0]), Math.log2(last)], [LEFT + 14, right - 14])(Math.log2(place));
    Object.assign(surface.style, { left: `${LEFT}px`, top: `${TOP}px`, width: `${right - LEFT}px`, height: `${PLOT}px` });

    const losses = (curves.length ? curves : every).flatMap(({ name }) => tables.get(name).flatMap(([, , low, high]) => [low, high]));
    const [low, high] = [Math.min(...losses), Math.max(...losses)];
    const margin = 0.06 * (high - low || 1);
    up = scale([high + margin, low - margin], [TOP, TOP + PLOT]);
    const levels = ticks(low - margin, high + margin, 6);
    const digits = Math.max(1, Math.ceil(-Math.log10(levels[1] - levels[0]) - 1e-9));
    put(grid, { d: levels.map((level) => `M${LEFT},${up(level)}H${right}`).join("") });
    labels(lossTicks, levels.map((level) => fixed(level, digits)), (i) => ({ x: LEFT - 8, y: up(levels[i]), dy: "0.35em" }));
    const [length, , , entropy] = results.about;
    const byPosition = measure === "position";
    const marks = byPosition ? [0, 1, 4, 16, 64, 256, 1024].filter((place) => place <= last) : places;
    put(dashes, { d: marks.map((mark) => `M${across(mark)},${TOP + PLOT}v4`).join("") });
    labels(placeTicks, marks.map((mark) => (byPosition ? String(mark) : `${short(mark / length)}×`)), (i) => ({ x: across(marks[i]), y: TOP + PLOT + 17 }));
    say(words.place, byPosition ? "position, in characters" : `length, in training lengths of ${length} characters`);
    put(words.place, { x: (LEFT + right) / 2 });
    put(trainedAt, { d: byPosition ? `M${across(length)},${TOP}V${TOP + PLOT}` : NOTHING });
    say(words.trained, byPosition ? "trained length" : "");
    put(words.trained, { x: across(length) - 5, y: TOP + 11, "text-anchor": "end" });
    const inside = entropy > low - margin && entropy < high + margin;
    put(entropyAt, { d: inside ? `M${LEFT},${up(entropy)}H${right}` : NOTHING });
    say(words.entropy, inside ? "letter frequencies alone" : "");
    // where few curves are high: at the beginning, above the line if there is room
    put(words.entropy, { x: LEFT + 20, y: up(entropy) + (up(entropy) > TOP + 20 ? -6 : 14) });

    const drawn = curves.map(({ name }) => tables.get(name).map(([place, ...values]) => [across(place), ...values.map(up)]));
    const ends = wide ? apart(drawn.map((some) => some.at(-1)[1]), 14, TOP, TOP + PLOT) : [];
    for (const curve of results.curves) {
      const { band, path, marks, end } = rows.get(curve.name);
      const i = curves.indexOf(curve);
      const all = drawn[i] ?? [];
      put(band, { d: i < 0 ? NOTHING : `${line(all.map(([x, , lowest]) => [x, lowest]))}${line([...all].reverse().map(([x, , , highest]) => [x, highest])).replace("M", "L")}Z` });
      put(path, { d: i < 0 ? NOTHING : line(all) });
      put(marks, { d: all.filter((_, n) => !byPosition || n % 3 === 1).map(([x, y]) => marker(curve.marker, x, y)).join("") || NOTHING });
      put(end, { x: right + 8, y: ends[i] ?? 0 });
      say(end, i in ends ? curve.label : "");
    }
  }

  function drawNumbers({ shown, measure, at }) {
    const place = nearest(places, hovered ?? at);
    put(cursor, { d: `M${across(place)},${TOP}V${TOP + PLOT}` });
    const found = [];
    for (const curve of results.curves) {
      const point = tables.get(curve.name).find(([where]) => where === place);
      const { box, number } = rows.get(curve.name);
      box.checked = shown.includes(curve.name);
      say(number, point ? `${fixed(point[1], 3)} (${fixed(point[2], 3)}–${fixed(point[3], 3)})` : "not measured");
      if (point && box.checked) found.push([point[1], curve.label, point[3] - point[2]]);
    }
    found.sort((a, b) => a[0] - b[0]);
    const where = named(place, measure);
    if (!found.length) write(readout, `At ${where}: no curve that is shown was measured.`);
    else {
      const [best, worst] = [found[0], found.at(-1)];
      write(readout, `At ${where}: lowest `, strong(`${best[1]}, ${fixed(best[0], 3)}`),
        ...(found.length > 1 ? ["; highest ", strong(`${worst[1]}, ${fixed(worst[0], 3)}`)] : []), ".");
    }
    const spread = Math.max(0, ...found.map(([, , width]) => width));
    say(note, `Means of ${results.about[2]} seeds, with their range in brackets and as a band; widest range here ${fixed(spread, 3)}.`);
  }

  return (state, changed) => {
    results = state.results;
    const names = results.curves.map(({ name }) => name);
    const unknown = state.shown.filter((name) => !names.includes(name));
    if (unknown.length) throw new RangeError(`shown=${JSON.stringify(state.shown)}: must be some of ${names.map((name) => `'${name}'`).join(", ")}`);
    if (changed.has("results")) makeCurves(results);
    if (changed.has("results") || changed.has("measure"))
      tables = new Map(results.curves.map((curve) => [curve.name, points(results, curve, state.measure)]));
    if (["results", "shown", "measure", "width"].some((key) => changed.has(key))) drawPlot(state);
    hovered = null;
    drawNumbers(state);
  };
});
