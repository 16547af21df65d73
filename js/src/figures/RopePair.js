// One pair of RoPE in the plane: a query and a key, each turned by its position, and their product.

import { arc, circle, fixed, h, labels, line, paths, put, s, say, scale, strong, texts, write } from "../draw.js";
import { figure } from "../kit.js";
import { angleOf, degrees, dot, radians, turned } from "../math.js";
import { RopePair } from "../settings.js";

const QUERY = [0.95, 0.6];
const KEY = [0.3, 0.77];
const FARTHEST = 12; // the graph shows offsets from -12 to 12
const OFFSETS = Array.from({ length: 2 * FARTHEST + 1 }, (_, i) => i - FARTHEST);
const LAST = RopePair.query.high;
const LENGTHS = [QUERY, KEY].map((v) => Math.hypot(...v));
const STARTS = [QUERY, KEY].map(angleOf);
const WEDGE = 0.36; // radius of the shaded angle, in the units of the plane
const ARCS = [0.62, 0.5]; // radii at which the turns of query and key begin
const TURN = 0.05; // how much farther out the next full turn of an arc runs
const NARROW = 0.8; // radians below which an angle has no room for its name
const REST = 120; // milliseconds after which the handles follow what is drawn
const GLIDE = 240; // milliseconds in which a shift is shown

/** The product of the query, turned by an angle, and the key: what an offset of that angle scores. */
export const product = (angle) => dot(turned(QUERY, angle), KEY);

