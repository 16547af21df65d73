// What the figures about scores compute, against posenc's values.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { makeSchemes, measure, spreadWords, t5Bucket } from "../src/figures/CompareSchemes.js";
import { angleBetween, product } from "../src/figures/RopePair.js";
import { contents, prepare, sharesOf, termsOf } from "../src/figures/ScoreTerms.js";
import { degrees, normals, radians } from "../src/math.js";
import { close } from "./close.js";

const golden = JSON.parse(readFileSync(new URL("../../tests/golden/js/scores.json", import.meta.url), "utf8"));

test("draws", () => {
  for (const { seed, part, normals: expected } of golden.draws)
    close(normals(seed, part, expected.length), expected, `draw ${seed}, part ${part}`);
});

test("a longer draw begins with the shorter one", () => {
  close(normals(3, 1, 9).slice(0, 4), [...normals(3, 1, 4)], "beginning");
});

test("a draw may begin further on", () => {
  close(normals(3, 1, 5, 3000), [...normals(3, 1, 3005).slice(3000)], "end");
});

test("T5's buckets", () => {
  assert.deepEqual(golden.buckets.map((_, i) => t5Bucket(i - 130)), golden.buckets);
});

for (const { settings, found } of golden.compared) {
  const { dim, seed, offsets, first, second, third } = settings;
  const schemes = makeSchemes(dim, seed);
  for (const [name, expected] of Object.entries(found))
    test(`${name} at d=${dim}, draw ${seed}`, () => {
      const { curves, range, spread, ratio } = measure(schemes[name], [first, second, third], offsets);
      const every = Math.max(1, Math.floor(offsets / 8));
      close(curves.flatMap((curve) => curve.filter((_, o) => o % every === 0)), expected.curves.flat(), "curves");
      close([range, spread, ratio], [expected.range, expected.spread, expected.ratio], "range, spread, ratio");
    });
}

for (const { settings, shares, cells } of golden.terms) {
  const { weights, norm, scale, seed } = settings;
  test(`terms at ${weights} weights, norm ${norm}, scale ${scale}`, () => {
    const prepared = prepare(contents(seed), weights, seed);
    const found = sharesOf(prepared, norm, scale);
    close(["offset", "anchor", "interaction"].map((name) => found[name]), [shares.offset, shares.anchor, shares.interaction], "shares");
    const some = termsOf(prepared, norm, scale).map((map) => // 40 tokens
      map.filter((_, cell) => Math.floor(cell / 40) % 13 === 0 && (cell % 40) % 9 === 0));
    close(some.flatMap((map) => [...map]), cells.flat(2), "cells");
  });
}

for (const { theta, curve } of golden.pairs)
  test(`a pair turned by ${theta} degrees a position`, () => {
    close(curve.map((_, i) => product(radians(theta) * (i - 12))), curve, "curve");
  });

test("the angle between query and key depends on the offset alone", () => {
  const theta = radians(26);
  assert.ok(Math.abs(angleBetween(2, 0, theta) - angleBetween(112, 110, theta)) < 1e-12);
  assert.ok(Math.abs(degrees(angleBetween(0, 0, theta)) + 36.44) < 0.01, "the key lies anticlockwise of the query");
});

test("a spread of rounding is shown as what it is", () => {
  assert.equal(spreadWords(0), "0");
  assert.equal(spreadWords(2.9e-15), "2.9·10⁻¹⁵");
  assert.equal(spreadWords(1.86), "1.86");
});
