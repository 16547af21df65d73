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
  for (let i = 0; i < frequencies.length; i++) {
    code[2 * i] = Math.sin(frequencies[i] * position);
    code[2 * i + 1] = Math.cos(frequencies[i] * position);
  }
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

/** ALiBi's slope of each head: m_h = 2^(-8h/n) for n a power of two; for others, those of the power of
 * two below come first, then every other one of the power above. */
export function alibiSlopes(heads) {
  const whole = 2 ** Math.floor(Math.log2(heads));
  return Float64Array.from({ length: heads }, (_, h) =>
    2 ** (h < whole ? (-8 * (h + 1)) / whole : (-8 * (2 * (h - whole) + 1)) / (2 * whole)));
}

/** What each token receives if it attends to all tokens equally, or to itself and those before it. */
export function uniformAttention(values, causal) {
  let sum = 0;
  const sums = values.map((value) => (sum += value));
  return sums.map((before, t) => (causal ? before / (t + 1) : sum / values.length));
}

/** Position interpolation: w'_i = w_i / s. */
export const linear = (w, factor) => w.map((x) => x / factor);

/** The base that divides the slowest pair by s and keeps the fastest: b s^(d/(d-2)). */
export const ntkBase = (base, dim, factor) => base * factor ** (dim / (dim - 2));

/** The base for a text of some length: it grows once the trained length is outgrown. */
export const dynamicNtkBase = (base, dim, factor, length, trained) =>
  ntkBase(base, dim, factor * Math.max(length / trained, 1) - (factor - 1));

/** YaRN: kept where a pair turns at least 32 times in training, divided where it turns at most once,
 * mixed between by a ramp in the pair's index. */
export function yarn(dim, factor, trained, { base = 10000, fast = 32, slow = 1, truncate = true } = {}) {
  const pairWithTurns = (r) => (dim * Math.log(trained / (2 * Math.PI * r))) / (2 * Math.log(base));
  let [low, high] = [pairWithTurns(fast), pairWithTurns(slow)];
  if (truncate) [low, high] = [Math.floor(low), Math.ceil(high)];
  const inside = (x, last) => Math.min(last, Math.max(0, x));
  [low, high] = [inside(low, dim - 1), inside(high, dim - 1)];
  return invFreq(dim, base).map((w, i) => {
    const ramp = inside((i - low) / (high - low || 1), 1);
    return (1 - ramp) * w + (ramp * w) / factor;
  });
}

/** The factor on cosines and sines that goes with YaRN. */
export const yarnAttentionFactor = (factor) => 0.1 * Math.log(factor) + 1;

/** Llama 3: kept above `high` turns in training, divided below `low`, mixed between by the turns. */
export function llama3(w, factor, low, high, trained) {
  return w.map((x) => {
    const kept = Math.min(1, Math.max(0, (turns(x, trained) - low) / (high - low)));
    return kept * x + ((1 - kept) * x) / factor;
  });
}

/** LongRoPE: every pair divided by its own factor. */
export const longrope = (w, factors) => w.map((x, i) => x / factors[i]);

/** The factor on cosines and sines that goes with LongRoPE. */
export const longropeAttentionFactor = (factor, trained) => Math.sqrt(1 + Math.log(factor) / Math.log(trained));

/** Whether a pair meets angles that training never showed, from its turns then and now. */
export const meetsNewAngles = (trained, now) => trained < 1 && now > trained * (1 + 1e-9);

/** Standard normal numbers that depend on the seed and the part alone: posenc/figures/draws.py says how. They
 * may begin with any that has an even number. */
export function normals(seed, part, count, first = 0) {
  let counter = (8 * seed + part + Math.imul(first, 0x6d2b79f5)) | 0;
  const uniform = () => {
    counter = (counter + 0x6d2b79f5) | 0;
    let mixed = Math.imul(counter ^ (counter >>> 15), counter | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    numbers[i] = radius * Math.cos(angle);
    if (i + 1 < count) numbers[i + 1] = radius * Math.sin(angle);
  }
  return numbers;
}

export const radians = (degrees) => (degrees * Math.PI) / 180;

/** A vector of the plane, turned anticlockwise. */
export const turned = ([x, y], angle) => [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];

/** The angle of a vector of the plane, from the x axis. */
export const angleOf = ([x, y]) => Math.atan2(y, x);