/** The angle from the key to the query, after turns by m and n times theta, between -pi and pi. */
export function angleBetween(m, n, theta) {
  const angle = STARTS[0] - STARTS[1] + (m - n) * theta;
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

const inside = (value, low, high) => Math.min(high, Math.max(low, value));

export default figure("RopePair", RopePair, (ui) => {
  const drawn = ["q", "k"].map((name) => {
    const parts = {
      ring: s("circle", { class: "pf-grid", cx: 0, cy: 0 }), arc: s("path", { class: "pf-arc" }), before: s("path", { class: "pf-before" }),
      after: s("path", { class: "pf-after" }), head: s("path", { class: "pf-head-of" }), name: s("text", { class: "pf-strong", dy: "0.35em", "text-anchor": "middle" }, name),
    };
    return { parts, element: s("g", { class: `pf-${name}` }, ...Object.values(parts)) };
  });
  const cross = s("path", { class: "pf-grid" });
  const wedge = s("path", { class: "pf-wedge" });
  const between = s("text", { class: "pf-strong pf-halo", dy: "0.35em", "text-anchor": "middle" });
  const caption = s("text", {}, "drag q or k; dashed: before");
  const plane = s("svg", { "aria-hidden": "true" }, cross, wedge, ...drawn.map(({ element }) => element), between, caption);

  const [grid, axes] = paths("pf-grid", "pf-axis");
  const [scoreTicks, offsetTicks] = texts("end", "middle");
  const [curve, drop] = [s("path", { class: "pf-curve" }), s("path", { class: "pf-drop" })];
  const points = s("path", { class: "pf-point" });
  const [zero, now] = [s("circle", { class: "pf-zero", r: 4.5 }), s("circle", { class: "pf-now", r: 6 })];
  const [zeroName, nowName] = [s("text", { class: "pf-halo" }), s("text", { class: "pf-strong" })];
  const [across, upwards] = [s("text", { "text-anchor": "middle" }, "m − n, query minus key"), s("text", { y: 12 }, "q·k after the rotation")];
  const graph = s("svg", { "aria-hidden": "true" }, grid, axes, scoreTicks, offsetTicks, drop, curve, points, zero, now, zeroName, nowName, across, upwards);
  const surface = h("div", {
    class: "pf-surface", tabindex: 0, role: "slider", "aria-label": "m − n, query minus key", "aria-valuemin": -FARTHEST, "aria-valuemax": FARTHEST,
  });
  const tips = ["q", "k"].map((name) => h("div", {
    class: "pf-tip", tabindex: 0, role: "slider", "aria-label": `Turn ${name}: its position`, "aria-valuemin": 0, "aria-valuemax": LAST,
  }));
  const [planeBox, graphBox] = [h("div", { class: "pf-stage" }, plane, ...tips), h("div", { class: "pf-stage" }, graph, surface)];
  const readout = ui.readout();
  const [queryWords, keyWords, angleWords] = [ui.note(), ui.note(), ui.note()];

  for (const words of [queryWords, keyWords]) words.classList.add("pf-turn");

  /** Both at once: what keeps the offset. */
  const shift = (by) => ({ query, key }) => {
    const most = inside(by, -Math.min(query, key), LAST - Math.max(query, key));
    return { query: query + most, key: key + most };
  };
  const shifts = [-10, -1, 1, 10].map((by) => {
    const button = ui.button(fixed(by, 0).replace(/^(?=\d)/, "+"), () => {
      gliding = true;
      ui.set(shift(by)(ui.state()));
    });
    return put(button, { "aria-label": `Shift both by ${fixed(by, 0)}` });
  });
  /** One token moves; the other comes along where the graph would end. */
  const follow = (value, other) => inside(other, value - FARTHEST, value + FARTHEST);
  const placed = { query: (query, { key }) => ({ query, key: follow(query, key) }), key: (key, { query }) => ({ key, query: follow(key, query) }) };
  ui.frame("One pair, turned by its position",
    h("div", { class: "pf-panels" }, planeBox, graphBox),
    readout, queryWords, keyWords, angleWords,
    h("div", { class: "pf-controls" },
      ui.slider("query", { label: "Query at m", change: placed.query }),
      ui.slider("key", { label: "Key at n", change: placed.key }),
      ui.slider("theta", { label: "Angle θ", step: 1, show: (theta) => `${Number(theta.toFixed(2))}°` }),
      h("div", { class: "pf-buttons" }, h("span", { class: "pf-hint" }, "Shift both"), ...shifts)));

  const toOffset = (offset) => ({ key }) => {
    const query = inside(key + inside(offset, -FARTHEST, FARTHEST), 0, LAST);
    return { query, key: inside(query - inside(offset, -FARTHEST, FARTHEST), 0, LAST) };
  };
  const step = (by) => (state) => toOffset(state.query - state.key + by)(state);
  ui.keys(surface, {
    ArrowLeft: step(-1), ArrowDown: step(-1), ArrowRight: step(1), ArrowUp: step(1), Home: toOffset(-FARTHEST), End: toOffset(FARTHEST),
  });
  /** The position near the present one at which a vector points in a direction. */
  const pointing = (i, position, direction, theta) => {
    const away = direction - STARTS[i] - position * theta;
    return inside(position + Math.round((away - 2 * Math.PI * Math.round(away / (2 * Math.PI))) / theta), 0, LAST);
  };
  tips.forEach((tip, i) => {
    const name = ["query", "key"][i];
    const to = (place) => (state) => placed[name](inside(place(state[name]), 0, LAST), state);
    ui.keys(tip, {
      ArrowLeft: to((p) => p - 1), ArrowDown: to((p) => p - 1), ArrowRight: to((p) => p + 1), ArrowUp: to((p) => p + 1), Home: to(() => 0), End: to(() => LAST),
    });
    ui.drag(tip, (x, y, { clientX, clientY }) => {
      const box = planeBox.getBoundingClientRect();
      const direction = angleOf([clientX - box.left - box.width / 2, box.top + box.height / 2 - clientY]);
      const state = ui.state();
      if (state.theta > 0) ui.set(to((p) => pointing(i, p, direction, radians(state.theta)))(state));
    });
  });
  let room, shown, timer, resting, gliding = false;
  ui.drag(surface, (x) => ui.set(toOffset(Math.round(room.offsetAt(x)))(ui.state())));
  ui.signal.addEventListener("abort", () => {
    cancelAnimationFrame(timer);
    clearTimeout(resting);
  });

  function drawRoom({ width, wide }) {
    const side = wide ? Math.min(300, (width - 24) / 2) : Math.min(300, width);
    const span = wide ? width - side - 24 : width;
    const height = wide ? side : 190;
    put(plane, { width: side, height: side, viewBox: `${-side / 2} ${-side / 2} ${side} ${side}` });
    put(planeBox, { style: `width:${side}px;height:${side}px` });
    put(caption, { x: -side / 2, y: side / 2 - 4 });
    put(graph, { width: span, height });
    put(graphBox, { style: `width:${span}px;height:${height}px` });
    const unit = side / 2 / 1.32;
    put(cross, { d: `M${-side / 2},0H${side / 2}M0,${-side / 2}V${side / 2}` });
    const x = scale([-FARTHEST, FARTHEST], [34, span - 10]);
    const y = scale([1, -1], [30, height - 42]);
    room = { unit, x, y, offsetAt: scale([34, span - 10], [-FARTHEST, FARTHEST]) };
    Object.assign(surface.style, { left: 0, top: "20px", width: `${span}px`, height: `${height - 40}px` });
    const [scores, offsets] = [[-1, 0, 1], [-12, -6, 0, 6, 12]];
    const level = (value) => `M${x(-FARTHEST)},${y(value)}H${x(FARTHEST)}`;
    const whole = (value) => fixed(value, 0);
    put(grid, { d: level(-1) + level(1) });
    put(axes, { d: level(0) + offsets.map((offset) => `M${x(offset)},${y(-1)}v5`).join("") });
    labels(scoreTicks, scores.map(whole), (i) => ({ x: 26, y: y(scores[i]), dy: "0.35em" }));
    labels(offsetTicks, offsets.map(whole), (i) => ({ x: x(offsets[i]), y: y(-1) + 18 }));
    put(across, { x: (x(-FARTHEST) + x(FARTHEST)) / 2, y: height - 4 });
    drawn.forEach(({ parts }, i) => put(parts.ring, { r: LENGTHS[i] * unit }));
  }

  /** The path of a turn: full circles, three at most, run one outside the other. */
  function sweep(radius, start, total) {
    const circles = Math.max(0, Math.floor(total / (2 * Math.PI)) - 2);
    const all = total - 2 * Math.PI * circles;
    const count = Math.max(1, Math.ceil(all / 0.1));
    return line(Array.from({ length: count + 1 }, (_, i) => {
      const angle = (all * i) / count;
      const r = room.unit * (radius + (TURN * angle) / (2 * Math.PI));
      return [r * Math.cos(start + angle), -r * Math.sin(start + angle)];
    }));
  }

  /** Draw the plane at positions, whole or between two. */
  function drawPlane({ positions, theta }) {
    const { unit } = room;
    shown = { positions, theta };
    const ends = positions.map((p, i) => STARTS[i] + p * theta);
    drawn.forEach(({ parts }, i) => {
      const length = LENGTHS[i] * unit;
      const at = (angle, r) => [r * Math.cos(angle), -r * Math.sin(angle)];
      put(parts.before, { d: line([[0, 0], at(STARTS[i], length)]) });
      put(parts.after, { d: line([[0, 0], at(ends[i], length - 6)]) });
      put(parts.head, { d: `${line([at(ends[i], length), at(ends[i] + 4.5 / length, length - 11), at(ends[i] - 4.5 / length, length - 11)])}Z` });
      put(parts.arc, { d: sweep(ARCS[i], STARTS[i], positions[i] * theta) });
      const [x, y] = at(ends[i], length + 13);
      put(parts.name, { x, y });
    });
    const angle = angleBetween(...positions, theta);
    const radius = WEDGE * unit;
    put(wedge, { d: `${arc(0, 0, radius, ends[1], ends[1] + angle)}L0,0Z` });
    const middle = ends[1] + angle / 2;
    const away = Math.abs(angle) > NARROW ? radius + 17 : -18; // a narrow angle is named from behind
    put(between, { x: away * Math.cos(middle), y: -away * Math.sin(middle) });
    say(between, `${fixed(Math.abs(degrees(angle)), 0)}°`);
  }

  /** Put the handles on the ends of the vectors. */
  function placeTips({ positions, theta }) {
    tips.forEach((tip, i) => {
      const [angle, r] = [STARTS[i] + positions[i] * theta, LENGTHS[i] * room.unit - 8];
      put(tip, { style: `transform:translate(${(r * Math.cos(angle)).toFixed(1)}px,${(-r * Math.sin(angle)).toFixed(1)}px)` });
    });
  }

  /** Turn on smoothly to the positions that the state has. */
  function glide(target) {
    const [from, begin] = [shown, performance.now()];
    cancelAnimationFrame(timer);
    const tick = (time) => {
      const share = Math.min(1, Math.max(0, (time - begin) / GLIDE));
      if (share < 1) timer = requestAnimationFrame(tick);
      drawPlane({ ...target, positions: target.positions.map((p, i) => from.positions[i] + (p - from.positions[i]) * share) });
    };
    timer = requestAnimationFrame(tick);
  }

  function drawCurve(theta) {
    const fine = Array.from({ length: 241 }, (_, i) => -FARTHEST + i / 10);
    put(curve, { d: line(fine.map((o) => [room.x(o), room.y(product(o * theta))])) });
    put(points, { d: OFFSETS.map((offset) => circle(room.x(offset), room.y(product(offset * theta)), 2.5)).join("") });
    put(zero, { cx: room.x(0), cy: room.y(product(0)) });
    say(zeroName, "before");
    put(zeroName, { x: room.x(0), y: room.y(product(0)) + 20, "text-anchor": "middle" });
  }

  function drawNow(offset, theta) {
    const value = product(offset * theta);
    const [x, y] = [room.x(offset), room.y(value)];
    put(now, { cx: x, cy: y });
    put(drop, { d: `M${x},${room.y(-1)}V${y}` });
    say(nowName, fixed(value, 3));
    const left = offset > FARTHEST - 4;
    put(nowName, { x: x + (left ? -10 : 10), y: y - 8, "text-anchor": left ? "end" : "start" });
    put(zeroName, { visibility: Math.abs(offset) < 1 ? "hidden" : "visible" });
    put(surface, { "aria-valuenow": offset, "aria-valuetext": `m − n is ${fixed(offset, 0)}: q·k is ${fixed(value, 3)}` });
    return value;
  }

  /** "2 × 26° = 52°" or "20 × 26° = 1 turn + 160°". */
  function turnOf(position, theta) {
    const total = position * theta;
    const angle = (value) => `${fixed(value, 2).replace(/\.?0+$/, "")}°`;
    const circles = Math.floor(total / 360);
    const whole = circles ? `${circles} turn${circles > 1 ? "s" : ""} + ` : "";
    return [`${position} × ${angle(theta)} = `, strong(whole + angle(total - 360 * circles))];
  }

  return (state, changed) => {
    const { query, key, theta: given } = state;
    if (Math.abs(query - key) > FARTHEST) throw new RangeError(`query=${query}: must be within ${FARTHEST} of key=${key}`);
    const theta = radians(given);
    const target = { positions: [query, key], theta };
    if (changed.has("width")) drawRoom(state);
    if (gliding && shown && !ui.still()) glide(target);
    else {
      cancelAnimationFrame(timer);
      drawPlane(target);
    }
    gliding = false;
    // To move a place that a finger can hold takes a browser long, and nobody looks for it while something else moves.
    clearTimeout(resting);
    if (tips.some((tip) => tip.matches(":focus"))) placeTips(target);
    else resting = setTimeout(placeTips, REST, target);
    if (changed.has("width") || changed.has("theta")) drawCurve(theta);
    const after = drawNow(query - key, theta);
    const low = Math.min(query, key) === 0;
    const high = Math.max(query, key) === LAST;
    shifts.forEach((button, i) => put(button, { "aria-disabled": i < 2 ? low : high }));
    write(readout,
      "m − n = ", strong(fixed(query - key, 0)), ": q·k before ", strong(fixed(product(0), 3)),
      ", after ", strong(fixed(after, 3)), ".");
    [query, key].forEach((position, i) => put(tips[i], { "aria-valuenow": position, "aria-valuetext": `position ${position}` }));
    write(queryWords, "q turned by ", ...turnOf(query, given));
    write(keyWords, "k turned by ", ...turnOf(key, given));
    const angle = angleBetween(query, key, theta);
    write(angleWords, "Angle between them ", strong(`${fixed(Math.abs(degrees(angle)), 1)}°`),
      `, before ${fixed(Math.abs(degrees(angleBetween(0, 0, 0))), 1)}°. Shift both, and it stays.`);
  };
});
