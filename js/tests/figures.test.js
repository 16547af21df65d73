// What the figures compute beyond the formulas.

import assert from "node:assert/strict";
import { test } from "node:test";

import { closestSoFar } from "../src/figures/Clocks.js";
import { compute } from "../src/figures/OrderProblem.js";
import { codeDistance, invFreq } from "../src/math.js";

const ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

const difference = (a, b) => Math.max(...a.flat().map((value, i) => Math.abs(value - b.flat()[i])));

test("without positions the weights follow the words, in every order", () => {
  for (const order of ORDERS)
    assert.ok(difference(compute([0, 1, 2], false).weights, compute(order, false).weights) < 1e-12);
});

test("with positions they do so in the first order only", () => {
  for (const order of ORDERS) {
    const apart = difference(compute([0, 1, 2], true).weights, compute(order, true).weights);
    assert.equal(apart > 0.1, order.join() !== "0,1,2");
  }
});

test("rows of weights sum to 1", () => {
  for (const row of compute([2, 0, 1], true).weights)
    assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 1e-12);
});

test("the closest two so far are the closest of all offsets so far", () => {
  for (const dim of [2, 4, 16]) {
    const w = invFreq(dim);
    const closest = closestSoFar(w, 400);
    for (const position of [1, 43, 44, 400]) {
      const distances = Array.from({ length: position }, (_, k) => codeDistance(k + 1, w));
      assert.equal(closest[position].distance, Math.min(...distances));
      assert.equal(closest[position].offset, 1 + distances.indexOf(closest[position].distance));
    }
  }
});
