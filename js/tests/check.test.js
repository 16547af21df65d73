// Settings are refused as Python refuses them: with name, value and what is allowed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { check } from "../src/check.js";
import * as settings from "../src/settings.js";

const { dim, base } = settings.Fingerprint;

test("a whole number in its range is taken", () => {
  assert.equal(check("dim", 16, dim), 16);
  assert.equal(check("base", 10.5, base), 10.5);
});

for (const value of [5, 2, 130, 16.5, "16", null, undefined, NaN, true])
  test(`dim=${value} is refused`, () => {
    assert.throws(() => check("dim", value, dim), (error) =>
      error.message.startsWith("dim=") && error.message.endsWith("must be an even number from 4 to 128"));
  });

test("every kind of setting is known", () => {
  for (const [figure, specs] of Object.entries(settings))
    for (const [name, spec] of Object.entries(specs))
      assert.throws(() => check(name, Symbol.iterator, spec), /must be/, `${figure}.${name}`);
});

test("orders, flags and choices", () => {
  const { order, position } = settings.OrderProblem;
  assert.deepEqual(check("order", [2, 0, 1], order), [2, 0, 1]);
  for (const bad of [[0, 1], [0, 1, 1], [1, 2, 3], "012"]) assert.throws(() => check("order", bad, order), /the numbers 0 to 2/);
  assert.throws(() => check("position", 1, position), /position=1: must be true or false/);
});

test("questions and answers", () => {
  const { questions, answers } = settings.Quiz;
  const good = { question: "Q?", options: ["a", "b"], right: 1, explanations: ["no", "yes"] };
  check("questions", [good], questions);
  for (const change of [{ right: 2 }, { options: ["a"] }, { explanations: ["no"] }, { question: "" }])
    assert.throws(() => check("questions", [{ ...good, ...change }], questions), /a list of questions/);
  check("answers", [0, -1], answers);
  for (const bad of [[-2], [0.5], 0]) assert.throws(() => check("answers", bad, answers), /or -1 for none/);
});
