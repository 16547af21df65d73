// The pairs of a model before and after an extension of its context: turns made, and the score curve.

import { circle, fixed, grouped, h, labels, line, NOTHING, paths, pixel, put, s, say, scale, short, strong, texts, write } from "../draw.js";
import { figure } from "../kit.js";
import * as math from "../math.js";
import { METHODS, MODELS } from "../models.js";
import { FrequencySpectrum } from "../settings.js";

const LEFT = 46;
const TOP = 22;
const SPECTRUM = 250; // height of the spectrum
const SCORES = 124; // height of the score curve
const BELOW = TOP + SPECTRUM + 64; // where the score curve begins
const HEIGHT = BELOW + SCORES + 38;
// The distances of the score curve: all whole numbers at first, then 80 in each power of ten.
const DISTANCES = [...new Set(Array.from({ length: 80 * Math.ceil(Math.log10(FrequencySpectrum.target.high)) + 1 }, (_, i) => Math.round(10 ** (i / 80))))];

/** Frequencies with a method. */
export function frequencies({ dim, base, trained, truncate, lists }, method, factor, target) {
  const plain = math.invFreq(dim, base);
  switch (method) {
    case "linear": return math.linear(plain, factor);
    case "ntk": return math.invFreq(dim, math.ntkBase(base, dim, factor));
    case "dynamic": return math.invFreq(dim, math.dynamicNtkBase(base, dim, factor, target, trained));
    case "yarn": return math.yarn(dim, factor, trained, { base, truncate });
    case "llama3": return math.llama3(plain, factor, 1, 4, trained);
    case "longrope": return math.longrope(plain, lists[target > trained ? "long" : "short"]);
    default: return plain;
  }
}

/** The factor that a method puts on cosines and sines. */
export function attentionFactor({ trained }, method, factor) {
  if (method === "yarn") return math.yarnAttentionFactor(factor);
  return method === "longrope" ? math.longropeAttentionFactor(factor, trained) : 1;
}

const name = (method) => METHODS[method];
/** A power of ten, short enough for an axis. */
const power = (exponent) => (exponent < 0 ? String(Number((10 ** exponent).toPrecision(1))) : `1${"0".repeat(exponent % 3)}${["", "k", "M"][Math.floor(exponent / 3)]}`);
const capable = (method, model) => method !== "longrope" || "long" in MODELS[model].lists;

