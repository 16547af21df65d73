// Slopes, equal attention and context extension against posenc's values.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { attentionFactor, frequencies } from "../src/figures/FrequencySpectrum.js";
import * as math from "../src/math.js";
import { MODELS } from "../src/models.js";
import { close } from "./close.js";

const golden = JSON.parse(readFileSync(new URL("../../tests/golden/js/extension.json", import.meta.url), "utf8"));

test("ALiBi's slopes for 1 to 40 heads", () => {
  golden.slopes.forEach((slopes, i) => close(math.alibiSlopes(i + 1), slopes, `${i + 1} heads`));
});

test("equal attention with and without a mask", () => {
  for (const { values, causal, received } of golden.equal) close(math.uniformAttention(values, causal), received, `causal ${causal}`);
});

for (const { dim, base, trained, factor, target, truncate, factors, ...expected } of golden.extensions)
  test(`extensions at d=${dim}, base ${base}, length ${trained}, factor ${factor}`, () => {
    const w = math.invFreq(dim, base);
    // Frequencies against the largest of them would hide the slow pairs: compare what became of each.
    const ratio = (scaled) => Array.from(scaled, (x, i) => x / w[i]);
    close(ratio(math.linear(w, factor)), expected.linear, "linear");
    close([math.ntkBase(base, dim, factor) / base], [expected.ntk_base], "NTK base");
    close([math.dynamicNtkBase(base, dim, factor, target, trained) / base], [expected.dynamic_ntk_base], "dynamic NTK base");
    close(ratio(math.yarn(dim, factor, trained, { base, truncate })), expected.yarn, "YaRN");
    close(ratio(math.llama3(w, factor, 1, 4, trained)), expected.llama3, "Llama 3");
    close(ratio(math.longrope(w, factors)), expected.longrope, "LongRoPE");
    close([math.yarnAttentionFactor(factor), math.longropeAttentionFactor(factor, trained)], expected.attention_factors, "attention factors");
  });

for (const { settings, ...expected } of golden.spectra) {
  const { model, method, factor, target } = settings;
  test(`spectrum of ${model}, ${method}, factor ${factor}, ${target} positions`, () => {
    const about = MODELS[model];
    const made = Array.from(frequencies(about, method, factor, target), (w) => math.turns(w, target));
    // As a share of what is expected: the slow pairs count as much as the fast ones.
    const some = made.filter((_, i) => i % 8 === 0);
    close(some.map((turned, i) => turned / expected.turns[i]), some.map(() => 1), "turns");
    const trained = Array.from(math.invFreq(about.dim, about.base), (w) => math.turns(w, about.trained));
    assert.equal(made.filter((turned, i) => math.meetsNewAngles(trained[i], turned)).length, expected.new);
    close([attentionFactor(about, method, factor)], [expected.attention_factor], "attention factor");
  });
}
