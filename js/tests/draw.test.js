// Numbers in words, paths and colours: what needs no page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { amountCell, arc, box, fixed, line, scale, short, SIGNED, signedCell, signedInk, wholeTicks } from "../src/draw.js";
import { DIVERGING, SEQUENTIAL } from "../src/palette.js";

test("a fixed number has a real minus sign and no negative zero", () => {
  assert.equal(fixed(-0.7568), "−0.76");
  assert.equal(fixed(-0.004), "0.00");
  assert.equal(fixed(-2, 0), "−2");
});

test("a short number has three digits, and thousands apart", () => {
  assert.deepEqual([19.869, 628.3, 0.01234, 47117.2, 1e6, -3.14159, Infinity].map(short),
    ["19.9", "628", "0.0123", "47\u202f100", "1\u202f000\u202f000", "−3.14", "∞"]);
});

test("a scale maps its ends, and survives a domain of one point", () => {
  const x = scale([0, 10], [100, 200]);
  assert.deepEqual([0, 5, 10, -1].map(x), [100, 150, 200, 90]);
  assert.equal(scale([3, 3], [5, 9])(3), 5);
});

test("a box comes back to where it began, with round corners too", () => {
  assert.equal(box(1, 2, 30, 20), "M1,2h30v20h-30v-20z");
  assert.equal(box(1, 2, 30, 20, 4), "M5,2h22a4,4 0 0 1 4,4v12a4,4 0 0 1 -4,4h-22a4,4 0 0 1 -4,-4v-12a4,4 0 0 1 4,-4z");
});

test("ticks of positions are whole", () => {
  assert.deepEqual(wholeTicks(23, 7), [0, 5, 10, 15, 20]);
  assert.deepEqual(wholeTicks(1, 7), [0, 1]);
});

test("a line goes through its points", () => {
  assert.equal(line([[0, 1], [2.04, 3.06], [4, 5]]), "M0,1L2,3.1L4,5");
});

test("an arc turns anticlockwise, as angles in the lessons do", () => {
  assert.equal(arc(0, 0, 10, 0, Math.PI / 2), "M10,0A10,10 0 0 0 0,-10");
  assert.equal(arc(0, 0, 10, 0, 1.5 * Math.PI), "M10,0A10,10 0 1 0 0,10");
});

const luminance = (color) => {
  const [r, g, b] = color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

function colorAt(stops, t) {
  const place = t * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(place));
  const channel = (color, c) => parseInt(color.slice(1 + 2 * c, 3 + 2 * c), 16);
  return [0, 1, 2].map((c) => channel(stops[i], c) + (channel(stops[i + 1], c) - channel(stops[i], c)) * (place - i));
}

test("a number can be read on its colour, in light and in dark", () => {
  for (let n = 0; n <= 200; n++) {
    const t = n / 200;
    for (const [style, map] of [[signedCell(2 * t - 1), DIVERGING], [amountCell(t), SEQUENTIAL]])
      for (const theme of ["light", "dark"]) {
        const ink = style.match(new RegExp(`--pf-on-${theme}:(#\\w+)`))[1] === "#fff" ? 1 : 0;
        const ground = luminance(colorAt(map[theme], t));
        const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
        assert.ok(contrast >= 4.5, `${theme} ${t}: ${contrast}`);
      }
  }
});

test("zero is white on a canvas, and both ends have their colour", () => {
  assert.equal(SIGNED[128].toString(16), "ffffffff");
  assert.equal(signedInk(0), "rgb(255,255,255)");
  assert.equal(signedInk(1), "rgb(156,74,0)");
  assert.equal(signedInk(-1), "rgb(31,63,156)");
});
