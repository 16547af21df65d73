// The formulas of posenc that the figures need, in the lessons' letters. Golden vectors hold the two
// together: js/tests/math.test.js and tests/figures/test_golden.py.

/** Angular frequency of every pair, in radians per position: w_i = base^(-2i/d). */
export function invFreq(dim, base = 10000) {
  return Float64Array.from({ length: dim / 2 }, (_, i) => base ** ((-2 * i) / dim));
}

/** Positions per turn. */
export const wavelength = (w) => (2 * Math.PI) / w;

/** Turns made within a length. */
export const turns = (w, length) => (length * w) / (2 * Math.PI);

/** The sinusoidal code of a position: sine and cosine of each pair, next to each other. */
export function sinusoidal(position, frequencies) {
  const code = new Float64Array(2 * frequencies.length);
  frequencies.forEach((w, i) => {
    code[2 * i] = Math.sin(w * position);
    code[2 * i + 1] = Math.cos(w * position);
  });
  return code;
}

/** The cosine of two codes that are an offset apart: the mean of cos(w_i k). */
export function similarity(offset, frequencies) {
  let sum = 0;
  for (const w of frequencies) sum += Math.cos(w * offset);
  return sum / frequencies.length;
}

/** The distance of two codes that are an offset apart: each pair contributes a chord of its circle. */
export function codeDistance(offset, frequencies) {
  let sum = 0;
  for (const w of frequencies) sum += Math.sin((w * offset) / 2) ** 2;
  return 2 * Math.sqrt(sum);
}

export const degrees = (radians) => (radians * 180) / Math.PI;

/** The angle of a cosine, in degrees; rounding may have pushed the cosine past 1. */
export const angle = (cosine) => degrees(Math.acos(Math.min(1, Math.max(-1, cosine))));

export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Positive numbers that sum to 1, in the proportions exp(x); minus infinity gets 0. */
export function softmax(row) {
  const largest = Math.max(...row);
  const exponentials = row.map((x) => Math.exp(x - largest));
  const sum = exponentials.reduce((a, b) => a + b);
  return exponentials.map((x) => x / sum);
}

/** Attention weights of rows that are their own queries and keys: softmax(X X^T / sqrt(d)). */
export function attentionWeights(rows) {
  const scale = Math.sqrt(rows[0].length);
  return rows.map((q) => softmax(rows.map((k) => dot(q, k) / scale)));
}
