// The JavaScript formulas against posenc's values.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as math from "../src/math.js";
import { close } from "./close.js";

const golden = JSON.parse(readFileSync(new URL("../../tests/golden/js/formulas.json", import.meta.url), "utf8"));

for (const { dim, base, ...expected } of golden.codes)
  test(`codes at d=${dim}, base ${base}`, () => {
    const w = math.invFreq(dim, base);
    close(w, expected.inv_freq, "frequencies");
    close(Array.from(w, math.wavelength), expected.wavelengths, "wavelengths");
    close(Array.from(w, (x) => math.turns(x, 44)), expected.turns, "turns");
    close(expected.positions.map((p) => [...math.sinusoidal(p, w)]), expected.codes, "codes");
    close(expected.offsets.map((k) => math.similarity(k, w)), expected.similarity, "similarity");
    close(expected.offsets.map((k) => math.codeDistance(k, w)), expected.distance, "distance");
  });

test("attention weights", () => {
  close(math.attentionWeights(golden.attention.tokens), golden.attention.weights, "weights");
});

test("softmax gives minus infinity the weight 0", () => {
  assert.deepEqual(math.softmax([0, 0, -Infinity]), [0.5, 0.5, 0]);
});

test("an angle survives a cosine that rounding pushed past 1", () => {
  assert.equal(math.angle(1 + 1e-15), 0);
  assert.ok(Math.abs(math.angle(0.5) - 60) < 1e-12);
});
