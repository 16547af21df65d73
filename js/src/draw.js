// Elements, numbers as words, scales and colours: what every figure draws with.

import { ticks } from "d3-array";
import { DIVERGING, SEQUENTIAL } from "./palette.js";

export { ticks };

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element: h("p", { class: "pf-note" }, "text", child). */
export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/** An SVG element. */
export const s = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** A drawing, on a sheet that is not seen: an outline that grows would make a browser order its layers anew. */
export const sheet = (attributes, ...parts) =>
  s("svg", { "aria-hidden": "true", ...attributes }, s("rect", { class: "pf-sheet", width: "100%", height: "100%" }), ...parts);

/** What `put` has set on an element: to ask the element would take as long as to set it. */
const given = new WeakMap();

/** Set attributes that changed; what is the same is not touched. */
export function put(element, attributes) {
  let known = given.get(element);
  if (!known) given.set(element, (known = {}));
  for (const name in attributes) {
    const value = attributes[name];
    if (known[name] === value) continue;
    known[name] = value;
    element.setAttribute(name, value);
  }
  return element;
}

/** Set an element's words if they changed: those of its text, since a new node would be styled anew. */
export function say(element, words) {
  const text = element.firstChild;
  if (!text || text.nextSibling || text.nodeType !== Node.TEXT_NODE) element.textContent = words;
  else if (text.data !== words) text.data = words;
}

/** Words that stand out in a line. */
export const strong = (words) => ({ words });

/** Fill a line with words, some of them strong: write(line, "cosine ", strong("0.94")). What stands there already
 * gets new text, since new elements would be styled anew. */
export function write(line, ...parts) {
  while (line.childNodes.length > parts.length) line.lastChild.remove();
  let old = line.firstChild;
  for (const part of parts) {
    const words = part.words ?? part;
    const name = part === words ? "#text" : "STRONG";
    if (old?.nodeName !== name) {
      const node = part === words ? document.createTextNode(words) : h("strong", {}, words);
      if (old) old.replaceWith(node);
      else line.append(node);
      old = node;
    } else if (part === words) {
      if (old.data !== words) old.data = words;
    } else say(old, words);
    old = old.nextSibling;
  }
}

const lists = new WeakMap();

/** Keep `parent` filled with `count` children made by `make(i)`; returns them. */
export function list(parent, count, make) {
  let children = lists.get(parent);
  if (!children) lists.set(parent, (children = []));
  while (children.length > count) children.pop().remove();
  while (children.length < count) {
    children.push(make(children.length));
    parent.append(children.at(-1));
  }
  return children;
}

/** Paths of some looks, by the names of their classes. */
export const paths = (...looks) => looks.map((look) => s("path", { class: look }));

/** Texts for `labels`, whose places are the "start", the "middle" or the "end" of their words. */
export const texts = (...anchors) => anchors.map((anchor) => s("text", { "text-anchor": anchor }));

/** Fill a text with words at several places, as along an axis: placeOf(i) says where. A browser lays one text out
 * faster than many; words that are not needed are empty, since new ones would be dear. */
export function labels(text, words, placeOf) {
  list(text, Math.max(words.length, text.childElementCount), () => s("tspan")).forEach((part, i) => {
    if (i < words.length) put(part, placeOf(i));
    say(part, words[i] ?? "");
  });
}

/** A number with a fixed number of digits, a real minus sign, and no negative zero. */
export function fixed(value, digits = 2) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A whole number with its thousands apart: 47 100. */
export const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** A number in at most three significant digits, with thousands apart: 19.9, 628, 47 100. */
export function short(value) {
  if (!Number.isFinite(value)) return "∞";
  const rounded = Number(value.toPrecision(3));
  return (Math.abs(rounded) >= 1e4 ? grouped(rounded) : String(rounded)).replace("-", "−");
}

/** A linear scale from [a, b] to [c, d]. */
export function scale([a, b], [c, d]) {
  const slope = (d - c) / (b - a || 1);
  return (value) => c + (value - a) * slope;
}

export const pixel = (value) => Math.round(value * 10) / 10;
const hundredth = (value) => Math.round(value * 100) / 100;

/** A path that shows nothing. With an empty one there is an element less, and a browser orders its layers anew. */
export const NOTHING = "M9,9h0";

/** The path of a line through points [[x, y], ...]. */
export function line(points) {
  let path = "";
  for (const [x, y] of points) path += `${path && "L"}${pixel(x)},${pixel(y)}`;
  return path && `M${path}`;
}