export default figure("FrequencySpectrum", FrequencySpectrum, (ui) => {
  const hatch = ui.unique();
  const [turnGrid, scoreGrid] = paths("pf-grid", "pf-grid");
  const [unseen, trainedLine, oneTurn, cursor] = paths("pf-unseen", "pf-trained", "pf-one", "pf-cursor");
  const [moved, beforeDots, seenDots, newDots] = paths("pf-moved", "pf-before", "pf-seen", "pf-new");
  const [zero, trainedAt, plainCurve, curve] = paths("pf-axis", "pf-trained-at", "pf-plain-curve", "pf-curve");
  unseen.setAttribute("fill", `url(#${hatch})`);
  const text = (words, anchor = "start") => s("text", { "text-anchor": anchor }, words);
  const [turnTicks, pairTicks, scoreTicks, distanceTicks] = texts("end", "middle", "end", "middle");
  const words = {
    turns: text("turns made"), pair: text("pair, from fast to slow", "middle"), one: text("one turn", "end"), never: text("angles never seen", "end"),
    sum: text("sum of cosines of all pairs"), distance: text("distance, in positions", "middle"), trained: text("trained length", "end"),
  };
  const drawing = s("svg", { height: HEIGHT, "aria-hidden": "true" },
    s("defs", {}, s("pattern", { id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, s("path", { class: "pf-hatch", d: "M0,0v6" }))),
    turnGrid, turnTicks, pairTicks, unseen, oneTurn, cursor, moved, trainedLine, beforeDots, seenDots, newDots,
    scoreGrid, scoreTicks, distanceTicks, zero, trainedAt, plainCurve, curve, ...Object.values(words));
  const surface = h("div", {
    class: "pf-surface", tabindex: 0, role: "application", "aria-roledescription": "chart",
    "aria-label": "Pairs: the left and right arrow keys choose one",
  });
  const stage = h("div", { class: "pf-stage", style: `height:${HEIGHT}px` }, drawing, surface);

  const sign = (...parts) => s("svg", { width: 18, height: 12, "aria-hidden": "true" }, ...parts);
  const entries = [
    [sign(s("path", { class: "pf-trained", d: "M0,6h18" })), "in training"],
    [sign(s("circle", { class: "pf-before", cx: 9, cy: 6, r: 3 })), "at the wanted length, unchanged"],
    [sign(s("circle", { class: "pf-seen", cx: 9, cy: 6, r: 3.5 })), "with the method"],
    [sign(s("path", { class: "pf-new", d: "M5.5,2.5l7,7m0,-7l-7,7" })), "angles never seen"],
  ];
  const [readout, fate, pairWords, scoreWords] = [ui.readout(), ui.note(), ui.note(), ui.note()];
  pairWords.classList.add("pf-long");

  ui.frame("Angles seen and never seen",
    ui.choices("model", {
      label: "Model", options: Object.keys(MODELS).map((model) => [model, model]),
      change: (model, { pair }) => {
        const { dim, method, factor, target } = MODELS[model];
        return { model, method, factor, target, pair: Math.min(pair, dim / 2 - 1) };
      },
    }),
    ui.choices("method", { label: "Method", options: Object.entries(METHODS), offered: (method, { model }) => capable(method, model) }),
    h("div", { class: "pf-key" }, ...entries.map(([picture, meaning]) => h("span", {}, picture, meaning))),
    stage, readout, fate, pairWords, scoreWords,
    h("div", { class: "pf-controls" },
      ui.slider("factor", { label: "Factor s", ratio: 2 ** (1 / 4), show: short }),
      ui.slider("target", { label: "Wanted length", ratio: 2 ** (1 / 4), show: grouped }),
      ui.slider("pair", { label: "Pair", max: ({ model }) => MODELS[model].dim / 2 - 1 })));

  const plains = {}; // the frequencies of each model that was chosen
  const scores = new WeakMap(); // of frequencies: sums of their cosines at the first of DISTANCES
  let model, plain, now, trained, before, after, fresh, x, y, room, axis;
  const count = () => plain.length;
  const clamp = (pair) => Math.min(count() - 1, Math.max(0, pair));
  ui.drag(surface, (at) => ui.set({ pair: clamp(Math.floor((at / (room - LEFT)) * count())) }));
  ui.keys(surface, {
    ArrowLeft: ({ pair }) => ({ pair: clamp(pair - 1) }), ArrowRight: ({ pair }) => ({ pair: clamp(pair + 1) }),
    PageDown: ({ pair }) => ({ pair: clamp(pair - 10) }), PageUp: ({ pair }) => ({ pair: clamp(pair + 10) }),
    Home: () => ({ pair: 0 }), End: () => ({ pair: count() - 1 }),
  });

  function compute({ model: chosen, method, factor, target }) {
    plain = plains[chosen] ??= math.invFreq(model.dim, model.base);
    const wanted = frequencies(model, method, factor, target);
    if (String(wanted) !== String(now)) now = wanted; // what is the same stays, with what has been computed of it
    const made = (w, length) => Array.from(w, (one) => math.turns(one, length));
    [trained, before, after] = [made(plain, model.trained), made(plain, target), made(now, target)];
    fresh = after.map((turned, i) => math.meetsNewAngles(trained[i], turned));
    return [Math.floor(Math.log10(Math.min(...trained, ...before, ...after))), Math.ceil(Math.log10(Math.max(...trained, ...before)))];
  }

  /** Axes, and what belongs to the model alone. */
  function drawRoom({ width }, [low, high]) {
    room = width;
    put(drawing, { width });
    Object.assign(surface.style, { left: `${LEFT}px`, top: `${TOP}px`, width: `${width - LEFT}px`, height: `${SPECTRUM}px` });
    x = scale([0, count()], [LEFT, width]);
    const level = scale([high, low], [TOP, TOP + SPECTRUM]);
    y = (turned) => level(Math.log10(turned));
    const powers = Array.from({ length: high - low + 1 }, (_, i) => low + i);
    put(turnGrid, { d: powers.map((exponent) => `M${LEFT},${level(exponent)}H${width}`).join("") });
    labels(turnTicks, powers.map(power), (i) => ({ x: LEFT - 8, y: level(powers[i]), dy: "0.35em" }));
    put(oneTurn, { d: `M${LEFT},${y(1)}H${width}` });
    const ticks = Array.from({ length: Math.ceil(count() / 8) }, (_, i) => 8 * i);
    labels(pairTicks, ticks.map(String), (i) => ({ x: x(ticks[i] + 0.5), y: TOP + SPECTRUM + 16 }));
    // Each slow pair has been seen up to the turns that it made in training.
    const slow = trained.findIndex((turned) => turned < 1);
    const steps = trained.map((turned, i) => `${i ? "H" : "M"}${x(i).toFixed(1)}${i ? "V" : ","}${y(turned).toFixed(1)}`).join("") + `H${width}`;
    put(trainedLine, { d: steps });
    put(unseen, {
      d: slow < 0 ? NOTHING : `M${x(slow).toFixed(1)},${TOP}` + trained.slice(slow).map((turned, i) => `${i ? `H${x(slow + i).toFixed(1)}` : ""}V${y(turned).toFixed(1)}`).join("") + `H${width}V${TOP}Z`,
    });
    say(words.never, slow >= 0 && width - x(slow) < 120 ? "never seen" : "angles never seen");
    put(words.never, { x: width - 6, y: TOP + 16, visibility: slow < 0 ? "hidden" : "visible" });
    put(words.turns, { x: 0, y: 10 });
    put(words.pair, { x: (LEFT + width) / 2, y: TOP + SPECTRUM + 33 });
    say(words.one, slow < 0 || slow > 10 ? "one turn" : "");
    put(words.one, { x: LEFT + 58, y: y(1) - 5 });
  }

  function drawPairs({ method }) {
    const still = method === "none";
    const join = (part) => plain.reduce((all, _, i) => all + part(i, x(i + 0.5)), "") || NOTHING;
    put(moved, { d: join((i, at) => `M${pixel(at)},${pixel(y(before[i]))}V${pixel(y(after[i]))}`) });
    put(beforeDots, { d: join((i, at) => (still ? "" : circle(at, y(before[i]), 3))) });
    put(seenDots, { d: join((i, at) => (fresh[i] ? "" : circle(at, y(after[i]), 3.5))) });
    put(newDots, { d: join((i, at) => (fresh[i] ? `M${pixel(at - 3.5)},${pixel(y(after[i]) - 3.5)}l7,7m0,-7l-7,7` : "")) });
  }

  const sumOfCosines = (w, distance) => w.length * math.similarity(distance, w);

  /** The score curve of some frequencies up to a distance: [[distance, sum], ...]. */
  function scoresUpTo(w, last) {
    let sums = scores.get(w);
    if (!sums) scores.set(w, (sums = []));
    const within = DISTANCES.findLastIndex((distance) => distance < last) + 1;
    while (sums.length < within) sums.push(sumOfCosines(w, DISTANCES[sums.length]));
    return [...DISTANCES.slice(0, within).map((distance, i) => [distance, sums[i]]), [last, sumOfCosines(w, last)]];
  }

  function drawScores({ target, method, width }, changed) {
    const across = scale([0, Math.log10(target)], [LEFT, width]);
    const up = scale([count(), -0.4 * count()], [BELOW + 8, BELOW + SCORES]);
    const shape = (w) => line(scoresUpTo(w, target).map(([distance, sum]) => [across(Math.log10(distance)), up(sum)]));
    const rescaled = ["model", "target", "width"].some((key) => changed.has(key));
    if (rescaled) put(plainCurve, { d: shape(plain) });
    put(curve, { d: method === "none" ? NOTHING : shape(now) });
    if (!rescaled) return;
    put(zero, { d: `M${LEFT},${up(0)}H${width}` });
    const levels = [0, count() / 2, count()];
    put(scoreGrid, { d: levels.map((level) => `M${LEFT},${up(level)}H${width}`).join("") });
    labels(scoreTicks, levels.map(String), (i) => ({ x: LEFT - 8, y: up(levels[i]), dy: "0.35em" }));
    const powers = Array.from({ length: Math.floor(Math.log10(target)) + 1 }, (_, i) => i);
    labels(distanceTicks, powers.map(power), (i) => {
      const x = across(powers[i]);
      return { x, y: BELOW + SCORES + 17, "text-anchor": x > width - 16 ? "end" : "middle" };
    });
    const at = across(Math.log10(model.trained));
    const inside = model.trained <= target;
    put(trainedAt, { d: inside ? `M${at},${BELOW}V${BELOW + SCORES}` : NOTHING });
    put(words.trained, { x: at - 5, y: BELOW + 8, visibility: inside ? "visible" : "hidden" });
    put(words.sum, { x: 0, y: BELOW - 6 });
    put(words.distance, { x: (LEFT + width) / 2, y: HEIGHT - 4 });
  }

  function drawWords({ model: chosen, method, factor, target }) {
    const [leave, would] = [fresh, before.map((turned, i) => math.meetsNewAngles(trained[i], turned))].map((some) => some.filter(Boolean).length);
    const how = method === "none" ? "unchanged" : `with ${name(method)}`;
    write(readout, `${chosen}, trained on ${grouped(model.trained)} positions, read at ${grouped(target)} ${how}: `,
      strong(`${leave} of ${count()}`), " pairs reach angles never seen",
      method === "none" ? "." : ` (${would} unchanged).`);
    const slowed = Array.from(plain, (w, i) => w / now[i]);
    const tally = { kept: 0, mixed: 0, divided: 0 };
    for (const by of slowed) tally[by < 1 + 1e-9 ? "kept" : by > factor * (1 - 1e-9) ? "divided" : "mixed"]++;
    const changed = { none: () => "No pair is changed", longrope: range, dynamic: range, ntk: range }[method] ??
      (() => Object.entries(tally).filter(([, pairs]) => pairs).map(([what, pairs]) => `${pairs} ${what}${what === "divided" ? ` by ${short(factor)}` : ""}`).join(", "));
    function range() {
      return `Pairs slowed ${short(Math.min(...slowed))} to ${short(Math.max(...slowed))} times`;
    }
    const m = attentionFactor(model, method, factor);
    write(fate, `${changed()}. Attention factor `, strong(fixed(m, 4)), m === 1 ? "." : `: scores times ${fixed(m * m, 3)}.`);
    write(scoreWords, `Sum of cosines at ${grouped(model.trained)}: `, strong(fixed(sumOfCosines(plain, model.trained), 1)), " unchanged, ",
      strong(fixed(sumOfCosines(now, model.trained), 1)), ` now; at ${grouped(target)}: `, strong(fixed(sumOfCosines(plain, target), 1)), " and ",
      strong(fixed(sumOfCosines(now, target), 1)), ".");
  }

  function drawPair({ pair }) {
    put(cursor, { d: `M${x(pair).toFixed(1)},${TOP}H${x(pair + 1).toFixed(1)}V${TOP + SPECTRUM}H${x(pair).toFixed(1)}Z` });
    write(pairWords, `Pair ${pair}: wavelength `, strong(short(math.wavelength(plain[pair]))), ", now ",
      strong(short(math.wavelength(now[pair]))), " positions; ", strong(short(trained[pair])), " turns in training, now ",
      strong(short(after[pair])), fresh[pair] ? ": never seen." : ".");
  }

  return (state, changed) => {
    model = MODELS[state.model];
    if (!capable(state.method, state.model)) throw new RangeError(`method='longrope': must be another one, since model='${state.model}' has no list of factors`);
    if (state.pair >= model.dim / 2) throw new RangeError(`pair=${state.pair}: must be from 0 to ${model.dim / 2 - 1}, since model='${state.model}'`);
    if (["model", "method", "factor", "target", "width"].some((key) => changed.has(key))) {
      const ends = compute(state);
      if (changed.has("model") || changed.has("width") || String(ends) !== String(axis)) drawRoom(state, ends);
      axis = ends;
      drawPairs(state);
      drawScores(state, changed);
      drawWords(state);
    }
    drawPair(state);
  };
});
