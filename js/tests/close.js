import assert from "node:assert/strict";

/** Equal within 1e-12 of the larger of 1 and the value. */
export function close(actual, expected, label) {
  const [a, b] = [[...actual].flat(), expected.flat()];
  assert.equal(a.length, b.length, label);
  a.forEach((value, i) =>
    assert.ok(Math.abs(value - b[i]) <= 1e-12 * Math.max(1, Math.abs(b[i])), `${label}[${i}]: ${value} is not ${b[i]}`));
}