/** The path of a circle. Marks of one look are one path: each element more takes a slow machine longer. */
export const circle = (x, y, r) => `M${pixel(x - r)},${pixel(y)}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0`;

/** The path of a rectangle with corners of radius r. */
export function box(x, y, width, height, r = 0) {
  const corner = (right, down) => (r ? `a${r},${r} 0 0 1 ${right * r},${down * r}` : "");
  const [across, along] = [hundredth(width - 2 * r), hundredth(height - 2 * r)];
  return `M${hundredth(x + r)},${hundredth(y)}h${across}${corner(1, 1)}v${along}${corner(-1, 1)}h${-across}${corner(-1, -1)}v${-along}${corner(1, -1)}z`;
}

/** The path of an arc around (x, y), from one angle to another in radians, anticlockwise as in the lessons. */
export function arc(x, y, radius, from, to) {
  const point = (angle) => `${pixel(x + radius * Math.cos(angle))},${pixel(y - radius * Math.sin(angle))}`;
  const [large, clockwise] = [Math.abs(to - from) > Math.PI, to < from].map(Number);
  return `M${point(from)}A${radius},${radius} 0 ${large} ${clockwise} ${point(to)}`;
}

/** Round numbers from 0 to last, at most about `count` of them. */
export const wholeTicks = (last, count) => ticks(0, last, Math.max(1, count)).filter(Number.isInteger);

const channels = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));

/** Where t in 0..1 lies among stops: after which, and what share of the way to the next. */
function placeAmong(stops, t) {
  const place = Math.min(1, Math.max(0, t)) * (stops.length - 1);
  const after = Math.min(stops.length - 2, Math.floor(place));
  return { after, share: place - after };
}

/** Red, green and blue at t among stops. */
function between(stops, t) {
  const { after, share } = placeAmong(stops, t);
  const next = channels(stops[after + 1]);
  return channels(stops[after]).map((from, i) => from + (next[i] - from) * share);
}

/** The colour at t among the variables --pf-{name}0, --pf-{name}1, ...: it follows the theme. */
function mix(name, { light }, t) {
  const { after, share } = placeAmong(light, t);
  return `color-mix(in srgb, var(--pf-${name}${after + 1}) ${(100 * share).toFixed(1)}%, var(--pf-${name}${after}))`;
}

/** Black or white, whichever is easier to read on a colour: one of them always has a contrast above 4.5. */
function inkOn(rgb) {
  const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

/** The inks of a number on its colour; the style sheet picks that of the theme. */
const inks = (map, t) => `--pf-on-light:${inkOn(between(map.light, t))};--pf-on-dark:${inkOn(between(map.dark, t))};`;

/** The style of a cell with a number on its colour. */
const cellStyle = (name, map, t) => `background:${mix(name, map, t)};${inks(map, t)}`;

/** The colour of a signed value: blue below zero, orange above. */
export const signedColor = (value, largest = 1) => mix("d", DIVERGING, (value / largest + 1) / 2);

/** The colour of an amount. */
export const amountColor = (value, largest = 1) => mix("s", SEQUENTIAL, value / largest);

/** The style of a cell of class pf-number that shows a signed value. */
export const signedCell = (value, largest = 1) => cellStyle("d", DIVERGING, (value / largest + 1) / 2);

/** The style of a number of class pf-number on the colour of a signed value. */
export const signedInks = (value, largest = 1) => inks(DIVERGING, (value / largest + 1) / 2);

/** The style of a cell of class pf-number that shows an amount. */
export const amountCell = (value, largest = 1) => cellStyle("s", SEQUENTIAL, value / largest);

/** 257 colours of the signed map as numbers for a canvas, in the light theme: the style sheet turns
 * canvases of class pf-map over on a dark page. */
export const SIGNED = Uint32Array.from({ length: 257 }, (_, i) => {
  const [r, g, b] = between(DIVERGING.light, i / 256).map(Math.round);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
});

/** The colour of a value in -1..1 in a canvas of class pf-map. */
export const signedInk = (value) => `rgb(${between(DIVERGING.light, (value + 1) / 2).map(Math.round)})`;

/** Paint rows of signed values into a canvas, one pixel each; the style sheet stretches it. Those beyond the
 * largest have its colour. */
export function paint(canvas, rows, largest = 1) {
  const height = rows.length;
  const width = rows[0].length;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  let at = 0;
  for (const row of rows) for (const value of row) pixels[at++] = SIGNED[Math.round(128 * Math.min(2, Math.max(0, value / largest + 1)))];
  context.putImageData(image, 0, 0);
}
